//! What a replay has shown.

use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A row of `pgperf.run_replays`, with its statements.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Replay {
    pub capture: String,
    /// By which the pauses of the capture were divided; null: there were none.
    pub speed: Option<f64>,
    /// Whether statements waited for the commits that they had seen in the capture.
    pub commit_order: bool,
    /// What was to be played.
    pub sessions: i64,
    pub transactions: i64,
    pub statements: i64,
    pub transactions_alike: i64,
    pub transactions_diverged: i64,
    pub statements_alike: i64,
    pub statements_diverged: i64,
    /// Statements that cannot be run again.
    pub statements_left_out: i64,
    /// Transactions that the capture itself does not have.
    pub transactions_dropped: i64,
    pub broken_waits: i64,
    /// How far behind the timetable of the capture transactions began; null: there was none.
    pub late_avg_ms: Option<f64>,
    pub late_max_ms: Option<f64>,
    pub lost_sessions: i64,
    /// Roles and settings of sessions that the server did not take.
    pub refused_settings: i64,
    #[serde(default)]
    pub of_statements: Vec<ReplayedStatement>,
}

/// A row of `pgperf.run_replay_statements`, with the times of the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayedStatement {
    pub command_no: i64,
    pub statement: String,
    pub alike: i64,
    pub error_new: i64,
    pub error_gone: i64,
    pub error_other: i64,
    pub rows_other: i64,
    pub not_reached: i64,
    /// The first places of each kind of difference in the capture: session and statement, from 1.
    pub positions: Value,
    /// In the capture, within the server.
    pub captured_avg_ms: Option<f64>,
    pub captured_p95_ms: Option<f64>,
    pub latency_avg_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
}

/// Of a run; None: it is no replay, or has not come to its end. `key`: node and run.
pub fn load(key: &[DatumWithOid]) -> Result<Option<Replay>> {
    let replay: Option<Replay> = spi::select_one(
        "SELECT r.* FROM pgperf.run_replays r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
        key,
    )?;
    let Some(mut replay) = replay else {
        return Ok(None);
    };
    replay.of_statements = spi::select(
        "SELECT r.command_no, r.statement, r.alike, r.error_new, r.error_gone, r.error_other, r.rows_other, r.not_reached, \
                r.positions, r.captured_avg_ms, r.captured_p95_ms, s.latency_avg_ms, s.latency_p95_ms \
         FROM pgperf.run_replay_statements r LEFT JOIN pgperf.run_statements s USING (node_id, run_id, command_no) \
         WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2 ORDER BY r.command_no",
        key,
    )?;
    Ok(Some(replay))
}

impl ReplayedStatement {
    /// Executions that ended otherwise than in the capture, or not at all.
    pub fn diverged(&self) -> i64 {
        self.error_new + self.error_gone + self.error_other + self.rows_other + self.not_reached
    }
}
