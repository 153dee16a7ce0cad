//! Tables and indexes that the run changed.

use super::Key;
use super::samples::Samples;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};

/// Relations whose bloat is shown over time.
const RELATIONS: usize = 6;

/// A row of `pgperf.run_relations`: a relation at the start and at the end, and its activity in between.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Relation {
    pub schema_name: String,
    pub relation_name: String,
    pub relation_kind: String,
    pub start_size_bytes: Option<i64>,
    pub end_size_bytes: Option<i64>,
    pub start_dead_tuples: Option<i64>,
    pub end_dead_tuples: Option<i64>,
    pub start_bloat_percent: Option<f64>,
    pub end_bloat_percent: Option<f64>,
    pub n_tup_ins: Option<i64>,
    pub n_tup_upd: Option<i64>,
    pub n_tup_hot_upd: Option<i64>,
    pub n_tup_del: Option<i64>,
    pub autovacuum_count: Option<i64>,
    pub autoanalyze_count: Option<i64>,
    pub blks_hit: Option<i64>,
    pub blks_read: Option<i64>,
    /// Why there are no figures.
    pub note: Option<String>,
}

/// The largest first.
pub fn load(key: &Key) -> Result<Vec<Relation>> {
    spi::select(
        "SELECT r.schema_name, r.relation_name, r.relation_kind, r.start_size_bytes, r.end_size_bytes, \
         r.start_dead_tuples, r.end_dead_tuples, r.start_bloat_percent, r.end_bloat_percent, r.n_tup_ins, r.n_tup_upd, \
         r.n_tup_hot_upd, r.n_tup_del, r.autovacuum_count, r.autoanalyze_count, r.blks_hit, r.blks_read, r.note \
         FROM pgperf.run_relations r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 \
         ORDER BY r.end_size_bytes DESC NULLS LAST, r.schema_name, r.relation_name LIMIT 200",
        &[key.node_id.into(), key.run_id.into()],
    )
}

/// Bloat of a relation over time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bloat {
    pub schema_name: String,
    pub relation_name: String,
    pub relation_kind: String,
    pub samples: Vec<BloatSample>,
}

/// One measurement.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BloatSample {
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub size_bytes: i64,
    /// Bytes that rewriting it would free.
    pub bloat_percent: Option<f64>,
    pub dead_percent: Option<f64>,
    /// Half the width of the 95 % interval, in percentage points; 0: every page was read.
    pub error_margin_percent: Option<f64>,
}

/// Of the largest relations, without pgperf's own and the catalogs.
pub fn bloat(samples: &Samples) -> Result<Vec<Bloat>> {
    #[derive(Deserialize)]
    struct Row {
        schema_name: String,
        relation_name: String,
        relation_kind: String,
        #[serde(flatten)]
        sample: BloatSample,
    }
    // A sample measures those relations whose turn it is: each has moments of its own.
    let rows: Vec<Row> = samples.over_all(&format!(
        "SELECT b.* FROM (SELECT h.schema_name, h.relation_name, h.relation_kind, h.size_bytes, h.bloat_percent, h.dead_percent, \
                h.error_margin_percent, \
                EXTRACT(epoch FROM h.taken_at - $4::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
                pg_catalog.dense_rank() OVER (ORDER BY m.most DESC, h.schema_name, h.relation_name) AS place, \
                pg_catalog.row_number() OVER w AS number, \
                pg_catalog.count(*) OVER (PARTITION BY h.schema_name, h.relation_name) AS all_of_it \
         FROM pgperf.bloat_history h \
         JOIN (SELECT h.schema_name, h.relation_name, pg_catalog.max(h.size_bytes) AS most \
               FROM pgperf.bloat_history h WHERE {{run}} AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'pg_toast') \
               GROUP BY 1, 2 ORDER BY 3 DESC LIMIT {RELATIONS}) m USING (schema_name, relation_name) \
         WHERE {{run}} WINDOW w AS (PARTITION BY h.schema_name, h.relation_name ORDER BY h.taken_at, h.sample_id)) b \
         WHERE b.all_of_it <= 100 OR b.number % (b.all_of_it / 100 + 1) = 0 OR b.number IN (1, b.all_of_it) \
         ORDER BY b.place, b.at_s"
    ))?;
    Ok(rows
        .chunk_by(|a, b| (&a.schema_name, &a.relation_name) == (&b.schema_name, &b.relation_name))
        .filter_map(|rows| {
            let first = rows.first()?;
            Some(Bloat {
                schema_name: first.schema_name.clone(),
                relation_name: first.relation_name.clone(),
                relation_kind: first.relation_kind.clone(),
                samples: rows.iter().map(|row| row.sample.clone()).collect(),
            })
        })
        .collect())
}
