//! What is stored about one run, as structs; [`load`] reads it.

mod read;

pub use read::{load, run};

use super::model::alternation::Alternation;
use super::model::disturbances::Disturbance;
use super::model::hit_curve::HitRatio;
use super::model::rate_search::RateSearch;
use super::model::receivers::Receiver;
use super::model::replay::Replay;
use super::model::servers::Server;
use super::model::tables::Table;
use crate::report::conditions::Conditions;
use crate::run::request::alternate::Alternation as Turns;
use crate::run::request::nodes::Node;
use crate::run::request::targets::Targets;
use crate::workload::RunData;
use engine::Rate;
use measure::metrics;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What text, comment, page and document of a report have in common.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Facts {
    /// The run and its totals.
    pub run: Run,
    /// The transactions of each script and their outcomes.
    pub scripts: Vec<Script>,
    /// Of a run that played a capture again: how far it did what the capture did; null: it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// The servers or nodes of a run on several, each with its figures over time; empty: it had but one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Server>,
    /// The commands of the scripts; for a load, its steps.
    pub statements: Vec<Statement>,
    /// The devices in each step of a load; empty: it is none, or nothing is known of them.
    pub step_devices: Vec<StepDevice>,
    #[serde(skip)]
    pub metrics: Vec<Metric>,
    /// Errors of the clients and the leader.
    pub errors: Vec<ClientError>,
    /// For a run that can be resumed: its segments, with an interruption between two of them.
    pub segments: Vec<Segment>,
    /// Transactions per second of up to [`RATES`] stretches, from the beginning to the end.
    #[serde(skip)]
    pub rates: Vec<f64>,
    /// What further collectors counted.
    pub tables: Vec<Table>,
    /// The hit ratio that larger shared_buffers would have had; empty: the run did not ask for it.
    pub hit_curve: Vec<HitRatio>,
    /// The highest rate at which nothing piles up, where the run is that of find_rate; else null.
    pub rate_search: Option<RateSearch>,
    /// The standbys and subscribers that the run waited for; empty: it waited for nobody.
    pub receivers: Vec<Receiver>,
    /// Two sides of settings that took turns, and how they differ; null: there were no turns.
    pub alternation: Option<Alternation>,
    /// What happened beside the load on purpose, and what it cost; empty: nothing.
    pub disturbances: Vec<Disturbance>,
    /// Those of the run, where they are shown in one line.
    #[serde(skip)]
    pub conditions: Conditions,
    /// What became of the caches before it.
    #[serde(skip)]
    pub caches: Vec<CacheFact>,
}

/// The run with its totals (`pgperf.runs` and `pgperf.run_summary`). None: not known, or not yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    pub run_id: i64,
    /// uuid.
    pub node_id: Option<String>,
    pub node_name: Option<String>,
    /// Of an imported run: its number on its node.
    pub origin_run_id: Option<i64>,
    /// Of the database it ran in.
    pub database_name: Option<String>,
    /// `run`, or `load` of a data set.
    pub kind: String,
    pub label: Option<String>,
    pub workload: String,
    pub status: String,
    pub clients: Option<i64>,
    pub query_mode: Option<String>,
    pub scale: Option<i64>,
    pub random_seed: Option<i64>,
    pub spec: Spec,
    pub server_version: Option<String>,
    /// Whose privileges it had.
    pub role: Option<String>,
    pub started_at: Option<String>,
    /// When the measured part began, after connecting and a warm-up.
    pub measured_at: Option<String>,
    pub ended_at: Option<String>,
    pub sqlstate: Option<String>,
    pub error: Option<String>,
    /// The part of its history that could not be stored.
    pub history_error: Option<String>,
    pub has_totals: bool,
    pub duration_s: Option<f64>,
    pub transactions: Option<i64>,
    pub tps: Option<f64>,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    pub late: Option<i64>,
    pub warmup_transactions: Option<i64>,
    pub latency_avg_ms: Option<f64>,
    pub latency_stddev_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p90_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub latency_p999_ms: Option<f64>,
    pub latency_p9999_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    pub parse_ms: Option<f64>,
    pub plan_ms: Option<f64>,
    pub execute_ms: Option<f64>,
    pub commit_ms: Option<f64>,
    pub retry_ms: Option<f64>,
    /// Over the wire: of the average transaction's statements, from sending them to the first bytes of their answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<f64>,
    /// From then until the answers were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_ms: Option<f64>,
    pub connect_ms: Option<f64>,
    pub reconnects: Option<i64>,
    /// Of a run that reconnects.
    pub reconnect_avg_ms: Option<f64>,
    pub wal_bytes: Option<i64>,
    pub wal_bytes_per_tx: Option<f64>,
    pub wal_records: Option<i64>,
    pub wal_fpi: Option<i64>,
    pub shared_blks_hit: Option<i64>,
    pub shared_blks_read: Option<i64>,
    pub hit_percent: Option<f64>,
    pub database_growth_bytes: Option<i64>,
    pub own_history_bytes: Option<i64>,
    pub own_wal_bytes: Option<i64>,
    pub own_xids: Option<i64>,
    /// Why there is no WAL, no hit ratio and no growth: tables are distributed.
    pub unknown_because: Option<String>,
}

