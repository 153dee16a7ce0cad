//! `start_sweep` and `resume_sweep`: everything is checked before anything is stored. Then the worker is registered. The
//! start is transactional: it takes effect when the calling transaction commits.

use super::error::is_unknown;
use super::grid;
use super::options::SweepOptions;
use super::points::PointRow;
use super::race::RaceSpec;
use super::restarts;
use super::sweeps::{self, ExistingSweep};
use crate::catalog::node;
use crate::error::{Error, Result, failure};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::process::lock::{self, Starting};
use crate::pg::process::worker::{self, Worker};
use crate::pg::process::{clock, latch};
use crate::pg::server::{self, checkpoint};
use crate::pg::sql::called::Called;
use crate::pg::sql::text::Json;
use crate::pg::sql::{arguments, spi, xact};
use crate::run::caches::{self, Caches};
use crate::service::launch::LeaderLaunch;
use crate::service::preconditions::{
    check_login, check_session, check_slots, check_starter, no_slots,
};
use crate::service::start::{await_start, refuse_two_phase_commit};
use crate::service::starting;
use crate::workload::place::{Here, Place};
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// How long to wait for a sweep that is just ending.
const ENDING_NS: u64 = 1_000_000_000;

/// `pgperf.start_sweep`.
#[pg_extern(sql = false)]
fn start_sweep(fcinfo: pg_sys::FunctionCallInfo) -> Called<i64> {
    Ok(start(arguments::by_name(fcinfo)?, None)?)
}

/// Starts a sweep whose points race.
pub fn race(given: Map<String, Value>, race: RaceSpec) -> Result<i64> {
    start(given, Some(race))
}

fn start(given: Map<String, Value>, race: Option<RaceSpec>) -> Result<i64> {
    check_starter()?;
    let options = SweepOptions::new(given.clone())?;
    let (seed, label) = (options.random_seed, options.label.clone());
    let sweep = options.into_sweep(given, Here.search_path(None), race)?;
    let caller = server::current_role();
    if sweep.spec.checkpoint && !checkpoint::may_request(caller) {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            "permission denied to request checkpoints",
        )
        .hinting("checkpoint => true is for superusers and members of pg_checkpoint."));
    }
    if sweep.spec.restarts.is_some() {
        restarts::check_command()?;
    }
    check_no_other(None)?;
    check_slots(sweep.workers + 1)?;
    refuse_two_phase_commit("sweep");
    let node_id = node::local_node()?;
    let sweep_id = role::as_owner(next_id)?;
    let worker_pid = launch(sweep_id, caller)?;
    let seed = seed.unwrap_or_else(|| i64::from(clock::now() as u32));
    let random = sweep.spec.run_order == "random";
    let restarts = sweep.spec.restarts.as_ref();
    let (points, repetitions) = (sweep.points.len(), sweep.planned);
    let restarts = restarts.map_or(1, |it| points * repetitions / it.runs.max(1) as usize);
    if sweep.spec.restarts.is_some() {
        let cold = |point: &PointRow| {
            point.arguments.get("caches").and_then(Value::as_str) == Some(Caches::Cold.name())
        };
        let for_each = restarts::command().is_some()
            && sweep.points.iter().any(cold)
            && caches::eviction()?.is_err();
        let restarts = if for_each {
            points * repetitions
        } else {
            restarts
        };
        say(PgLogLevel::NOTICE, restarts_notice(sweep_id, restarts));
    }
    let order = grid::order(points, restarts, repetitions, random, seed as u64);
    role::as_owner(|| {
        spi::execute(
            "INSERT INTO pgperf_internal.stored_sweeps (node_id, sweep_id, label, role, repetitions, random_seed, \
                run_order, spec, worker_pid, role_oid) \
             VALUES ($1::pg_catalog.uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                node_id.as_str().into(),
                sweep_id.into(),
                label.into(),
                server::role_name(caller).into(),
                (sweep.repetitions as i32).into(),
                seed.into(),
                order.into(),
                Json(serde_json::to_value(&sweep.spec)?).into(),
                worker_pid.into(),
                caller.into(),
            ],
        )?;
        for point in sweep.points {
            let row = PointRow {
                node_id: node_id.clone(),
                sweep_id,
                ..point
            };
            spi::insert("pgperf_internal.stored_sweep_points", &row)?;
        }
        Ok::<(), Error>(())
    })?;
    starting::stopped_unless_lives(
        Starting::Sweep,
        &node_id,
        sweep_id,
        server::extension_oid()?,
        |_, _| Ok(()),
    );
    Ok(sweep_id)
}

