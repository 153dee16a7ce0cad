//! Calls on existing sweeps: stop, delete, wait, and the functions behind the views.

use super::error::is_unknown;
use super::restarts;
use super::sweeps::{self, ExistingSweep};
use crate::catalog::alive::lives_or_ended;
use crate::catalog::runs::ExistingRun;
use crate::error::{Error, Result, failure};
use crate::pg::catalog::role;
use crate::pg::error::say;
use crate::pg::process::{latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::procedure::NonAtomic;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::run;
use crate::service::altered_settings::{self, Changer};
use crate::service::waiting::{Awaited, limit_ns, not_here, wait};
use pgrx::datum::Interval;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::Deserialize;

/// How long a worker may take to leave after the end of its sweep.
const LEAVING_NS: u64 = 10_000_000_000;

/// `pgperf_internal.sweep_alive`: false if the sweep has neither a worker in this database nor an end.
#[pg_extern(sql = false)]
fn sweep_alive(node_id: Text, sweep_id: i64) -> Called<bool> {
    let ended = "SELECT stored_status IN ('finished', 'stopped', 'failed') AS ended \
                   FROM pgperf_internal.stored_sweeps WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2";
    Ok(lives_or_ended(
        lock::sweep_lives(sweep_id),
        ended,
        &node_id,
        sweep_id,
    )?)
}

/// `pgperf.sweep_status`: for the procedure.
#[pg_extern(sql = false)]
fn sweep_status(sweep_id: Option<i64>) -> Called<Text> {
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    Ok(sweep.status.into())
}

/// `pgperf.stop_sweep`.
#[pg_extern(sql = false)]
fn stop_sweep(sweep_id: Option<i64>) -> Called<bool> {
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_control()?;
    Ok(stop(&sweep)?)
}

fn stop(sweep: &ExistingSweep) -> Result<bool> {
    if !lock::sweep_lives(sweep.sweep_id) {
        // Those that it has left after a crash, or for a restart.
        restarts::give_up(&sweep.node_id, sweep.sweep_id)?;
        altered_settings::put_back()?.check(Changer::Sweep(sweep.sweep_id))?;
        restarts::release_guards()?;
    }
    if sweep.has_ended() || sweep.is_from_elsewhere()? {
        return Ok(false);
    }
    if let Some(pid) = sweep
        .worker_pid
        .filter(|_| lock::sweep_lives(sweep.sweep_id))
    {
        worker::signal(pid, worker::CANCEL);
        return Ok(true);
    }
    let changed = role::as_owner(|| {
        spi::execute(
            "UPDATE pgperf_internal.stored_sweeps SET stored_status = 'stopped', ended_at = pg_catalog.clock_timestamp() \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 \
                AND stored_status NOT IN ('finished', 'stopped', 'failed')",
            &[sweep.node_id.as_str().into(), sweep.sweep_id.into()],
        )
    })?;
    Ok(changed > 0)
}

/// `pgperf.stop_all`: stops every run here that the caller may stop. The sweep comes first, so that it does not start
/// the next run.
#[pg_extern(sql = false)]
fn stop_all() -> Called<i32> {
    stop_running()?;
    Ok(run::control::stop_all()?)
}

/// Stops the sweep that runs in this database, if the caller may.
fn stop_running() -> Result<()> {
    if !lock::any_sweep_lives() {
        return Ok(());
    }
    let sweep = match sweeps::by_id(None) {
        Err(error) if is_unknown(&error) => return Ok(()),
        found => found?,
    };
    if sweep.check_control().is_ok() {
        stop(&sweep)?;
    }
    Ok(())
}

/// `pgperf.delete_sweep`.
#[pg_extern(sql = false)]
fn delete_sweep(sweep_id: i64, runs: bool) -> Called<bool> {
    Ok(delete(sweep_id, runs)?)
}

fn delete(sweep_id: i64, runs: bool) -> Result<bool> {
    let sweep = match sweeps::by_id(Some(sweep_id)) {
        Err(error) if is_unknown(&error) => return Ok(false),
        found => found?,
    };
    sweep.check_control()?;
    // Its worker leaves after it has stored the end.
    let is_gone = || !lock::sweep_lives(sweep_id);
    if !(is_gone() || sweep.has_ended() && latch::wait_until(LEAVING_NS, is_gone)) {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_IN_USE,
            format!("sweep {sweep_id} cannot be deleted: it is {}", sweep.status),
        )
        .hinting(format!(
            "Stop it first: SELECT pgperf.stop_sweep({sweep_id})"
        )));
    }
    restarts::give_up(&sweep.node_id, sweep_id)?;
    altered_settings::put_back()?.check(Changer::Sweep(sweep_id))?;
    restarts::release_guards()?;
    let key = || [sweep.node_id.as_str().into(), sweep_id.into()];
    let its_runs: Vec<ExistingRun> = role::as_owner(|| {
        spi::select(
            "SELECT r.node_id, r.run_id, r.role FROM pgperf_internal.sweep_attempts a \
               JOIN pgperf_internal.stored_runs r ON r.node_id = a.node_id AND r.run_id IN (a.run_id, a.load_run_id) \
              WHERE a.node_id = $1::pg_catalog.uuid AND a.sweep_id = $2",
            &key(),
        )
    })?;
    for run in its_runs.iter().filter(|_| runs) {
        run::control::delete(run)?;
    }
    role::as_owner(|| {
        for table in [
            "sweep_restarts",
            "sweep_attempts",
            "stored_sweep_points",
            "stored_sweeps",
        ] {
            spi::execute(
                &format!(
                    "DELETE FROM pgperf_internal.{table} WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2"
                ),
                &key(),
            )?;
        }
        Ok::<_, Error>(())
    })?;
    Ok(true)
}

