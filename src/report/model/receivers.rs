//! The standbys and subscribers that the run waited for, with their lag over time.

use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// Stretches that the lag over time is condensed into, at most.
const POINTS: i64 = 180;

/// Whether a run was too short for its receiver `r`, a row of `pgperf.run_receivers`. A receiver that keeps up confirms what it has
/// after a delay, a logical one within wal_receiver_status_interval (10 s), slony and londiste after their next event. Where the
/// catch-up is no longer than that, but a twentieth of the run or more, only a longer run tells whether it is more than a delay; unless
/// the lag is seen to grow.
pub const IS_SHORT: &str = "(r.run_s > 0 AND r.catch_up_s BETWEEN r.run_s / 20 AND 10 AND NOT EXISTS ( \
    SELECT FROM pgperf.run_receiver_lag x \
     WHERE x.node_id = r.node_id AND x.run_id = r.run_id AND x.receiver_no = r.receiver_no AND x.phase = 'run' \
    HAVING pg_catalog.max(x.lag_bytes) FILTER (WHERE x.at_s >= r.run_s / 2) > 2 * pg_catalog.max(x.lag_bytes) FILTER (WHERE x.at_s < r.run_s / 2)))";

/// A row of `pgperf.run_receivers`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Receiver {
    pub receiver_no: i64,
    /// `standby`, `slot` or `sql`.
    pub kind: String,
    pub name: String,
    /// What it had to do with the WAL.
    pub until: String,
    /// `waiting`, `caught up`, `behind`, `lost`, `failed` or `stopped`.
    pub status: String,
    /// The end of the clients' WAL.
    pub end_lsn: Option<String>,
    /// Seconds of the measured part.
    pub run_s: Option<f64>,
    pub transactions: Option<i64>,
    /// Seconds from the end of the last client until it had caught up. Null: it had not.
    pub catch_up_s: Option<f64>,
    /// transactions / (run_s + catch_up_s).
    pub sustainable_tps: Option<f64>,
    /// Its catch-up in percent of the measured part, where that is too short to tell the delay of a confirmation from a lag; else
    /// null.
    #[serde(default)]
    pub confirmation_percent: Option<f64>,
    /// When the clients had ended: its lag by position.
    pub end_lag_bytes: Option<i64>,
    pub end_lag_s: Option<f64>,
    /// The server's own replay_lag then.
    pub end_server_lag_ms: Option<f64>,
    pub max_lag_bytes: Option<i64>,
    pub max_lag_s: Option<f64>,
    /// When the drain was over.
    pub last_lag_bytes: Option<i64>,
    /// Over run and drain, of a long run the greatest of each stretch.
    #[serde(default)]
    pub lag: Vec<Lag>,
}

/// The lag of a receiver at a moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lag {
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    receiver_no: i64,
    /// Seconds since the measured part began.
    pub at_s: f64,
    /// `run`, or `drain` when the clients had ended.
    pub phase: String,
    pub lag_bytes: Option<i64>,
    pub lag_s: Option<f64>,
    pub server_lag_ms: Option<f64>,
}

/// All of a run; empty: it waited for nobody. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Vec<Receiver>> {
    let mut receivers: Vec<Receiver> = spi::select(
        &format!(
            "SELECT r.receiver_no, r.kind, r.name, r.until, r.status, r.end_lsn, r.run_s, r.transactions, r.catch_up_s, \
                    r.sustainable_tps, r.end_lag_bytes, r.end_lag_s, r.end_server_lag_ms, r.max_lag_bytes, r.max_lag_s, r.last_lag_bytes, \
                    CASE WHEN {IS_SHORT} THEN 100 * r.catch_up_s / NULLIF(r.run_s, 0) END AS confirmation_percent \
             FROM pgperf.run_receivers r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 ORDER BY r.receiver_no"
        ),
        key,
    )?;
    if receivers.is_empty() {
        return Ok(receivers);
    }
    let lags: Vec<Lag> = spi::select(
        &format!(
            "SELECT l.receiver_no, pg_catalog.max(l.at_s) AS at_s, l.phase, pg_catalog.max(l.lag_bytes) AS lag_bytes, \
                    pg_catalog.max(l.lag_s) AS lag_s, pg_catalog.max(l.server_lag_ms) AS server_lag_ms \
             FROM (SELECT x.*, pg_catalog.ntile({POINTS}) OVER (PARTITION BY x.receiver_no ORDER BY x.taken_at) AS stretch \
                   FROM pgperf.run_receiver_lag x WHERE x.node_id = $1::pg_catalog.uuid AND x.run_id = $2) l \
             GROUP BY l.receiver_no, l.phase, l.stretch ORDER BY l.receiver_no, 2"
        ),
        key,
    )?;
    for lag in lags {
        let of = receivers
            .iter_mut()
            .find(|receiver| receiver.receiver_no == lag.receiver_no);
        if let Some(receiver) = of {
            receiver.lag.push(lag);
        }
    }
    Ok(receivers)
}
