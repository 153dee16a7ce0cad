//! The hit ratio that larger shared_buffers would have had over the run.

use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// The hit ratio at one size.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HitRatio {
    pub shared_buffers_bytes: i64,
    /// Multiples of the present size; 1: the present one, whose ratio was counted.
    pub times: f64,
    /// Null: it cannot be said, or the bounds are more than 20 points apart.
    pub hit_percent: Option<f64>,
    /// The bounds of a 95 % confidence interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// What limits the estimate.
    pub note: Option<String>,
}

/// By size; empty: the run did not ask for it. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Vec<HitRatio>> {
    spi::select(
        "SELECT h.shared_buffers_bytes, h.times, h.hit_percent, h.low, h.high, h.note \
         FROM pgperf.samples s JOIN pgperf.hit_curve_history h \
           ON h.node_id = s.node_id AND h.sample_id = s.sample_id AND h.taken_at = s.taken_at \
         WHERE s.node_id = $1::pg_catalog.uuid AND s.run_id = $2 ORDER BY h.sample_id, h.times",
        key,
    )
}