fn restarts_notice(sweep_id: i64, restarts: usize) -> String {
    let restarts = restarts + 1;
    match restarts::command() {
        Some(_) => format!(
            "sweep {sweep_id} restarts the server by pgperf.restart_command, about {restarts} times: all sessions end each time"
        ),
        None => format!(
            "sweep {sweep_id} needs restarts of the server, about {restarts}: each time its status is \"needs restart\", and pgperf.sweeps shows for which settings"
        ),
    }
}

fn next_id() -> Result<i64> {
    #[derive(Deserialize)]
    struct Next {
        sweep_id: i64,
    }
    let next: Option<Next> = spi::select_one(
        "SELECT pgperf_internal.next_number('pgperf_internal.sweep_id_seq') AS sweep_id",
        &[],
    )?;
    Ok(next.ok_or(Error::NotInstalled)?.sweep_id)
}

/// Refuses to run two sweeps at a time: each would disturb the other's measurements. `own`: the sweep that is to go on.
fn check_no_other(own: Option<i64>) -> Result<()> {
    #[derive(Deserialize)]
    struct Running {
        sweep_id: i64,
    }
    let deadline = clock::now() + ENDING_NS;
    while lock::any_sweep_lives() {
        let running: Vec<Running> = role::as_owner(|| {
            spi::select(
                "SELECT sweep_id FROM pgperf_internal.stored_sweeps \
                  WHERE stored_status NOT IN ('finished', 'stopped', 'failed') ORDER BY sweep_id DESC",
                &[],
            )
        })?;
        let living = running
            .iter()
            .find(|sweep| lock::sweep_lives(sweep.sweep_id));
        if living.is_some() || clock::now() > deadline {
            return Err(match living.map(|sweep| sweep.sweep_id) {
                Some(sweep_id) => in_use(format!("sweep {sweep_id} is running in this database")).hinting(format!(
                    "Two at a time would disturb each other. Wait for it, CALL pgperf.wait_sweep({sweep_id}), \
                     or stop it: SELECT pgperf.stop_sweep({sweep_id})"
                )),
                None => in_use("another sweep is being started in this database".to_owned()),
            });
        }
        latch::wait(Duration::from_millis(10));
    }
    match restarts::waiting(false)? {
        Some(waiting) if own != Some(waiting) => Err(in_use(format!(
            "sweep {waiting} waits for a restart of the server"
        ))
        .hinting(format!(
            "Restart the server, or stop the sweep: SELECT pgperf.stop_sweep({waiting})"
        ))),
        _ => Ok(()),
    }
}

fn in_use(message: String) -> Error {
    failure(PgSqlErrorCode::ERRCODE_OBJECT_IN_USE, message)
}

/// Registers the worker, waits until it is alive, and returns its process id.
fn launch(sweep_id: i64, role: Oid) -> Result<i32> {
    let worker = register(sweep_id, role)?;
    await_start(&worker, "the sweep", || lock::sweep_lives(sweep_id))
}

fn register(sweep_id: i64, role: Oid) -> Result<Worker> {
    let launch = LeaderLaunch {
        database: server::database(),
        owner: role::extension_owner(),
        caller: role,
        extension: server::extension_oid()?,
        xid: xact::current_subtransaction_id(),
        run_id: sweep_id,
    };
    let name = format!("pgperf sweep {sweep_id}");
    worker::register(&name, "pgperf sweep", "pgperf_sweep_main", &launch.encode())
        .ok_or_else(|| no_slots(1, 0, worker::slots()))
}

/// `pgperf.resume_sweep`.
#[pg_extern(sql = false)]
fn resume_sweep(sweep_id: Option<i64>) -> Called<bool> {
    Ok(resume(&sweeps::by_id(sweep_id)?)?)
}

