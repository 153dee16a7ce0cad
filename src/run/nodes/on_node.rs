//! What a node is asked for a run on several: as SQL functions there, for the user of the mapping, and directly where the node is this
//! server.

use crate::catalog::runs::{ExistingRun, by_id};
use crate::error::{Error, Result, failure, read_only};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::sql::called::{Called, document};
use crate::pg::sql::moment::Moment;
use crate::pg::sql::text::Json;
use crate::pg::sql::{arguments, spi};
use crate::run::request::nodes::Node;
use crate::run::request::options::Options;
use crate::run::request::spec::Spec;
use crate::run::request::start::{self, Checked};
use crate::service::preconditions::{check_login, check_slots, check_starter, may_call};
use engine::Share;
use measure::Latency;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Asks what [`check_part`] tells.
pub const CHECK: &str = "SELECT facts FROM pgperf_internal.check_part($1::pg_catalog.jsonb, $2::pg_catalog.int4, $3::pg_catalog.int4) facts";
/// Starts a part; its number there.
pub const START: &str = "SELECT pgperf_internal.start_part($1::pg_catalog.jsonb, $2::pg_catalog.int4, $3::pg_catalog.int4, $4)";
/// Asks what [`part_progress`] tells.
pub const PROGRESS: &str =
    "SELECT pgperf_internal.part_progress($1::pg_catalog.int8, $2::pg_catalog.int4)";

/// The clients that a part has of those of the whole.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Asked {
    first_client: i32,
    all_clients: i32,
}

impl Asked {
    pub fn of(spec: &Spec, node: &Node) -> Asked {
        Asked {
            first_client: node.first_client as i32,
            all_clients: spec.clients as i32,
        }
    }

    /// The values of a question, with those of the arguments first.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn values(&self, arguments: &Map<String, Value>) -> Result<Vec<String>> {
        Ok(vec![
            serde_json::to_string(arguments)?,
            self.first_client.to_string(),
            self.all_clients.to_string(),
        ])
    }
}

/// The arguments of the run that a node has as its part.
///
/// # Errors
/// Those of the whole cannot be read.
pub fn part_of(spec: &Spec, node: &Node) -> Result<Map<String, Value>> {
    let whole = Options::new(spec.call.clone())?;
    let share = node.clients as f64 / spec.clients as f64;
    let start_at = spec.start_at.as_ref();
    let part = Options {
        clients: node.clients as i32,
        random_seed: Some(node.random_seed),
        rate: whole.rate.as_ref().map(|rate| rate.scaled(share)),
        label: (whole.label.as_ref()).map(|label| format!("{label} on {}", node.node)),
        expect: None,
        nodes: None,
        // By the clock there.
        start_at: start_at.map(|at| Moment::of(at.timestamp(node.clock_ahead_ms / 1e3))),
        ..whole
    };
    let Value::Object(mut arguments) = serde_json::to_value(part)? else {
        return Ok(Map::new());
    };
    arguments.retain(|_, value| !value.is_null());
    Ok(arguments)
}

/// What a node tells before anything starts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Facts {
    pub system_identifier: i64,
}

#[derive(Deserialize)]
struct PartArguments {
    arguments: Map<String, Value>,
    #[serde(flatten)]
    asked: Asked,
    #[serde(default)]
    group_id: String,
}

/// `pgperf_internal.check_part`.
#[pg_extern(sql = false)]
fn check_part(fcinfo: pg_sys::FunctionCallInfo) -> Called<Json> {
    let given: PartArguments = arguments::read(arguments::by_name(fcinfo)?)?;
    check(given.arguments, given.asked)?;
    document(&Facts {
        system_identifier: server::system_identifier(),
    })
}

/// Whether the current role can start this part here.
///
/// # Errors
/// It cannot.
pub fn check(arguments: Map<String, Value>, asked: Asked) -> Result<()> {
    if server::in_recovery() {
        return Err(read_only("cannot start a run on a standby"));
    }
    for role in [server::current_role(), role::extension_owner()] {
        check_login(role)?;
    }
    check_slots(checked(arguments, asked)?.spec.workers())
}