/// `pgperf_internal.await_sweep`: commits, then waits for a sweep's end without a snapshot.
#[pg_extern(sql = false)]
fn await_sweep(
    sweep_id: Option<i64>,
    timeout: Option<Interval>,
    progress: Option<bool>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let procedure = NonAtomic::check(fcinfo, "pgperf.wait_sweep")?;
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    let progress = progress.unwrap_or_default();
    Ok(await_end(procedure, sweep, timeout, progress, false)?)
}

/// `pgperf_internal.await_own_sweep`: the same of a sweep that the procedure has started, with progress, and Ctrl-C stops it.
#[pg_extern(sql = false)]
fn await_own_sweep(
    sweep_id: Option<i64>,
    called: Option<Text>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let procedure = NonAtomic::check(fcinfo, called.as_deref().unwrap_or_default())?;
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    // A caller who may only see a sweep must not stop it by Ctrl-C.
    sweep.check_control()?;
    Ok(await_end(procedure, sweep, None, true, true)?)
}

fn await_end(
    procedure: NonAtomic,
    sweep: ExistingSweep,
    timeout: Option<Interval>,
    progress: bool,
    stops: bool,
) -> Result<()> {
    if server::in_recovery() && !sweep.has_ended() {
        return Err(not_here("wait for"));
    }
    procedure.commit();
    let mut waiter = Waiter {
        procedure,
        sweep,
        told: 0,
    };
    wait(&mut waiter, limit_ns(timeout), progress, stops)?;
    match waiter.lives() {
        true => Ok(()),
        false => waiter.tell_restart(),
    }
}

struct Waiter {
    procedure: NonAtomic,
    sweep: ExistingSweep,
    /// How many attempts were reported.
    told: i64,
}

impl Waiter {
    /// Why the server has to be restarted, if it has to.
    fn tell_restart(&self) -> Result<()> {
        let reason = (self.procedure)
            .with_snapshot(|| restarts::reason(&self.sweep.node_id, self.sweep.sweep_id))?;
        if let Some(reason) = reason {
            say(PgLogLevel::NOTICE, reason);
        }
        Ok(())
    }
}

impl Awaited for Waiter {
    fn lives(&self) -> bool {
        lock::sweep_lives(self.sweep.sweep_id)
    }

    /// One line for each attempt that has ended since the last time.
    fn tell(&mut self) -> Result<()> {
        #[derive(Deserialize)]
        struct Line {
            line: String,
        }
        let lines: Vec<Line> = self.procedure.with_snapshot(|| {
            role::as_owner(|| {
                spi::select(
                    PROGRESS,
                    &[
                        self.sweep.node_id.as_str().into(),
                        self.sweep.sweep_id.into(),
                        self.told.into(),
                    ],
                )
            })
        })?;
        self.told += lines.len() as i64;
        for Line { line } in lines {
            say(PgLogLevel::INFO, line);
        }
        Ok(())
    }

    fn name(&self) -> (&'static str, i64) {
        ("sweep", self.sweep.sweep_id)
    }

    fn stop(&self) -> Result<()> {
        self.procedure.with_snapshot(|| stop(&self.sweep))?;
        Ok(())
    }
}

/// The attempts that have ended, except the first $3.
const PROGRESS: &str = "SELECT pg_catalog.format('sweep %s: %s of %s runs, run %s: %s: %s%s', \
        s.sweep_id, s.finished, CASE WHEN s.further_runs > 0 THEN 'about ' || (s.runs + s.further_runs) ELSE s.runs::pg_catalog.text END, coalesce(a.run_id::pg_catalog.text, '-'), \
        pg_catalog.concat_ws(', ', nullif(p.combination, ''), 'clients=' || p.clients), \
        CASE WHEN a.outcome = 'finished' THEN pg_catalog.round(r.tps::pg_catalog.numeric, 1) || ' tps' \
             ELSE pg_catalog.concat_ws(': ', a.outcome, a.error) END, \
        ', ' || pg_catalog.to_char(s.eta_s * '1 s'::pg_catalog.interval, 'HH24:MI:SS') || ' left') AS line \
      FROM pgperf.sweeps s \
      JOIN pgperf_internal.sweep_attempts a USING (node_id, sweep_id) \
      JOIN pgperf_internal.stored_sweep_points p USING (node_id, sweep_id, point_no) \
      LEFT JOIN pgperf.run_summary r ON r.node_id = a.node_id AND r.run_id = a.run_id \
     WHERE s.node_id = $1::pg_catalog.uuid AND s.sweep_id = $2 AND a.outcome IS NOT NULL \
     ORDER BY a.ended_at, a.attempt OFFSET $3";
