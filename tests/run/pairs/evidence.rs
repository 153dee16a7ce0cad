//! What a run says of itself, and what its sessions have left behind: the rows that they wrote, and how often they tried.

use super::case::Case;
use crate::common::runs::Runs;
use hdrhistogram::serialization::Deserializer;
use postgres::Client;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Both, of a run that has ended.
#[derive(Deserialize)]
pub struct Evidence {
    pub run: Run,
    pub summary: Summary,
    pub intervals: Vec<Interval>,
    pub scripts: Vec<Script>,
    pub statements: Vec<Statement>,
    /// SQLSTATEs with the occurrences of their errors.
    pub errors: BTreeMap<String, i64>,
    pub log: Vec<Logged>,
    pub segments: Vec<Segment>,
    pub receivers: Vec<Receiver>,
    pub disturbances: Vec<Disturbance>,
    /// The facts about caches.
    pub caches: BTreeMap<String, Option<String>>,
    pub plans: Vec<Option<String>>,
    /// The sizes of the curve in bytes, with their hit ratios.
    pub curve: Vec<Point>,
    pub precision: Option<f64>,
    /// When samples of the collector `wal` were taken.
    pub samples: Vec<f64>,
    pub collectors: Vec<String>,
    /// How well the mean is known after each number of intervals.
    pub precisions: Vec<Option<f64>>,
    pub histogram: String,
    /// The rows of the run's own sessions, in their order.
    pub done: Vec<Done>,
    pub beside: Vec<Beside>,
    pub marks: Vec<Mark>,
    /// Attempts of each script, in the measured part and in the warm-up.
    pub tried: BTreeMap<String, i64>,
    /// As the server has it.
    pub shared_buffers: i64,
    /// That reproduces the run, as its report has it.
    pub call: String,
}

#[derive(Deserialize)]
pub struct Run {
    pub status: String,
    pub error: Option<String>,
    pub history_error: Option<String>,
    pub clients: i64,
    pub query_mode: String,
    pub random_seed: i64,
    pub started: f64,
    pub measured: f64,
    pub ended: f64,
}

#[derive(Deserialize)]
pub struct Summary {
    pub transactions: i64,
    pub duration_s: f64,
    pub latency_avg_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    pub failed: i64,
    pub retried: i64,
    pub retries: i64,
    pub skipped: i64,
    pub late: i64,
    pub serialization_failures: i64,
    pub deadlock_failures: i64,
    pub other_failures: i64,
    pub warmup_transactions: i64,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    pub reconnects: i64,
    pub rows_returned: i64,
    pub bytes_returned: i64,
    pub hit_percent: Option<f64>,
    pub shared_blks_hit: Option<i64>,
    pub shared_blks_read: Option<i64>,
}

#[derive(Deserialize)]
pub struct Interval {
    pub interval_no: i64,
    pub at: f64,
    pub seconds: f64,
    pub transactions: i64,
    pub failed: i64,
    pub retried: i64,
    pub retries: i64,
    pub skipped: i64,
    pub late: i64,
    pub shared_blks_hit: Option<i64>,
    pub shared_blks_read: Option<i64>,
    pub turn_no: Option<i64>,
    pub side: Option<String>,
    pub histogram: String,
}

#[derive(Deserialize)]
pub struct Script {
    pub script_no: i64,
    pub transactions: i64,
    pub failed: i64,
    pub retries: i64,
    pub skipped: i64,
    pub late: i64,
    pub histogram: String,
}

#[derive(Deserialize)]
pub struct Statement {
    pub script_no: i64,
    pub statement: String,
    pub is_sql: bool,
    pub calls: i64,
    pub failed: i64,
    pub retries: i64,
    pub latency_avg_ms: Option<f64>,
    pub parse_ms: Option<f64>,
    pub first_byte_ms: Option<f64>,
    pub receive_ms: Option<f64>,
}

#[derive(Deserialize)]
pub struct Logged {
    pub client_id: i64,
    pub transaction_no: i64,
    pub script_no: i64,
    pub outcome: String,
    pub latency_ms: Option<f64>,
}