/// `pgperf_internal.start_part`.
#[pg_extern(sql = false)]
fn start_part(fcinfo: pg_sys::FunctionCallInfo) -> Called<i64> {
    let given: PartArguments = arguments::read(arguments::by_name(fcinfo)?)?;
    Ok(start(given.arguments, given.asked, &given.group_id)?)
}

/// Starts this part here, as the current role.
///
/// # Errors
/// Those of `start_run`.
pub fn start(arguments: Map<String, Value>, asked: Asked, group_id: &str) -> Result<i64> {
    check_starter()?;
    let mut checked = checked(arguments, asked)?;
    checked.spec.group_id = Some(group_id.to_owned());
    start::begin(&checked)
}

fn checked(arguments: Map<String, Value>, asked: Asked) -> Result<Checked> {
    if !may_call(server::current_role(), "start_run")? {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            "permission denied for function start_run",
        ));
    }
    let mut checked = start::check(Options::new(arguments)?)?;
    checked.spec.share = Some(Share {
        first_client: asked.first_client.max(0) as usize,
        clients: asked.all_clients.max(1) as usize,
    });
    checked.with_tables()
}

/// How far a part is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Progress {
    pub status: String,
    pub sqlstate: Option<String>,
    pub error: Option<String>,
    pub server_version: Option<String>,
    /// Whether its clients wait for the moment at which they are to begin.
    pub is_ready: bool,
    pub intervals: Vec<Interval>,
}

impl Progress {
    pub fn has_ended(&self) -> bool {
        matches!(
            self.status.as_str(),
            "finished" | "stopped" | "failed" | "interrupted"
        )
    }
}

/// An interval of a part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Interval {
    pub interval_no: i32,
    /// Since the measured part began.
    pub at_s: f64,
    pub seconds: f64,
    pub transactions: u64,
    #[serde(flatten)]
    pub latency: Latency,
    pub failed: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
    pub lag_avg_ms: Option<f64>,
    pub lag_max_ms: Option<f64>,
    pub wal_bytes: Option<u64>,
    pub shared_blks_hit: Option<u64>,
    pub shared_blks_read: Option<u64>,
    pub in_checkpoint: Option<bool>,
    pub checkpoint_began: Option<bool>,
    /// In hexadecimal digits.
    pub histogram: Option<String>,
}

/// `pgperf_internal.part_progress`.
#[pg_extern(sql = false)]
fn part_progress(run_id: i64, from_interval: i32) -> Called<Json> {
    let run = by_id(Some(run_id))?;
    run.check_visible()?;
    document(&role::as_owner(|| progress(&run, from_interval))?)
}

/// How far a part of this server is, with its intervals from this number on. As the extension's owner.
///
/// # Errors
/// It is gone.
pub fn progress(run: &ExistingRun, from_interval: i32) -> Result<Progress> {
    let progress: Option<Progress> = spi::select_one(
        "SELECT r.status, r.sqlstate, r.error, r.server_version, r.spec ? 'ready_at' AS is_ready, \
                (SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.to_jsonb(i) || pg_catalog.jsonb_build_object( \
                            'at_s', EXTRACT(epoch FROM i.started_at - r.measured_at)::pg_catalog.float8, \
                            'histogram', pg_catalog.encode(i.histogram, 'hex')) ORDER BY i.interval_no), '[]') \
                   FROM pgperf.run_intervals i \
                  WHERE i.node_id = r.node_id AND i.run_id = r.run_id AND i.interval_no >= $3) AS intervals \
           FROM pgperf.runs r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
        &[
            run.node_id.as_str().into(),
            run.run_id.into(),
            from_interval.into(),
        ],
    )?;
    progress.ok_or(Error::NotInstalled)
}