/// Continues with the missing runs; false if there are none, or the sweep is already running.
fn resume(sweep: &ExistingSweep) -> Result<bool> {
    #[derive(Deserialize)]
    struct Missing {
        missing: bool,
    }
    // The role's name comes from a row: whoever can write rows must not gain another role's rights.
    sweep.check_control()?;
    check_session("sweep")?;
    if sweep.is_from_elsewhere()? {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "sweep {} cannot be resumed: it ran on another node",
                sweep.sweep_id
            ),
        )
        .hinting("A sweep can be resumed only on the node where it was started."));
    }
    if lock::sweep_lives(sweep.sweep_id) {
        let text = format!(
            "sweep {} still runs, or is being stopped: resume it when it has ended",
            sweep.sweep_id
        );
        say(PgLogLevel::NOTICE, text);
        return Ok(false);
    }
    // Where there is a command, its worker asks for the restart again.
    if sweep.needs_restart() && restarts::command().is_none() {
        if let Some(reason) = restarts::reason(&sweep.node_id, sweep.sweep_id)? {
            say(PgLogLevel::NOTICE, reason);
        }
        return Ok(false);
    }
    let missing: Option<Missing> = role::as_owner(|| {
        spi::select_one(
            "SELECT EXISTS (SELECT FROM pgperf_internal.sweep_plan WHERE node_id = $1::pg_catalog.uuid \
                               AND sweep_id = $2 AND NOT done) AS missing",
            &[sweep.node_id.as_str().into(), sweep.sweep_id.into()],
        )
    })?;
    if sweep.has_ended() && !missing.is_some_and(|missing| missing.missing) {
        return Ok(false);
    }
    check_no_other(Some(sweep.sweep_id))?;
    let role = server::role_named(&sweep.role, sweep.role_oid).ok_or_else(|| {
        failure(
            PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
            format!(
                "role \"{}\" of sweep {} does not exist any more",
                sweep.role, sweep.sweep_id
            ),
        )
    })?;
    check_login(role)?;
    refuse_two_phase_commit("sweep");
    let worker_pid = launch(sweep.sweep_id, role)?;
    role::as_owner(|| {
        spi::execute(
            "UPDATE pgperf_internal.stored_sweeps SET stored_status = 'waiting', worker_pid = $3, ended_at = NULL, \
                sqlstate = NULL, error = NULL, \
                resumed_at = CASE WHEN EXISTS (SELECT FROM pgperf_internal.sweep_restarts w \
                                                WHERE w.node_id = $1::pg_catalog.uuid AND w.sweep_id = $2 AND w.settings IS NOT NULL) \
                                  THEN resumed_at ELSE pg_catalog.clock_timestamp() END \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
            &[
                sweep.node_id.as_str().into(),
                sweep.sweep_id.into(),
                worker_pid.into(),
            ],
        )
    })?;
    let extension = server::extension_oid()?;
    starting::stopped_unless_lives(
        Starting::Sweep,
        &sweep.node_id,
        sweep.sweep_id,
        extension,
        |_, _| Ok(()),
    );
    Ok(true)
}

/// Resumes the newest sweep of this node if it was interrupted because the server ended. A sampler that starts with the
/// server calls this.
pub fn resume_interrupted() -> Result<()> {
    let newest = match sweeps::by_id(None) {
        Err(error) if is_unknown(&error) => return Ok(()),
        found => found?,
    };
    if newest.status == "interrupted" && resume(&newest)? {
        server::log(&format!("pgperf sweep {}: resumed", newest.sweep_id));
    }
    Ok(())
}

/// Goes on with the sweep that has waited for the server's restart, if one has; after a crash that it recovered from, also with one that
/// still has to restart it by the command.
pub fn resume_restarted() -> Result<()> {
    let found = match restarts::waiting(true)? {
        None if restarts::command().is_some() => restarts::waiting(false)?,
        found => found,
    };
    let Some(sweep_id) = found else {
        return restarts::release_guards();
    };
    if resume(&sweeps::by_id(Some(sweep_id))?)? {
        server::log(&format!(
            "pgperf sweep {sweep_id}: resumed after the restart"
        ));
    }
    Ok(())
}
