//! `alter_run`: a new rate for a live run, which takes effect at once through its shared memory.

use super::control::leader_pid;
use super::shared::rate::{Asker, RateChange};
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::{Result, failure, invalid};
use crate::pg::catalog::role;
use crate::pg::process::dsm::Segment;
use crate::pg::process::{clock, latch, lock};
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use crate::service::waiting::not_here;
use engine::Rate;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::prelude::*;
use serde::Deserialize;
use std::time::Duration;

/// How often a session looks whether the leader has taken the rate, and how long it waits for that.
const LOOK_INTERVAL: Duration = Duration::from_millis(2);
const PATIENCE_NS: u64 = 10_000_000_000;

/// `pgperf.alter_run(run_id bigint, rate)`.
#[pg_extern(sql = false)]
fn alter_run(run_id: Option<i64>, rate: Option<f64>) -> Called<i64> {
    Ok(alter_controlled(&by_id(run_id)?, rate)?)
}

/// `pgperf.alter_run(run text, rate)`.
#[pg_extern(sql = false)]
fn alter_run_by_name(run: Option<Text>, rate: Option<f64>) -> Called<i64> {
    Ok(alter_controlled(&named(run.as_deref())?, rate)?)
}

fn alter_controlled(run: &ExistingRun, rate: Option<f64>) -> Result<i64> {
    run.check_control()?;
    check_rate(rate)?;
    alter(run, rate)?;
    Ok(run.run_id)
}

/// `pgperf_internal.rate_at`: for the view `progress`.
#[pg_extern(sql = false)]
fn rate_at(rate: Text, seconds: f64) -> Option<f64> {
    // What an import may have brought along is no rate.
    let rate: Rate = serde_json::from_str(&rate).ok()?;
    rate.at(seconds)
}

/// # Errors
/// It is not a positive number.
pub fn check_rate(rate: Option<f64>) -> Result<()> {
    match rate {
        Some(rate) if !(rate > 0.0 && rate.is_finite()) => Err(invalid(format!(
            "rate must be a positive number of transactions per second, not {rate}"
        ))),
        _ => Ok(()),
    }
}

/// Gives a run another rate; None: as fast as its clients go. It takes effect at once, whatever becomes of the transaction.
///
/// # Errors
/// The run's clients do not work now, or have terminals.
pub fn alter(run: &ExistingRun, rate: Option<f64>) -> Result<()> {
    #[derive(Deserialize)]
    struct RunState {
        status: String,
        kind: String,
        terminals: bool,
    }
    if server::in_recovery() {
        return Err(not_here("alter"));
    }
    if !run.is_of_this_server()? {
        return Err(run.elsewhere("alter"));
    }
    let state: Option<RunState> = role::as_owner(|| {
        spi::select_one(
            "SELECT r.status, r.kind, r.spec ->> 'terminals' IS NOT NULL AS terminals FROM pgperf.runs r \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    let refused = |reason: &str, hint: &str| {
        let message = format!("the rate of run {} cannot be altered: {reason}", run.run_id);
        failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            message,
        )
        .hinting(hint)
    };
    let Some(state) = state else {
        return Err(refused("it was deleted", "pgperf.runs lists the runs."));
    };
    if state.kind == "load" {
        return Err(refused(
            "a load has no rate",
            "Loads go as fast as they can.",
        ));
    }
    if state.terminals {
        let hint = "The number of terminals decides how many transactions come; start another run.";
        return Err(refused("its terminals have schedules of their own", hint));
    }
    let not_working = |status: &str| {
        let hint = match status {
            "waiting" | "preparing" => "Wait until its clients work: status warming up or running.",
            _ => {
                "Only a run that goes on has a rate to change; start another one with start_run(rate => ...)."
            }
        };
        refused(&format!("it is {status}"), hint)
    };
    if !matches!(state.status.as_str(), "warming up" | "running") {
        return Err(not_working(&state.status));
    }
    let answer = match segment(run.run_id)? {
        Some(handle) => Segment::visit(handle, |words| {
            Asker::new(words, run.run_id).map(|asker| ask(asker, run.run_id, rate))
        })
        .flatten(),
        None => None,
    };
    match answer {
        Some(RateChange::Taken) => Ok(()),
        Some(RateChange::None) if lock::leader_lives(run.run_id) => Err(refused(
            "its leader does not answer",
            "Call it again; the server log may say what the leader is doing.",
        )),
        _ => Err(not_working("ending")),
    }
}

/// The handle of the run's segment; None: it has none, or no more.
fn segment(run_id: i64) -> Result<Option<u32>> {
    #[derive(Deserialize)]
    struct Shown {
        handle: i64,
    }
    role::as_owner(|| {
        let Some(pid) = leader_pid(run_id)? else {
            return Ok(None);
        };
        let shown: Option<Shown> = spi::select_one(&lock::segment_sql(), &[pid.into()])?;
        Ok(shown.and_then(|shown| u32::try_from(shown.handle).ok()))
    })
}

/// Leaves the rate for the leader, and waits until it has taken it.
fn ask(mut asker: Asker, run_id: i64, rate: Option<f64>) -> RateChange {
    latch::wake(asker.ask(rate));
    let deadline = clock::now() + PATIENCE_NS;
    loop {
        match asker.answer() {
            RateChange::None if clock::now() < deadline && lock::leader_lives(run_id) => {
                latch::pause(LOOK_INTERVAL);
                latch::interrupts();
            }
            answer => return answer,
        }
    }
}