impl Run {
    /// The scale as a reader sees it: of one with a fraction the column has the next whole number.
    pub fn exact_scale(&self) -> Option<String> {
        let scale = self.scale?;
        let of_load = self.spec.call.get("scale").and_then(Value::as_f64);
        let mut loads = self.spec.data.iter().filter_map(|data| data.load.as_ref());
        let exact = match self.kind.as_str() {
            "load" => of_load,
            _ => loads.next().map(|load| load.scale.value()),
        };
        let exact = exact.filter(|exact| exact.fract() > 0.0 && exact.ceil() == scale as f64);
        Some(exact.map_or_else(|| scale.to_string(), |exact| exact.to_string()))
    }
}

/// What the report needs of `stored_runs.spec`: the options in effect, and the arguments as given.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Spec {
    /// As pgbench names it, such as `<builtin: TPC-B (sort of)>`.
    pub transaction_type: Option<String>,
    pub duration_s: Option<f64>,
    pub transactions_per_client: Option<i64>,
    /// Those of all clients, where not each has so many.
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub transactions: Option<i64>,
    /// Transactions a second over all clients: a number, or how it changes.
    #[cfg_attr(test, schemars(with = "Option<Value>"))]
    pub rate: Option<Rate>,
    pub terminals: Option<i64>,
    pub latency_limit_ms: Option<f64>,
    /// 0: no limit.
    pub max_tries: Option<i64>,
    pub continue_on_error: bool,
    pub reconnect: Option<i64>,
    /// The data sets that it runs on.
    pub data: Vec<RunData>,
    pub call: Map<String, Value>,
    /// Of results of another program.
    pub results: Option<Results>,
    /// Settings that took turns.
    pub alternate: Option<Turns>,
    /// How far the mean tps may be off for the run to end, as a share.
    pub until_precise: Option<f64>,
    /// How its clients reached the server: `wire`, over connections; None: as sessions within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Of connections: the workers that shared them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<i64>,
    /// The targets to which they connected; none: this server.
    #[serde(flatten)]
    pub targets: Targets,
    /// Of a run on several nodes: those that had its parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// Of a run on several nodes and of its parts: `node_id/run_id` of the former.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
}

/// Where imported results come from (`pgperf.import_results`).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Results {
    pub program: String,
    pub version: Option<String>,
    pub threads: Option<i64>,
    /// Its way to the server: `socket`, `tcp` or `tls`; None: not known.
    pub transport: Option<String>,
    /// What else it printed of its parameters.
    pub parameters: Map<String, Value>,
}

