//! A run's specification: validated by `start_run`, stored with the run, read by leader and clients.

use super::alternate::Alternation;
use super::limits::Limits;
use super::nodes::Node;
pub use super::start_at::StartAt;
pub use super::targets::Targets;
pub use super::transport::Transport;
pub use super::work::{CommandName, LoadSpec, Work};
use crate::error::{self, hinted};
use crate::pg::session::receiver::ResultMode;
use crate::run::caches::Caches;
use crate::run::disturbance::work::Disturbance;
use crate::run::drain::request::Drain;
use crate::subject::Choice;
use crate::workload::scripts::{ScriptSpec, parse};
use crate::workload::{RunData, Scale};
use engine::{Rate, RunSpec};
use script::{self, Script, Symbols};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Everything that decides what a run does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Spec {
    /// The transaction type that the report shows, in pgbench's words.
    pub transaction_type: String,
    /// What its clients do.
    #[serde(flatten)]
    pub run: RunSpec,
    /// The families of its workloads by name, which add metrics of theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<String>,
    /// The data sets that it runs on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<RunData>,
    /// Seconds of the measured part; None: until every client has done its transactions.
    pub duration_s: Option<f64>,
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
    pub result_mode: ResultMode,
    /// The first client that is ended by an error ends the run.
    pub exit_on_abort: bool,
    pub scale: Option<Scale>,
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
    /// The limits that the run must not exceed.
    #[serde(default)]
    pub limits: Limits,
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
    /// When its clients begin; None: as soon as they are ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<StartAt>,
    /// The nodes that have its parts; empty: it has clients of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// Of a run on several nodes and of its parts: `node_id/run_id` of the former.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
    /// How its clients reach the server.
    #[serde(flatten)]
    pub transport: Transport,
    /// Where they connect.
    #[serde(flatten)]
    pub targets: Targets,
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

impl Deref for Spec {
    type Target = RunSpec;

    fn deref(&self) -> &RunSpec {
        &self.run
    }
}

impl DerefMut for Spec {
    fn deref_mut(&mut self) -> &mut RunSpec {
        &mut self.run
    }
}

impl Spec {
    /// Worker slots that it takes at most: for its leader, its clients and its disturbances.
    pub fn workers(&self) -> usize {
        if !self.nodes.is_empty() {
            return 1;
        }
        let disturbing = self.disturbances.iter().map(|one| one.sessions);
        1 + self.transport.workers(self.clients) + disturbing.sum::<usize>()
    }

    /// The worker of each client, by its number. All workers share the clients of each target: one of them alone may not keep up with a fast one.
    pub fn workers_of_clients(&self) -> Vec<usize> {
        let workers = self.transport.workers(self.clients);
        let targets = self.targets.of_clients(self.clients);
        let mut by_target: Vec<usize> = (0..self.clients).collect();
        by_target.sort_by_key(|client| targets.get(*client));
        let mut of_clients = vec![0; self.clients];
        for (place, client) in by_target.into_iter().enumerate() {
            of_clients[client] = place % workers;
        }
        of_clients
    }

    /// Whether its clients' sessions stay long enough to be looked at one by one.
    pub fn watches_sessions(&self) -> bool {
        self.transport.is_inside() || self.reconnect.is_none()
    }

    /// The scripts, parsed, with variables numbered alike in all of them.
    pub fn parse_scripts(&self) -> Result<(Vec<Script>, Symbols), script::ParseError> {
        let mut symbols = Symbols::new();
        Ok((parse(&self.scripts, &mut symbols)?, symbols))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::request::mix::Mix;
    use crate::run::request::options::Options;

    #[test]
    fn workers_share_the_clients_of_each_target() {
        let workers = |servers: &[&str], clients, workers| {
            let servers = servers.iter().map(|name| Some((*name).to_owned()));
            let options = Options {
                clients,
                servers: Some(servers.collect()),
                workers: Some(workers),
                ..Options::default()
            };
            let spec = options.into_spec(7, &Mix::none(), &Mix::none()).unwrap();
            spec.workers_of_clients()
        };
        assert_eq!(workers(&["a"], 5, 2), [0, 1, 0, 1, 0]);
        // Clients 0, 2, 4 and 6 are on one, the others on the other.
        assert_eq!(workers(&["a", "b"], 8, 2), [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(workers(&["a", "b"], 4, 4), [0, 2, 1, 3]);
    }

    #[test]
    fn what_is_stored_is_flat_and_read_back() {
        let options = Options {
            clients: 3,
            max_tries: 2,
            ..Options::default()
        };
        let spec = options.into_spec(7, &Mix::none(), &Mix::none()).unwrap();
        let stored = serde_json::to_value(&spec).unwrap();
        let flat = serde_json::json!({
            "clients": 3, "max_tries": 2, "random_seed": 7, "query_mode": "prepared",
            "result_mode": "format", "think_time_s": 0.0, "resume": false, "load": null,
        });
        for (name, value) in flat.as_object().unwrap() {
            assert_eq!(stored.get(name), Some(value), "{name}");
        }
        for name in ["run", "sides", "warmup", "script_scale"] {
            assert_eq!(stored.get(name), None, "{name}");
        }
        let read: Spec = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), stored);
    }
}
