//! Tables and indexes that the run changed.

use super::Key;
use super::samples::rows;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::span::samples::Samples;
use crate::subject::tables::SECTION;
use serde::{Deserialize, Serialize};

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
    struct SampledRelation {
        schema_name: String,
        relation_name: String,
        relation_kind: String,
        #[serde(flatten)]
        sample: BloatSample,
    }
    let rows: Vec<SampledRelation> = rows(samples, &SECTION, "sizes")?;
    let of_each = rows
        .chunk_by(|a, b| (&a.schema_name, &a.relation_name) == (&b.schema_name, &b.relation_name));
    let bloat = of_each.filter_map(|rows| {
        let first = rows.first()?;
        Some(Bloat {
            schema_name: first.schema_name.clone(),
            relation_name: first.relation_name.clone(),
            relation_kind: first.relation_kind.clone(),
            samples: rows.iter().map(|row| row.sample.clone()).collect(),
        })
    });
    Ok(bloat.collect())
}
