//! Calls on existing runs: stop, delete, wait, and functions for views.

use super::error::did_not_finish;
use super::{progress, resume};
use crate::catalog::error::{UnknownRun, is_unknown_run};
use crate::catalog::node;
use crate::catalog::runs::{ExistingRun, by_id, by_name, hold, named};
use crate::error::{Result, failure};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::process::{lock, worker};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::procedure::NonAtomic;
use crate::pg::sql::quote::quote_literal;
use crate::pg::sql::text::Text;
use crate::pg::sql::{spi, xact};
use crate::service::altered_settings::{self, Changer};
use crate::service::starting;
use crate::service::waiting::{Awaited, limit_ns, not_here, wait};
use pgrx::datum::Interval;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct RunStatus {
    status: String,
}

impl RunStatus {
    fn has_ended(&self) -> bool {
        matches!(self.status.as_str(), "finished" | "stopped" | "failed")
    }
}

/// The run's status as `pgperf.runs` shows it.
fn state(run: &ExistingRun) -> Result<RunStatus> {
    let state = role::as_owner(|| {
        spi::select_one(
            "SELECT r.status FROM pgperf.runs r \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    state.ok_or_else(|| {
        UnknownRun {
            run: Some(run.run_id.to_string()),
        }
        .into()
    })
}

/// The run's status as `pgperf.runs` shows it.
pub fn status(run: &ExistingRun) -> Result<String> {
    Ok(state(run)?.status)
}

/// `pgperf.stop_run(run_id bigint)`.
#[pg_extern(sql = false)]
fn stop_run(run_id: Option<i64>) -> Called<bool> {
    Ok(stop_controlled(&by_id(run_id)?)?)
}

/// `pgperf.stop_run(run text)`.
#[pg_extern(sql = false)]
fn stop_run_by_name(run: Option<Text>) -> Called<bool> {
    Ok(stop_controlled(&named(run.as_deref())?)?)
}

fn stop_controlled(run: &ExistingRun) -> Result<bool> {
    run.check_control()?;
    stop(run)
}

/// Fails if the run may be under way where this server cannot reach it: on the primary of this standby, or on another node.
fn check_reachable(run: &ExistingRun, what: &str) -> Result<()> {
    let is_here = run.is_of_this_server()?;
    if is_here && !server::in_recovery() || state(run)?.has_ended() {
        return Ok(());
    }
    Err(match is_here {
        true => not_here(what),
        false => run.elsewhere(what),
    })
}

/// Stops a run as `stop_run` does.
pub fn stop(run: &ExistingRun) -> Result<bool> {
    check_reachable(run, "stop")?;
    if !run.is_of_this_server()? {
        return Ok(false);
    }
    if !lock::leader_lives(run.run_id) {
        // Those that it has left after a crash.
        altered_settings::put_back_left_behind()?.check(Changer::Run(run.run_id))?;
        if resume::start::give_up(run)? {
            return Ok(true);
        }
    }
    let leader = role::as_owner(|| leader_pid(run.run_id))?;
    if let Some(pid) = leader {
        worker::signal(pid, worker::CANCEL);
    }
    Ok(leader.is_some())
}

/// The process of a run's leader, read as the extension's owner; None: it has none, or no more.
pub fn leader_pid(run_id: i64) -> Result<Option<i32>> {
    #[derive(Deserialize)]
    struct Leader {
        pid: i32,
    }
    let leader: Option<Leader> = spi::select_one(&lock::leader_pid_sql(), &[run_id.into()])?;
    Ok(leader.map(|leader| leader.pid))
}

/// `pgperf.delete_run(run_id bigint)`.
#[pg_extern(sql = false)]
fn delete_run(run_id: i64) -> Called<bool> {
    Ok(delete_found(by_id(Some(run_id)))?)
}

/// `pgperf.delete_run(run text)`.
#[pg_extern(sql = false)]
fn delete_run_by_name(run: Text) -> Called<bool> {
    Ok(delete_found(by_name(&run))?)
}

/// False if there is none.
fn delete_found(run: Result<ExistingRun>) -> Result<bool> {
    match run {
        Err(error) if is_unknown_run(&error) => Ok(false),
        run => {
            delete(&run?)?;
            Ok(true)
        }
    }
}

/// Removes a run that has ended, with all its rows and samples.
pub fn delete(run: &ExistingRun) -> Result<()> {
    run.check_control()?;
    let run_id = run.run_id;
    let state = state(run)?;
    if !matches!(
        state.status.as_str(),
        "finished" | "stopped" | "failed" | "interrupted"
    ) {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
            format!("run {run_id} cannot be deleted: it is {}", state.status),
        )
        .hinting(format!("Stop it first: SELECT pgperf.stop_run({run_id})")));
    }
    if run.is_of_this_server()? {
        altered_settings::put_back_left_behind()?.check(Changer::Run(run_id))?;
    }
    lock_for_deletion(run)?;
    check_in_no_baseline(run)?;
    role::as_owner(|| {
        spi::execute(
            "SELECT pgperf_internal.note_gone($1::pg_catalog.uuid, $2, true)",
            &[run.node_id.as_str().into(), run_id.into()],
        )?;
        spi::execute(
            "SELECT pgperf_internal.remove_run($1::pg_catalog.uuid, $2)",
            &[run.node_id.as_str().into(), run_id.into()],
        )
    })?;
    Ok(())
}

