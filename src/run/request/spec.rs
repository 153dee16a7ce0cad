//! A run's specification: validated by `start_run`, stored with the run, read by leader and clients.

use super::alternate::Alternation;
use super::limits::Limits;
pub use super::work::{CommandName, LoadSpec, Work};
use crate::error::{self, hinted};
use crate::pg::session::QueryMode;
use crate::pg::session::receiver::ResultMode;
use crate::run::caches::Caches;
use crate::run::disturbance::work::Disturbance;
use crate::run::drain::request::Drain;
use crate::subject::Choice;
use crate::workload::scripts::{ScriptSpec, parse};
use crate::workload::{RunData, Scale};
use engine::Rate;
use script::{self, Script, Symbols};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that decides what a run does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Spec {
    /// The transaction type that the report shows, in pgbench's words.
    pub transaction_type: String,
    pub scripts: Vec<ScriptSpec>,
    /// The numbers of the scripts in the order in which a client runs them, for each client; none: they are drawn by weight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequences: Vec<Vec<usize>>,
    /// The families of its workloads by name, which add metrics of theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
    /// The data sets that it runs on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<RunData>,
    pub clients: usize,
    /// Seconds of the measured part; None: until every client has done its transactions.
    pub duration_s: Option<f64>,
    pub transactions_per_client: Option<u64>,
    /// Those of all clients, where not each has so many: some run their scripts in a longer or a shorter order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transactions: Option<u64>,
    pub warmup_s: f64,
    /// The scripts of the warm-up; empty: the run's own scripts.
    pub warmup_scripts: Vec<ScriptSpec>,
    /// `:scale` of the warm-up's scripts.
    pub warmup_scale: Option<Scale>,
    pub sample_interval_s: f64,
    /// The collectors; None: all of them, the cheap ones at every interval.
    pub collectors: Option<Vec<Choice>>,
    #[serde(with = "QueryModeName")]
    pub query_mode: QueryMode,
    #[serde(with = "ResultModeName")]
    pub result_mode: ResultMode,
    /// Transactions per second to schedule over all clients; None: as fast as they go.
    pub rate: Option<Rate>,
    /// How many terminals the clients serve together, each with keying and think times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminals: Option<u32>,
    pub latency_limit_ms: Option<f64>,
    /// 0: without limit.
    pub max_tries: u32,
    /// An error of a statement fails its transaction, not its client.
    pub continue_on_error: bool,
    /// The first client that is ended by an error ends the run.
    pub exit_on_abort: bool,
    /// How long a client pauses after each transaction.
    pub think_time_s: f64,
    /// How long a client waits after each statement inside a transaction, as if for the network.
    pub round_trip_s: f64,
    /// After how many transactions a client gets a new session; None: it keeps its own.
    pub reconnect: Option<u64>,
    pub random_seed: i64,
    pub scale: Option<Scale>,
    pub variables: BTreeMap<String, String>,
    pub settings: BTreeMap<String, String>,
    /// Settings that take turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternate: Option<Alternation>,
    /// How far its mean tps may be off, as a share of it; then it ends. None: only its duration ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_precise: Option<f64>,
    pub vacuum: Vacuum,
    /// The statements of the vacuum, and those to run before the clients start and after they have ended.
    pub vacuum_sql: Vec<String>,
    pub before_sql: Vec<String>,
    pub after_sql: Vec<String>,
    /// Those that undo what its clients have left in its tables, before the latter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo_sql: Vec<String>,
    /// The queries for metrics of the workloads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics_sql: Vec<String>,
    /// The share of the transactions that is logged; None if there is no log.
    pub sampling_rate: Option<f64>,
    /// The limits that the run must not exceed.
    #[serde(default)]
    pub limits: Limits,
    /// Whether the run continues after an interruption.
    #[serde(default)]
    pub resume: bool,
    /// The segment of such a run that the clients are in, counted from 0.
    #[serde(default)]
    pub segment: u32,
    /// Seconds of the measured part in the segments before, by which the rate may go.
    #[serde(default)]
    pub elapsed_s: f64,
    /// The caller's search_path, so that the clients find the same objects as the caller.
    pub search_path: String,
    /// The clients' name in pg_stat_activity; None: `pgperf run N client M`.
    #[serde(default)]
    pub application_name: Option<String>,
    /// Whether to estimate the hit ratio at larger shared_buffers.
    #[serde(default)]
    pub hit_curve: bool,
    /// Whether to store the plans of its statements.
    #[serde(default)]
    pub plans: bool,
    /// What it waits for after its clients have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// What happens beside its load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbances: Vec<Disturbance>,
    /// What becomes of the caches before the clients begin; None: they stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caches: Option<Caches>,
    /// The work that the run does.
    #[serde(flatten)]
    pub work: Work,
    /// The arguments of the call that differ from their defaults, to reproduce it.
    pub call: serde_json::Map<String, serde_json::Value>,
}

/// The tables that are vacuumed before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Vacuum {
    None,
    /// As pgbench does it: the small tables; history is truncated.
    Standard,
    /// As `pgbench -v` does it: all tables.
    All,
}

impl Vacuum {
    pub fn named(name: &str) -> error::Result<Vacuum> {
        match name {
            "none" => Ok(Vacuum::None),
            "standard" => Ok(Vacuum::Standard),
            "all" => Ok(Vacuum::All),
            _ => Err(hinted(
                format!("unknown vacuum \"{name}\""),
                "Allowed values are: none, standard (as pgbench does), all (as pgbench -v does).",
            )),
        }
    }
}

/// Whether a stored run's transactions are due at moments of a schedule, from which their latency counts: its rate is given,
/// not reached.
pub fn is_scheduled(rate: Option<&Rate>, terminals: Option<i64>) -> bool {
    rate.is_some() || terminals.is_some()
}

impl Spec {
    /// Whether transactions are due at moments of a schedule.
    pub fn is_scheduled(&self) -> bool {
        is_scheduled(self.rate.as_ref(), self.terminals.map(i64::from))
    }

    /// Worker slots that it takes at most: for its leader, its clients and its disturbances.
    pub fn workers(&self) -> usize {
        let disturbing = self.disturbances.iter().map(|one| one.sessions);
        1 + self.clients + disturbing.sum::<usize>()
    }

    /// The latency limit as clients compare it.
    pub fn latency_limit_ns(&self) -> Option<u64> {
        self.latency_limit_ms.map(|ms| (ms * 1e6) as u64)
    }

    /// The scripts, parsed, with variables numbered alike in all of them.
    pub fn parse_scripts(&self) -> Result<(Vec<Script>, Symbols), script::ParseError> {
        let mut symbols = Symbols::new();
        Ok((parse(&self.scripts, &mut symbols)?, symbols))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "QueryMode", rename_all = "lowercase")]
enum QueryModeName {
    Simple,
    Extended,
    Prepared,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ResultMode", rename_all = "lowercase")]
enum ResultModeName {
    Format,
    Discard,
}
