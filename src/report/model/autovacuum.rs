//! When autovacuum worked on a table during the run.

use super::Key;
use super::samples::select;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::span::samples::Samples;
use serde::{Deserialize, Serialize};

/// An autovacuum or autoanalyze that ended during the run; of several between two samples only the last is known.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Autovacuum {
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub schema_name: Option<String>,
    pub relation_name: Option<String>,
    /// `autovacuum` or `autoanalyze`.
    pub action: String,
}

const ENDED: &str = "SELECT DISTINCT EXTRACT(epoch FROM a.ended_at - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
            h.schema_name, h.relation_name, a.action \
     FROM pgperf.relation_history h, \
          LATERAL (VALUES ('autovacuum', h.last_autovacuum), ('autoanalyze', h.last_autoanalyze)) a(action, ended_at) \
     WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run} \
       AND h.relation_oid <> 0 AND a.ended_at > $2::pg_catalog.timestamptz AND a.ended_at <= $3::pg_catalog.timestamptz \
       AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'information_schema', 'pg_toast') \
     ORDER BY 1, 2, 3, 4 LIMIT 500";

/// Those that ended in the measured part or after it.
pub fn load(samples: &Samples) -> Result<Vec<Autovacuum>> {
    let mut ended: Vec<Autovacuum> = select(samples, ENDED, None)?;
    ended.retain(|autovacuum| autovacuum.at_s >= 0.0);
    Ok(ended)
}

/// How often autovacuum processed the run's tables (except TOAST tables) from its first sample to its last, by the
/// tables' own counters: more than in `autovacuums` if some ended before or after the measured part, or in such quick
/// succession that only the last is known. Null: not known.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AutovacuumCounts {
    pub autovacuums: Option<i64>,
    pub autoanalyzes: Option<i64>,
}

pub fn counts(key: &Key) -> Result<AutovacuumCounts> {
    let counts = spi::select_one(
        "SELECT pg_catalog.sum(r.autovacuum_count)::pg_catalog.int8 AS autovacuums, \
                pg_catalog.sum(r.autoanalyze_count)::pg_catalog.int8 AS autoanalyzes \
         FROM pgperf.run_relations r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 \
           AND r.relation_kind IN ('table', 'materialized view')",
        &[key.node_id.into(), key.run_id.into()],
    )?;
    Ok(counts.unwrap_or(AutovacuumCounts {
        autovacuums: None,
        autoanalyzes: None,
    }))
}
