//! The rows that a leader stores, named as the columns of pgperf's tables.

use crate::facts::target::identity::Identity;
use engine::{Answers, Outcomes, Spent};
use measure::{Histogram, Latency};
use serde::{Deserialize, Serialize};

/// `pgperf.run_intervals`.
#[derive(Debug, Clone, Serialize)]
pub struct IntervalRow {
    pub node_id: String,
    pub run_id: i64,
    pub interval_no: i32,
    pub started_at: String,
    pub seconds: f64,
    pub transactions: u64,
    pub tps: f64,
    #[serde(flatten)]
    pub latency: Latency,
    pub failed: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    /// This and the following are None if unknown: tables are distributed, or the clients have connections.
    pub wal_bytes: Option<u64>,
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub step: Option<String>,
    /// Whether a checkpoint was being written at any time; None: unknown.
    pub in_checkpoint: Option<bool>,
    pub histogram: Option<String>,
    /// Whether one began; None: unknown.
    pub checkpoint_began: Option<bool>,
    /// Of a run with turns: which one, and the side that it belongs to; None: it overlaps the beginning of a turn.
    pub turn_no: Option<u64>,
    pub side: Option<&'static str>,
    /// Of a load: how much of its work is done; None: unknown.
    pub done_percent: Option<f64>,
}

/// `pgperf_internal.run_totals`.
#[derive(Debug, Clone, Serialize)]
pub struct TotalsRow {
    pub node_id: String,
    pub run_id: i64,
    pub seconds: f64,
    pub transactions: u64,
    pub failed: u64,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    pub warmup_transactions: u64,
    #[serde(flatten)]
    pub latency: Latency,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    pub connect_ms: Option<f64>,
    pub reconnects: u64,
    pub reconnect_avg_ms: Option<f64>,
    pub rows_returned: u64,
    pub bytes_returned: u64,
    /// This and the following are None if unknown: tables are distributed, or the clients have connections.
    pub wal_bytes: Option<u64>,
    pub wal_records: Option<u64>,
    pub wal_fpi: Option<u64>,
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub shared_blks_dirtied: Option<u64>,
    #[serde(flatten)]
    pub time: TimeSplit,
    pub retry_ms: Option<f64>,
    pub histogram: Option<String>,
}

/// `pgperf.run_scripts`.
#[derive(Debug, Clone, Serialize)]
pub struct ScriptRow {
    pub node_id: String,
    pub run_id: i64,
    pub script_no: usize,
    pub script: String,
    pub weight: u32,
    pub transactions: u64,
    pub tps: f64,
    pub failed: u64,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    #[serde(flatten)]
    pub latency: Latency,
    pub histogram: Option<String>,
}

/// `pgperf.run_servers`.
#[derive(Debug, Clone, Serialize)]
pub struct ServerRow {
    pub node_id: String,
    pub run_id: i64,
    pub server_no: usize,
    pub server: String,
    pub weight: u32,
    pub clients: usize,
    /// Clients that an error ended.
    pub aborted: usize,
    /// From the beginning of the measured part until the last of its clients had ended.
    pub seconds: f64,
    pub transactions: u64,
    /// Over the time of the run.
    pub tps: f64,
    pub failed: u64,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    #[serde(flatten)]
    pub latency: Latency,
    pub histogram: Option<String>,
    #[serde(flatten)]
    pub identity: Identity,
}

/// `pgperf.run_server_intervals`.
#[derive(Debug, Clone, Serialize)]
pub struct ServerIntervalRow {
    pub node_id: String,
    pub run_id: i64,
    pub interval_no: i32,
    pub server_no: usize,
    pub transactions: u64,
    pub tps: f64,
    #[serde(flatten)]
    pub latency: Latency,
    pub failed: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
}

/// `pgperf.run_statements`.
#[derive(Debug, Clone, Serialize)]
pub struct StatementRow {
    pub node_id: String,
    pub run_id: i64,
    pub script_no: usize,
    pub script: String,
    pub command_no: usize,
    pub statement: String,
    pub is_sql: bool,
    pub calls: u64,
    pub failed: u64,
    pub retries: u64,
    #[serde(flatten)]
    pub latency: Latency,
    #[serde(flatten)]
    pub time: TimeSplit,
    #[serde(flatten)]
    pub usage: StatementUsage,
    pub histogram: Option<String>,
    /// Of a step of a load.
    pub started_at: Option<String>,
}

/// How the time of statements was spent: averages, ms. Clients inside the server know it by work, those with connections by answers.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct TimeSplit {
    pub parse_ms: Option<f64>,
    pub plan_ms: Option<f64>,
    pub execute_ms: Option<f64>,
    pub commit_ms: Option<f64>,
    pub first_byte_ms: Option<f64>,
    pub receive_ms: Option<f64>,
}

impl TimeSplit {
    /// By work: the total divided by `count`; None if that is 0.
    pub fn by_work(Spent { total_ns, parts }: &Spent, count: u64) -> TimeSplit {
        let known = parts.parse_ns + parts.plan_ns + parts.commit_ns;
        TimeSplit {
            parse_ms: average(parts.parse_ns, count),
            plan_ms: average(parts.plan_ns, count),
            execute_ms: average(total_ns.saturating_sub(known), count),
            commit_ms: average(parts.commit_ns, count),
            ..TimeSplit::default()
        }
    }

    /// By answers: their total divided by `count`; None if that is 0.
    pub fn by_answers(answers: &Answers, count: u64) -> TimeSplit {
        TimeSplit {
            first_byte_ms: average(answers.first_byte_ns, count),
            receive_ms: average(answers.receive_ns, count),
            ..TimeSplit::default()
        }
    }
}

fn average(ns: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| ns as f64 / count as f64 / 1e6)
}

/// The figures that SQL commands have and meta-commands do not.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StatementUsage {
    pub rows: Option<u64>,
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub shared_blks_dirtied: Option<u64>,
    pub shared_blks_written: Option<u64>,
    pub wal_records: Option<u64>,
    pub wal_fpi: Option<u64>,
    pub wal_bytes: Option<u64>,
}

/// `pgperf.run_errors`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ErrorRow {
    pub node_id: String,
    pub run_id: i64,
    pub error_no: i32,
    pub occurred_at: String,
    pub first_occurred_at: String,
    pub client_id: Option<i32>,
    pub script: Option<String>,
    pub command_no: Option<usize>,
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
    pub occurrences: u64,
}

/// A histogram as the text of a `bytea`.
pub fn encoded(histogram: &Histogram) -> Option<String> {
    histogram.encode_v2().ok().map(|bytes| bytea(&bytes))
}

/// Bytes as the text that `bytea` reads.
fn bytea(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::from("\\x"), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