#[derive(Deserialize)]
pub struct Segment {
    pub seconds: f64,
    pub transactions: i64,
    pub ended_by: Option<String>,
}

#[derive(Deserialize)]
pub struct Receiver {
    pub kind: String,
    pub status: String,
    pub transactions: i64,
    pub run_s: f64,
    pub catch_up_s: f64,
    pub sustainable_tps: f64,
}

#[derive(Deserialize)]
pub struct Disturbance {
    pub occurrence_no: i64,
    pub at_s: f64,
    pub status: String,
    pub sessions: i64,
}

#[derive(Deserialize)]
pub struct Point {
    pub bytes: i64,
    pub hit_percent: Option<f64>,
    pub hits: i64,
    pub reads: i64,
    pub seconds: f64,
}

#[derive(Deserialize)]
pub struct Done {
    pub script: i64,
    pub client: i64,
    pub part: i64,
    pub value: Option<i64>,
    pub extra: Option<i64>,
    pub pid: i64,
    pub setting: Option<String>,
    pub memory: String,
    pub side: Option<String>,
    pub name: String,
    pub at: f64,
}

#[derive(Deserialize)]
pub struct Beside {
    pub setting: Option<String>,
    pub name: String,
    pub at: f64,
}

#[derive(Deserialize)]
pub struct Mark {
    pub mark: String,
    pub at: f64,
}

/// Rows of a table as an array in their order, times as seconds.
fn rows(columns: &str, from: &str, order: &str) -> String {
    format!(
        "(SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY {order}), '[]') FROM (SELECT {columns} FROM {from}) x)"
    )
}

/// The whole of it, for `{run}`, the run's id, and `{number}`, its number in the array.
fn sql(case: &Case) -> String {
    let epoch = |column: &str| format!("extract(epoch FROM {column})::float8");
    let tried = (0..case.scripts()).flat_map(|script| {
        [0, 1].map(|part| {
            format!(
                "'{script} {part}', (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM tried_{}_{script}_{part})",
                case.number
            )
        })
    });
    let tried = tried.collect::<Vec<_>>().join(", ");
    let of_run = "WHERE run_id = {run}";
    let parts = [
        (
            "run",
            format!(
                "(SELECT to_jsonb(x) FROM (SELECT status, error, history_error, clients, query_mode, random_seed, {} AS started, {} AS measured, {} AS ended \
                 FROM pgperf.runs {of_run}) x)",
                epoch("started_at"),
                epoch("measured_at"),
                epoch("ended_at")
            ),
        ),
        ("summary", format!("(SELECT to_jsonb(s) FROM pgperf.run_summary s {of_run})")),
        ("histogram", format!("(SELECT histogram FROM pgperf_internal.run_totals {of_run})")),
        ("intervals", rows(&format!("*, {} AS at", epoch("started_at")), &format!("pgperf.run_intervals {of_run}"), "interval_no")),
        ("scripts", rows("*", &format!("pgperf.run_scripts {of_run}"), "script_no")),
        ("statements", rows("*", &format!("pgperf.run_statements {of_run}"), "script_no, command_no")),
        (
            "errors",
            format!(
                "(SELECT coalesce(jsonb_object_agg(sqlstate, n), '{{}}') FROM (SELECT sqlstate, sum(occurrences)::bigint AS n FROM pgperf.run_errors {of_run} GROUP BY 1) x)"
            ),
        ),
        ("log", rows("*", &format!("pgperf.run_transactions {of_run}"), "client_id, transaction_no")),
        ("segments", rows("*", &format!("pgperf.run_segments {of_run}"), "segment_no")),
        ("receivers", rows("*", &format!("pgperf.run_receivers {of_run}"), "receiver_no")),
        ("disturbances", rows("*", &format!("pgperf.run_disturbances {of_run}"), "occurrence_no")),
        (
            "caches",
            format!("(SELECT coalesce(jsonb_object_agg(name, value), '{{}}') FROM pgperf.run_environment {of_run} AND category = 'memory' AND name LIKE 'caches%')"),
        ),
        ("plans", format!("(SELECT coalesce(jsonb_agg(reason), '[]') FROM pgperf.run_plans {of_run})")),
        (
            "curve",
            rows(
                "pg_size_bytes(c.shared_buffers) AS bytes, c.hit_percent, h.blks_hit AS hits, h.blks_read AS reads, h.seconds",
                "pgperf.hit_curve({run}) c JOIN pgperf.hit_curve_history h ON h.run_id = {run} AND h.shared_buffers_bytes = pg_size_bytes(c.shared_buffers)",
                "bytes",
            ),
        ),
        (
            "precision",
            format!("(SELECT value FROM pgperf.run_metrics {of_run} AND metric = 'tps_precision_percent')"),
        ),
        (
            "precisions",
            "(SELECT coalesce(jsonb_agg((SELECT p.precision_percent FROM pgperf_internal.series_precision( \
                 (SELECT array_agg(i.tps ORDER BY i.interval_no) FROM pgperf.run_intervals i WHERE i.run_id = {run} AND i.interval_no <= n), 0.5) p) ORDER BY n), '[]') \
              FROM (SELECT interval_no AS n FROM pgperf.run_intervals WHERE run_id = {run} ORDER BY 1 DESC LIMIT 2) x)".to_owned(),
        ),
        (
            "samples",
            format!("(SELECT coalesce(jsonb_agg({} ORDER BY taken_at), '[]') FROM pgperf.wal_history {of_run})", epoch("taken_at")),
        ),
        (
            "collectors",
            format!("(SELECT coalesce(jsonb_agg(DISTINCT collector ORDER BY collector), '[]') FROM pgperf.sample_outcomes {of_run} AND collector <> 'hit_curve')"),
        ),
        ("done", rows(&format!("script, client, part, value, extra, pid, setting, memory, side, name, {} AS at", epoch("at")), "done WHERE run = {number}", "at")),
        ("beside", rows(&format!("setting, name, {} AS at", epoch("at")), "beside WHERE run = {number}", "at")),
        ("marks", rows(&format!("mark, {} AS at", epoch("at")), "marks WHERE run = {number}", "at")),
        ("tried", format!("jsonb_build_object({tried})")),
        ("call", "(pgperf.report_json({run}) ->> 'call')".to_owned()),
        (
            "shared_buffers",
            "(SELECT setting::bigint * 8192 FROM pg_settings WHERE name = 'shared_buffers')".to_owned(),
        ),
    ];
    let parts = parts
        .iter()
        .map(|(name, value)| format!("'{name}', {value}"));
    format!(
        "SELECT jsonb_build_object({})",
        parts.collect::<Vec<_>>().join(", ")
    )
}

