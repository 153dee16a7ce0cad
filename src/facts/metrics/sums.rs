//! Metrics that are sums over a run's relations, and over what its WAL consisted of.

use super::super::Span;
use super::Metric;
use super::ends::number;
use crate::collect::rows::{self, Row};
use crate::error::Result;

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
    let found = rows::select(RESOURCE_MANAGERS, &span.parameters())?;
    let metric = |row: &Row| {
        let name = row.get("name")?.as_str()?;
        let bytes = number(row.get("bytes")?);
        let name = format!("wal_bytes.{name}");
        Some(Metric::new(&name, bytes))
    };
    let sum = |column: &str| -> f64 {
        let values = found.iter().filter_map(|row| number(row.get(column)?));
        values.sum()
    };
    let mut metrics: Vec<Metric> = found.iter().filter_map(metric).collect();
    if sum("bytes") > 0.0 {
        let percent = 100.0 * sum("fpi_bytes") / sum("bytes");
        metrics.push(Metric::new("wal_fpi_percent", Some(percent)));
    }
    Ok(metrics)
}

/// Each breakdown begins where the one before it ended: the first after the start must begin where that was.
const RESOURCE_MANAGERS: &str = "WITH looked AS (\
        SELECT h.sample_id, h.taken_at, h.rmgr_start_lsn, h.rmgr_end_lsn FROM pgperf.wal_history h \
        WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id BETWEEN $3 AND $5 AND h.rmgr_end_lsn IS NOT NULL \
          AND h.taken_at BETWEEN $4::pg_catalog.timestamptz AND $6::pg_catalog.timestamptz) \
     SELECT e.resource_manager AS name, pg_catalog.sum(e.record_bytes + e.fpi_bytes) AS bytes, \
            pg_catalog.sum(e.fpi_bytes) AS fpi_bytes \
     FROM pgperf.wal_rmgr_estimates e JOIN looked l USING (sample_id, taken_at) \
     WHERE e.node_id = $1::pg_catalog.uuid AND e.sample_id > $3 \
       AND EXISTS (SELECT FROM looked s WHERE s.sample_id = $3) \
       AND EXISTS (SELECT FROM looked s WHERE s.sample_id = $5) \
     GROUP BY e.resource_manager";