/// Keeps others from resuming the run, pinning it, or making it part of a baseline. It locks in the same order as
/// resuming.
fn lock_for_deletion(run: &ExistingRun) -> Result<()> {
    for table in ["resume_points", "stored_runs"] {
        role::as_owner(|| {
            spi::execute(
                &format!(
                    "SELECT 1 FROM pgperf_internal.{table} \
                      WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 FOR UPDATE"
                ),
                &[run.node_id.as_str().into(), run.run_id.into()],
            )
        })?;
    }
    Ok(())
}

fn check_in_no_baseline(run: &ExistingRun) -> Result<()> {
    #[derive(Deserialize)]
    struct Baseline {
        name: String,
    }
    let baseline: Option<Baseline> = role::as_owner(|| {
        spi::select_one(
            "SELECT b.name FROM pgperf.baselines b \
              WHERE b.node_id = $1::pg_catalog.uuid AND b.run_id = $2 ORDER BY b.name LIMIT 1",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    match baseline {
        None => Ok(()),
        Some(Baseline { name }) => Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
            format!(
                "run {} cannot be deleted: it is part of baseline \"{name}\"",
                run.run_id
            ),
        )
        .hinting(format!(
            "Drop the baseline first: SELECT pgperf.drop_baseline({})",
            quote_literal(&name)
        ))),
    }
}

/// `pgperf.pin_run(run_id bigint)`.
#[pg_extern(sql = false)]
fn pin_run(run_id: i64, pinned: bool) -> Called<bool> {
    Ok(pin(&by_id(Some(run_id))?, pinned)?)
}

/// `pgperf.pin_run(run text)`.
#[pg_extern(sql = false)]
fn pin_run_by_name(run: Text, pinned: bool) -> Called<bool> {
    Ok(pin(&by_name(&run)?, pinned)?)
}

/// Keeps a run's samples from `pgperf.maintain`, or no longer; false if that was so already.
fn pin(run: &ExistingRun, pinned: bool) -> Result<bool> {
    run.check_control()?;
    let sql = if pinned {
        "INSERT INTO pgperf_internal.pinned_runs (node_id, run_id) VALUES ($1::pg_catalog.uuid, $2) \
         ON CONFLICT DO NOTHING"
    } else {
        "DELETE FROM pgperf_internal.pinned_runs WHERE node_id = $1::pg_catalog.uuid AND run_id = $2"
    };
    hold(run)?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let changed = role::as_owner(|| spi::execute(sql, &key))?;
    Ok(changed > 0)
}

/// `pgperf.run_status(run_id bigint)`.
#[pg_extern(sql = false)]
fn run_status(run_id: Option<i64>) -> Called<Text> {
    Ok(visible_status(&by_id(run_id)?)?)
}

/// `pgperf.run_status(run text)`.
#[pg_extern(sql = false)]
fn run_status_by_name(run: Option<Text>) -> Called<Text> {
    Ok(visible_status(&named(run.as_deref())?)?)
}

fn visible_status(run: &ExistingRun) -> Result<Text> {
    run.check_visible()?;
    Ok(status(run)?.into())
}

/// `pgperf_internal.require_top_level`: a procedure that will wait checks this before it starts anything.
#[pg_extern(sql = false)]
fn require_top_level(
    call: Option<Text>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<(), ErrorReport> {
    NonAtomic::check(fcinfo, call.as_deref().unwrap_or("this procedure"))?;
    Ok(())
}

/// `pgperf_internal.await_run`: commits, then waits for a run's end without a snapshot. With `stops`, Ctrl-C stops
/// the run instead of leaving it alone.
#[pg_extern(sql = false)]
fn await_run(
    run_id: Option<i64>,
    timeout: Option<Interval>,
    progress: Option<bool>,
    stops: Option<bool>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<(), ErrorReport> {
    let stops = stops.unwrap_or(false);
    let call = if stops {
        "pgperf.run"
    } else {
        "pgperf.wait_run"
    };
    let procedure = NonAtomic::check(fcinfo, call)?;
    let run = by_id(run_id)?;
    // A caller who may only see a run must not stop it by Ctrl-C either.
    if stops {
        run.check_control()?;
    }
    Ok(await_end(procedure, run, timeout, progress, stops)?)
}

/// `pgperf_internal.await_run(run text, …)`: the same for `wait_run`.
#[pg_extern(sql = false)]
fn await_run_by_name(
    run: Option<Text>,
    timeout: Option<Interval>,
    progress: Option<bool>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let procedure = NonAtomic::check(fcinfo, "pgperf.wait_run")?;
    let run = named(run.as_deref())?;
    Ok(await_end(procedure, run, timeout, progress, false)?)
}

fn await_end(
    procedure: NonAtomic,
    run: ExistingRun,
    timeout: Option<Interval>,
    progress: Option<bool>,
    stops: bool,
) -> Result<()> {
    run.check_visible()?;
    check_reachable(&run, "wait for")?;
    procedure.commit();
    let mut waiter = Waiter {
        procedure,
        run,
        next_interval: 0,
        last_look: None,
    };
    wait(
        &mut waiter,
        limit_ns(timeout),
        progress.unwrap_or_default(),
        stops,
    )
}

struct Waiter {
    procedure: NonAtomic,
    run: ExistingRun,
    next_interval: i32,
    /// When the receivers were looked at that were shown last.
    last_look: Option<String>,
}

impl Awaited for Waiter {
    fn lives(&self) -> bool {
        lock::leader_lives(self.run.run_id)
    }

    fn name(&self) -> (&'static str, i64) {
        ("run", self.run.run_id)
    }

    fn stop(&self) -> Result<()> {
        self.procedure.with_snapshot(|| stop(&self.run))?;
        Ok(())
    }

    /// One line for each interval since the last time, then one for each look at the receivers.
    fn tell(&mut self) -> Result<()> {
        let (node_id, run_id, from) = (&self.run.node_id, self.run.run_id, self.next_interval);
        let after = self.last_look.as_deref();
        let (lines, looks) = self.procedure.with_snapshot(|| {
            role::as_owner(|| -> Result<_> {
                let lines = progress::lines(node_id, run_id, from)?;
                Ok((lines, progress::drain_looks(node_id, run_id, after)?))
            })
        })?;
        self.next_interval += lines.len() as i32;
        for line in lines {
            say(PgLogLevel::INFO, line);
        }
        for look in looks {
            say(PgLogLevel::INFO, look.line());
            self.last_look = Some(look.taken_at);
        }
        Ok(())
    }
}

/// `pgperf_internal.require_finished`.
#[pg_extern(sql = false)]
fn require_finished(run_id: Option<i64>) -> std::result::Result<(), ErrorReport> {
    let run = by_id(run_id)?;
    run.check_visible()?;
    Ok(check_finished(&run)?)
}

/// Fails unless the run has finished, with its own error if it has one.
pub fn check_finished(run: &ExistingRun) -> Result<()> {
    #[derive(Deserialize)]
    struct Ending {
        sqlstate: Option<String>,
        error: Option<String>,
    }
    let status = state(run)?.status;
    if status == "finished" {
        return Ok(());
    }
    let ending: Option<Ending> = role::as_owner(|| {
        spi::select_one(
            "SELECT sqlstate, error FROM pgperf_internal.stored_runs \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    let (sqlstate, reason) = ending.map_or((None, None), |e| (e.sqlstate, e.error));
    let (sqlstate, reason) = (sqlstate.as_deref(), reason.as_deref());
    Err(did_not_finish(run.run_id, &status, sqlstate, reason))
}

/// Stops every run here that the caller may stop, and returns how many.
pub fn stop_all() -> Result<i32> {
    #[derive(Deserialize)]
    struct Unfinished {
        run_id: i64,
        leader_pid: Option<i32>,
    }
    let waiting = starting::stop_waiting()?;
    let node_id = node::local_node()?;
    // A worker no longer seen waiting has committed, perhaps after the caller's snapshot was taken.
    let runs: Vec<Unfinished> = xact::with_latest_snapshot(|| {
        role::as_owner(|| {
            spi::select(
                "SELECT run_id, leader_pid FROM pgperf_internal.stored_runs \
                  WHERE node_id = $1::pg_catalog.uuid \
                    AND stored_status NOT IN ('finished', 'stopped', 'failed')",
                &[node_id.into()],
            )
        })
    })?;
    let mut stopped = waiting.len() as i32;
    for Unfinished { run_id, leader_pid } in runs {
        // Counted already: this transaction itself has started the run.
        if leader_pid.is_some_and(|pid| waiting.contains(&pid)) {
            continue;
        }
        let run = xact::with_latest_snapshot(|| by_id(Some(run_id)))?;
        if run.check_control().is_ok() && stop(&run)? {
            stopped += 1;
        }
    }
    Ok(stopped)
}