/// The transactions that did not succeed at once, of a run or of one of its scripts. None: not known.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Outcomes {
    pub failed: Option<i64>,
    pub serialization_failures: Option<i64>,
    pub deadlock_failures: Option<i64>,
    pub other_failures: Option<i64>,
    pub retried: Option<i64>,
    pub retries: Option<i64>,
    pub skipped: Option<i64>,
}

/// A row of `pgperf.run_scripts`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Script {
    pub script_no: i64,
    pub script: String,
    pub weight: Option<i64>,
    pub transactions: Option<i64>,
    pub tps: Option<f64>,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    pub latency_avg_ms: Option<f64>,
    pub latency_stddev_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p90_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
}

/// A row of `pgperf.run_statements`; in a load a row is a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statement {
    pub script_no: i64,
    #[serde(default)]
    pub script: String,
    #[serde(default)]
    pub command_no: i64,
    pub statement: String,
    pub is_sql: bool,
    pub calls: Option<i64>,
    pub failed: Option<i64>,
    pub retries: Option<i64>,
    pub latency_avg_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    /// Over the wire: from sending it to the first byte of its answer, and from then until that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_ms: Option<f64>,
    pub rows: Option<i64>,
    pub shared_blks_hit: Option<i64>,
    pub shared_blks_read: Option<i64>,
    pub shared_blks_dirtied: Option<i64>,
    pub wal_bytes: Option<i64>,
    /// When the step of a load began, seconds since the load did.
    #[serde(default)]
    pub at_s: Option<f64>,
}

/// A row of `pgperf.load_devices`: a device in a step of a load, under the names of `iostat -x`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StepDevice {
    pub step: String,
    pub seconds: f64,
    /// Its contents: data, wal, tablespaces.
    pub holds: String,
    pub device: String,
    /// 0: it holds the files itself; 1 and more: it lies beneath.
    pub level: i64,
    pub r_s: f64,
    pub rkb_s: f64,
    pub r_await: Option<f64>,
    pub rareq_sz: Option<f64>,
    pub w_s: f64,
    pub wkb_s: f64,
    pub w_await: Option<f64>,
    pub wareq_sz: Option<f64>,
    pub f_s: Option<f64>,
    pub f_await: Option<f64>,
    pub aqu_sz: Option<f64>,
    pub util: Option<f64>,
}

/// A row of `pgperf.run_segments`: the run was interrupted between two of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Segment {
    pub segment_no: i64,
    /// When its measured part began.
    pub started_at: String,
    /// The end of its last stored interval; later work is not counted.
    pub ended_at: Option<String>,
    pub seconds: f64,
    pub transactions: i64,
    /// Since the last stored interval of the previous segment.
    pub gap_s: Option<f64>,
    /// None: it is running.
    pub ended_by: Option<String>,
    pub reason: Option<String>,
}

/// A figure that the workload defines (`pgperf.run_metrics`), one of its clients, or what its transaction log has cost it.
#[derive(Debug, Clone, Deserialize)]
pub struct Metric {
    pub metric: String,
    pub value: Option<f64>,
    pub unit: String,
}

impl Metric {
    /// Whether it is the rate that the users of a workload speak of.
    pub fn is_rate(&self) -> bool {
        metrics::rates().any(|rate| rate.name == self.metric)
    }
}

impl Facts {
    /// The value of a metric; None: the run has none of that name, or it is not known.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let metric = self.metrics.iter().find(|metric| metric.metric == name)?;
        metric.value
    }
}

/// Rows of `pgperf.run_errors` that differ only in the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClientError {
    /// The first of the clients; None: the leader's.
    pub client_id: Option<i64>,
    pub clients: i64,
    pub script: Option<String>,
    pub command_no: Option<i64>,
    pub sqlstate: String,
    pub message: String,
    pub occurrences: i64,
}

/// A fact about the caches before a run.
#[derive(Debug, Clone, Deserialize)]
pub struct CacheFact {
    pub name: String,
    pub value: Option<String>,
    pub note: Option<String>,
}
