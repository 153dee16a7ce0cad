//! The stored data about a run that a comparison may use.

use super::devices::{self, Phase};
use super::peers;
use crate::catalog::error::UnknownRun;
use crate::catalog::runs::ExistingRun;
use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::model::Key;
use crate::report::model::circumstances::{self, Figure, Setting};
use crate::report::work::Work;
use crate::run::request::targets::Targets;
use crate::workload::RunData;
use engine::Rate;
use measure::Latency;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// The program of a run whose results were not imported, and the way of its clients to the server.
const OWN_PROGRAM: &str = "pgperf";
const INSIDE: &str = "inside the server";

/// A row whose columns are taken as they come, so that new ones are compared without being named here.
pub type Columns = Map<String, Value>;

/// Everything about one run.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub run: Run,
    /// The row of `run_summary`.
    pub summary: Columns,
    pub intervals: Vec<Interval>,
    /// Rows of `run_scripts`.
    pub scripts: Vec<Columns>,
    /// Rows of `run_servers`.
    pub servers: Vec<Columns>,
    /// Rows of `run_statements`, of SQL commands only.
    pub statements: Vec<Columns>,
    pub metrics: Vec<Figure>,
    /// Rows of `run_relations`.
    pub relations: Vec<Columns>,
    pub settings: Vec<Setting>,
    pub environment: Vec<Circumstance>,
    /// The devices at and between checkpoints.
    pub devices: Vec<Phase>,
    pub plans: Vec<StatementPlan>,
    /// For a single run: others equal to it, with their data for [`super::figures`].
    pub peers: Vec<Rc<Facts>>,
}

/// The plan of a statement (`run_plans`).
#[derive(Debug, Clone, Deserialize)]
pub struct StatementPlan {
    pub script: String,
    /// Which of the script's statements that have plans it is, from 1.
    pub statement_no: i64,
    /// How many there are.
    pub statements: i64,
    pub shape: String,
}

/// The run itself (`pgperf.runs`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Run {
    /// Where it ran: for an imported run, its origin.
    pub node_id: String,
    pub node_name: Option<String>,
    pub run_id: i64,
    pub kind: String,
    pub label: Option<String>,
    pub workload: String,
    pub status: String,
    /// None: the program whose results were imported does not say.
    pub clients: Option<i64>,
    pub query_mode: String,
    pub scale: Option<i64>,
    pub server_version: String,
    pub spec: Spec,
}

impl Run {
    /// What it did.
    pub fn work(&self) -> &'static Work {
        Work::of(&self.kind)
    }

    /// The program that made it.
    pub fn program(&self) -> &str {
        let origin = self.spec.results.as_ref();
        origin.map_or(OWN_PROGRAM, |origin| &origin.program)
    }

    /// The way of its clients to the server; None: not known.
    pub fn transport(&self) -> Option<&str> {
        match &self.spec.results {
            Some(origin) => origin.transport.as_deref(),
            None => Some(self.spec.transport.as_deref().unwrap_or(INSIDE)),
        }
    }
}

/// What all of these runs did; of different ones, which are not compared, as of scripts.
pub fn common_work<'a>(runs: impl Iterator<Item = &'a Run>) -> &'static Work {
    let mut works = runs.map(Run::work);
    let first = works.next();
    let same = |work: &Work| first.is_some_and(|first| first.name == work.name);
    match first {
        Some(first) if works.all(same) => first,
        _ => Work::of("run"),
    }
}

/// The parts of `stored_runs.spec` that a comparison needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Spec {
    pub duration_s: Option<f64>,
    pub transactions_per_client: Option<i64>,
    pub rate: Option<Rate>,
    pub terminals: Option<i64>,
    pub data: Vec<RunData>,
    /// Of results of another program.
    pub results: Option<Origin>,
    /// The way of its clients to the server; None: inside it.
    pub transport: Option<String>,
    /// The targets to which they connected; none: its own server.
    #[serde(flatten)]
    pub targets: Targets,
    /// The arguments of the call that differ from their defaults.
    pub call: Columns,
}

/// The program that made a run, where that is not pgperf.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Origin {
    pub program: String,
    /// Its way to the server; None: not known.
    pub transport: Option<String>,
}

/// A row of `pgperf.run_intervals`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Interval {
    pub seconds: f64,
    pub transactions: f64,
    pub failed: f64,
    pub retried: f64,
    pub retries: f64,
    pub skipped: f64,
    pub late: f64,
    /// 0, as the counts and blocks, where it is unknown: then the summary has none, so that nothing is compared.
    pub wal_bytes: f64,
    pub shared_blks_hit: f64,
    pub shared_blks_read: f64,
    pub lag_avg_ms: Option<f64>,
    #[serde(flatten)]
    pub latency: Latency,
}

/// A row of `pgperf.run_environment`.
#[derive(Debug, Clone, Deserialize)]
pub struct Circumstance {
    pub category: String,
    pub name: String,
    pub value: Option<String>,
    pub unit: Option<String>,
}