impl Evidence {
    pub fn of(session: &mut Client, case: &Case, run: i64) -> Evidence {
        let sql = sql(case)
            .replace("{run}", &run.to_string())
            .replace("{number}", &case.number.to_string());
        let document = session.value(&sql);
        serde_json::from_str(&document)
            .unwrap_or_else(|error| panic!("{}: {error}\n{document}", case.describe()))
    }

    /// The rows of the measured part.
    pub fn measured(&self) -> impl Iterator<Item = &Done> {
        self.done.iter().filter(|row| row.part % 2 == 0)
    }

    pub fn warming(&self) -> impl Iterator<Item = &Done> {
        self.done.iter().filter(|row| row.part % 2 == 1)
    }

    pub fn committed(&self) -> i64 {
        self.measured().count() as i64
    }

    /// Attempts of all scripts, of the measured part (0) or the warm-up (1).
    pub fn tried(&self, part: i64) -> i64 {
        let ending = format!(" {part}");
        let of_part = self.tried.iter().filter(|(key, _)| key.ends_with(&ending));
        of_part.map(|(_, count)| count).sum()
    }

    pub fn tried_by(&self, script: i64) -> i64 {
        self.tried[&format!("{script} 0")]
    }
}

/// The values of a histogram that a document has as `\x…`.
pub fn values_in(histogram: &str) -> i64 {
    let digits = histogram.strip_prefix("\\x").expect("a bytea");
    let bytes: Vec<u8> = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("digits"))
        .collect();
    let decoded = Deserializer::new().deserialize::<u64, _>(&mut bytes.as_slice());
    decoded.expect("a histogram").len() as i64
}
