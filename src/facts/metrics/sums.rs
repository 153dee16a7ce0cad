//! Metrics that are sums over a run's relations, and over what its WAL consisted of.

use super::super::Span;
use super::Metric;
use super::ends::number;
use crate::collect::rows;
use crate::error::Result;
use crate::subject::wal::collector::contents::{self, Manager};

/// Sums over the relations of the run, which are stored already: without the catalogs and pgperf's own.
pub fn of_relations(span: &Span) -> Result<Vec<Metric>> {
    let sums = rows::select(RELATIONS, &span.parameters())?;
    let metric = |name: &str| {
        let value = sums.first()?.get(name)?;
        Some(Metric::new(name, number(value)))
    };
    Ok([
        "table_growth_bytes",
        "index_growth_bytes",
        "vacuum_count",
        "autovacuum_count",
        "analyze_count",
        "autoanalyze_count",
    ]
    .into_iter()
    .filter_map(metric)
    .collect())
}

/// No row if the relations were not sampled at both ends. NULL where a relation is missing, or its counters are.
const RELATIONS: &str = "SELECT \
        CASE WHEN k.known THEN COALESCE(pg_catalog.sum(r.end_size_bytes - COALESCE(r.start_size_bytes, 0)) \
             FILTER (WHERE r.relation_kind <> 'index'), 0) END AS table_growth_bytes, \
        CASE WHEN k.known THEN COALESCE(pg_catalog.sum(r.end_size_bytes - COALESCE(r.start_size_bytes, 0)) \
             FILTER (WHERE r.relation_kind = 'index'), 0) END AS index_growth_bytes, \
        CASE WHEN k.known AND pg_catalog.count(r.vacuum_count) = pg_catalog.count(r.run_id) \
             THEN COALESCE(pg_catalog.sum(r.vacuum_count), 0) END AS vacuum_count, \
        CASE WHEN k.known AND pg_catalog.count(r.autovacuum_count) = pg_catalog.count(r.run_id) \
             THEN COALESCE(pg_catalog.sum(r.autovacuum_count), 0) END AS autovacuum_count, \
        CASE WHEN k.known AND pg_catalog.count(r.analyze_count) = pg_catalog.count(r.run_id) \
             THEN COALESCE(pg_catalog.sum(r.analyze_count), 0) END AS analyze_count, \
        CASE WHEN k.known AND pg_catalog.count(r.autoanalyze_count) = pg_catalog.count(r.run_id) \
             THEN COALESCE(pg_catalog.sum(r.autoanalyze_count), 0) END AS autoanalyze_count \
     FROM (SELECT pg_catalog.bool_and(h.left_out = 0) AS known FROM pgperf.relation_history h \
           WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = 0 \
             AND (h.sample_id = $3 AND h.taken_at = $4::pg_catalog.timestamptz \
                  OR h.sample_id = $5 AND h.taken_at = $6::pg_catalog.timestamptz) \
           HAVING pg_catalog.count(*) = 2) k \
     LEFT JOIN pgperf.run_relations r ON r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 \
     GROUP BY k.known";

/// What the WAL of the run consisted of, if all of it was looked at: pgperf's own is part of it, since nobody knows
/// whose a record is.
pub fn of_resource_managers(span: &Span) -> Result<Vec<Metric>> {
    let found = contents::between(
        span.node_id,
        (span.start.sample_id, &span.start.taken_at),
        (span.end.sample_id, &span.end.taken_at),
    )?;
    let metric = |manager: &Manager| {
        let name = format!("wal_bytes.{}", manager.resource_manager);
        Metric::new(&name, Some(manager.bytes()))
    };
    let mut metrics: Vec<Metric> = found.iter().map(metric).collect();
    let all: f64 = found.iter().map(Manager::bytes).sum();
    if all > 0.0 {
        let images: f64 = found.iter().map(|manager| manager.fpi_bytes).sum();
        metrics.push(Metric::new("wal_fpi_percent", Some(100.0 * images / all)));
    }
    Ok(metrics)
}