/// Reads them all but the peers; the current user must be able to read pgperf's tables.
///
/// # Errors
/// The run is gone meanwhile.
pub fn load(found: &ExistingRun) -> Result<Facts> {
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let mut facts = Facts {
        intervals: spi::select(
            "SELECT i.seconds, i.transactions, coalesce(i.failed, 0) AS failed, coalesce(i.retried, 0) AS retried, \
             coalesce(i.retries, 0) AS retries, coalesce(i.skipped, 0) AS skipped, coalesce(i.late, 0) AS late, \
             coalesce(i.wal_bytes, 0) AS wal_bytes, coalesce(i.shared_blks_hit, 0) AS shared_blks_hit, \
             coalesce(i.shared_blks_read, 0) AS shared_blks_read, i.latency_avg_ms, i.latency_stddev_ms, i.latency_p50_ms, \
             i.latency_p90_ms, i.latency_p95_ms, i.latency_p99_ms, i.latency_p999_ms, i.lag_avg_ms \
             FROM pgperf.run_intervals i WHERE i.node_id = $1::uuid AND i.run_id = $2 ORDER BY i.interval_no",
            &key,
        )?,
        settings: circumstances::settings(&of_report(found))?,
        environment: spi::select(
            "SELECT e.category, e.name, e.value, e.unit FROM pgperf.run_environment e \
             WHERE e.node_id = $1::uuid AND e.run_id = $2 ORDER BY e.category, e.name",
            &key,
        )?,
        plans: spi::select(
            "SELECT p.script, p.shape, p.statement_no, p.statements \
             FROM (SELECT r.*, pg_catalog.row_number() OVER (PARTITION BY r.script_no ORDER BY r.command_no) AS statement_no, \
                          pg_catalog.count(*) OVER (PARTITION BY r.script_no) AS statements \
                   FROM pgperf.run_plans r WHERE r.node_id = $1::uuid AND r.run_id = $2) p \
             WHERE p.shape IS NOT NULL ORDER BY p.script_no, p.statement_no",
            &key,
        )?,
        devices: devices::load(&of_report(found))?,
        ..load_outcome(found)?
    };
    devices::name_by_contents(&mut facts);
    Ok(facts)
}

/// The two sides of a comparison of one run with another, and the results of their peers. Common peers are read once.
///
/// # Errors
/// As for [`load`].
pub fn load_singles(baseline: &ExistingRun, candidate: &ExistingRun) -> Result<[Facts; 2]> {
    let mut known: HashMap<(String, i64), Rc<Facts>> = HashMap::new();
    let mut load_single = |run, other| -> Result<Facts> {
        let mut peers = Vec::new();
        for peer in peers::of(run, other)? {
            let key = (peer.node_id.clone(), peer.run_id);
            let facts = match known.get(&key) {
                Some(facts) => Rc::clone(facts),
                None => Rc::new(load_outcome(&peer)?),
            };
            known.insert(key, Rc::clone(&facts));
            peers.push(facts);
        }
        Ok(Facts {
            peers,
            ..load(run)?
        })
    };
    Ok([
        load_single(baseline, candidate)?,
        load_single(candidate, baseline)?,
    ])
}

fn of_report(found: &ExistingRun) -> Key<'_> {
    Key {
        node_id: &found.node_id,
        run_id: found.run_id,
    }
}

/// The run and its results, without its intervals and its circumstances.
fn load_outcome(found: &ExistingRun) -> Result<Facts> {
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let gone = || UnknownRun {
        run: Some(found.run_id.to_string()),
    };
    let run = spi::select_one(
        "SELECT COALESCE(r.origin_node_id, r.node_id) AS node_id, n.name AS node_name, r.run_id, r.kind, \
         r.label, r.workload, r.status, r.clients, COALESCE(r.query_mode, '(unknown)') AS query_mode, r.scale, \
         COALESCE(r.server_version, '(unknown)') AS server_version, r.spec \
         FROM pgperf.runs r LEFT JOIN pgperf.nodes n ON n.node_id = COALESCE(r.origin_node_id, r.node_id) \
         WHERE r.node_id = $1::uuid AND r.run_id = $2",
        &key,
    )?;
    let summary = spi::select_one(
        "SELECT s.* FROM pgperf.run_summary s WHERE s.node_id = $1::uuid AND s.run_id = $2",
        &key,
    )?;
    Ok(Facts {
        run: run.ok_or_else(gone)?,
        summary: summary.ok_or_else(gone)?,
        scripts: rows_of(
            "SELECT pg_catalog.to_jsonb(s) - 'histogram' AS columns FROM pgperf.run_scripts s \
             WHERE s.node_id = $1::uuid AND s.run_id = $2 ORDER BY s.script_no",
            found,
        )?,
        servers: rows_of(
            "SELECT pg_catalog.to_jsonb(s) - 'histogram' AS columns FROM pgperf.run_servers s \
             WHERE s.node_id = $1::uuid AND s.run_id = $2 ORDER BY s.server_no",
            found,
        )?,
        statements: rows_of(
            "SELECT pg_catalog.to_jsonb(s) - 'histogram' AS columns FROM pgperf.run_statements s \
             WHERE s.node_id = $1::uuid AND s.run_id = $2 AND s.is_sql ORDER BY s.script_no, s.command_no",
            found,
        )?,
        metrics: circumstances::metrics(&of_report(found))?,
        relations: rows_of(
            "SELECT pg_catalog.to_jsonb(r) AS columns FROM pgperf.run_relations r \
             WHERE r.node_id = $1::uuid AND r.run_id = $2 ORDER BY r.schema_name, r.relation_name",
            found,
        )?,
        ..Facts::default()
    })
}

/// The column `columns` of a query about a run.
fn rows_of(sql: &str, run: &ExistingRun) -> Result<Vec<Columns>> {
    #[derive(Deserialize)]
    struct Wrapped {
        columns: Columns,
    }
    let rows: Vec<Wrapped> = spi::select(sql, &[run.node_id.as_str().into(), run.run_id.into()])?;
    Ok(rows.into_iter().map(|row| row.columns).collect())
}
