//! When autovacuum worked on a table during the run.

use super::samples::Samples;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// An autovacuum or autoanalyze that ended during the run; of several between two samples the last is known.
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

pub fn load(samples: &Samples) -> Result<Vec<Autovacuum>> {
    samples.over_all(
        "SELECT DISTINCT EXTRACT(epoch FROM a.ended_at - $4::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
                h.schema_name, h.relation_name, a.action \
         FROM pgperf.relation_history h, \
              LATERAL (VALUES ('autovacuum', h.last_autovacuum), ('autoanalyze', h.last_autoanalyze)) a(action, ended_at) \
         WHERE {run} AND h.relation_oid <> 0 AND a.ended_at BETWEEN $4::pg_catalog.timestamptz AND $6::pg_catalog.timestamptz \
           AND h.schema_name NOT IN ('pgperf', 'pg_catalog', 'pg_toast') \
         ORDER BY 1 LIMIT 200",
    )
}
