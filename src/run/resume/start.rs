//! `resume_run`: the checks, and the leader of the next segment. Only one session resumes a run: resuming and
//! stopping first lock its row of `pgperf_internal.resume_points`.

use super::points;
use crate::catalog::error::UnknownRun;
use crate::catalog::node;
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::{Error, Result, failure};
use crate::pg::catalog::role;
use crate::pg::process::lock;
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::text::Text;
use crate::pg::sql::{spi, xact};
use crate::run::client::here;
use crate::run::request::preconditions::check_limits;
use crate::run::request::spec::Spec;
use crate::run::request::start::start_leader;
use crate::service::preconditions::{check_login, check_session, check_slots, may_call};
use crate::service::start::refuse_two_phase_commit;
use crate::workload::run_data;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{self, *};
use pgrx::prelude::*;
use serde::Deserialize;

/// After this many segments in a row without a stored interval, the server does not start another automatically.
const MAX_TRIES: i32 = 3;

/// The party that resumes a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Caller,
    /// The server, when it has started.
    Server,
}

/// `pgperf.resume_run(run_id bigint)`.
#[pg_extern(sql = false)]
fn resume_run(run_id: Option<i64>) -> Called<i64> {
    Ok(resume_controlled(&by_id(run_id)?)?)
}

/// `pgperf.resume_run(run text)`.
#[pg_extern(sql = false)]
fn resume_run_by_name(run: Option<Text>) -> Called<i64> {
    Ok(resume_controlled(&named(run.as_deref())?)?)
}

fn resume_controlled(run: &ExistingRun) -> Result<i64> {
    run.check_control()?;
    resume(run, By::Caller)?;
    Ok(run.run_id)
}

/// The current state of a run.
#[derive(Deserialize)]
struct Latest {
    status: String,
    spec: Spec,
    /// Where it ran last, and the number of futile attempts since; None: it is not resumable.
    place: Option<String>,
    tries: Option<i32>,
    /// The oid of the role that started it; None: it is not known.
    role_oid: Option<u32>,
}

/// Starts the next segment of an interrupted run when the transaction commits.
///
/// # Errors
/// It cannot be resumed, or not now, or not automatically: nothing has begun then.
pub fn resume(run: &ExistingRun, by: By) -> Result<()> {
    check_session("run")?;
    let refuse = |sqlstate, reason: String, hint: &str| {
        Err(not_resumable(run.run_id, sqlstate, reason, hint))
    };
    let state_error = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    if role::as_owner(|| is_from_elsewhere(run))? {
        let hint = "A run can be resumed only on the node where it was started.";
        return refuse(state_error, "it ran on another node".to_owned(), hint);
    }
    role::as_owner(|| lock_point(run))?;
    let latest = role::as_owner(|| xact::with_latest_snapshot(|| read(run)))?;
    match latest.status.as_str() {
        "interrupted" => {}
        status @ ("finished" | "stopped" | "failed") => {
            let hint = "Only an interrupted run can be resumed. Its report ends with the call that starts another run like it.";
            return refuse(state_error, format!("it is {status}"), hint);
        }
        status => {
            let hint = format!("Wait for it: CALL pgperf.wait_run({})", run.run_id);
            return refuse(ERRCODE_OBJECT_IN_USE, format!("it is {status}"), &hint);
        }
    }
    let (Some(place), Some(tries)) = (latest.place, latest.tries) else {
        let hint = "A run stores the data for resuming only if it was started with start_run(..., resume => true).";
        let reason = "it was started without resume => true".to_owned();
        return refuse(state_error, reason, hint);
    };
    let here = node::place();
    if by == By::Server {
        let by_hand = format!(
            "To resume it anyway: SELECT pgperf.resume_run({})",
            run.run_id
        );
        if place != here {
            let reason = format!("it ran on {place}, this is {here}");
            return refuse(state_error, reason, &by_hand);
        }
        if tries >= MAX_TRIES {
            let reason = format!("{tries} attempts in a row have stored no interval");
            return refuse(state_error, reason, &by_hand);
        }
        // The role's name comes from a row: somebody who can write that row must not gain rights by it.
        run.check_control()?;
    }
    for data in &latest.spec.data {
        if let Some(reason) = role::as_owner(|| run_data::change(data))? {
            let hint = "Load the tables as they were, or start another run.";
            return refuse(state_error, reason, hint);
        }
    }
    let role = check_role(run, latest.role_oid)?;
    check_login(role::extension_owner())?;
    check_limits(&latest.spec.limits, latest.spec.duration_s)?;
    if !latest.spec.transport.is_inside() {
        here::check_room(latest.spec.clients)?;
    }
    check_slots(latest.spec.workers())?;
    refuse_two_phase_commit("run");
    let leader_pid = start_leader(run.run_id, role)?;
    role::as_owner(|| {
        spi::execute(
            "UPDATE pgperf_internal.stored_runs SET stored_status = 'waiting', leader_pid = $3, ended_at = NULL, \
                sqlstate = NULL, error = NULL, resumed_at = pg_catalog.clock_timestamp() \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[
                run.node_id.as_str().into(),
                run.run_id.into(),
                leader_pid.into(),
            ],
        )?;
        spi::execute(
            "UPDATE pgperf_internal.resume_points SET place = $3, tries = $4 \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &[
                run.node_id.as_str().into(),
                run.run_id.into(),
                here.into(),
                match by {
                    By::Caller => 0,
                    By::Server => tries + 1,
                }
                .into(),
            ],
        )?;
        // If the run was interrupted after its measured part, its results are stored again.
        for table in [
            "pgperf_internal.run_totals",
            "pgperf.run_scripts",
            "pgperf.run_statements",
            "pgperf.run_errors",
            "pgperf.run_metrics",
            "pgperf.run_relations",
            "pgperf.run_receivers",
        ] {
            spi::execute(
                &format!("DELETE FROM {table} WHERE node_id = $1::pg_catalog.uuid AND run_id = $2"),
                &[run.node_id.as_str().into(), run.run_id.into()],
            )?;
        }
        // Uncounted transactions are not logged either: they are repeated under the same numbers.
        spi::execute(
            "DELETE FROM pgperf.run_transactions t USING pgperf_internal.resume_points p, \
                pg_catalog.jsonb_array_elements(p.state #> '{reading,ended}') WITH ORDINALITY e (ended, client) \
              WHERE p.node_id = $1::pg_catalog.uuid AND p.run_id = $2 \
                AND t.node_id = p.node_id AND t.run_id = p.run_id AND t.client_id = e.client - 1 \
                AND t.transaction_no > e.ended::pg_catalog.int8",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )?;
        Ok(())
    })
}

/// Ends a run that was interrupted and is to be resumed; false if it is not such a run.
pub fn give_up(run: &ExistingRun) -> Result<bool> {
    if server::in_recovery() {
        return Ok(false);
    }
    role::as_owner(|| {
        if !has_point(run)? || !lock_point(run)? || lock::leader_lives(run.run_id) {
            return Ok(false);
        }
        points::forget(&run.node_id, run.run_id)?;
        let stopped = spi::execute(
            "UPDATE pgperf_internal.stored_runs SET stored_status = 'stopped', ended_at = pg_catalog.clock_timestamp() \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 \
                AND stored_status NOT IN ('finished', 'stopped', 'failed')",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )?;
        Ok(stopped > 0)
    })
}

fn read(run: &ExistingRun) -> Result<Latest> {
    let latest = spi::select_one(
        "SELECT r.status, r.spec, p.place, p.tries, p.role_oid::pg_catalog.int8 AS role_oid \
           FROM pgperf.runs r LEFT JOIN pgperf_internal.resume_points p USING (node_id, run_id) \
          WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[run.node_id.as_str().into(), run.run_id.into()],
    )?;
    latest.ok_or_else(|| {
        UnknownRun {
            run: Some(run.run_id.to_string()),
        }
        .into()
    })
}

/// Whether it ran on another node: a document, a dump or pg_upgrade brought it.
fn is_from_elsewhere(run: &ExistingRun) -> Result<bool> {
    if !node::is_local(&run.node_id)? {
        return Ok(true);
    }
    spi::holds(
        "EXISTS (SELECT FROM pgperf_internal.stored_runs \
                  WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 AND origin_node_id IS NOT NULL)",
        &[run.node_id.as_str().into(), run.run_id.into()],
    )
}

fn has_point(run: &ExistingRun) -> Result<bool> {
    spi::holds(
        "EXISTS (SELECT FROM pgperf_internal.resume_points \
                  WHERE node_id = $1::pg_catalog.uuid AND run_id = $2)",
        &[run.node_id.as_str().into(), run.run_id.into()],
    )
}

/// Locks the run's row until the transaction ends; false if there is none.
fn lock_point(run: &ExistingRun) -> Result<bool> {
    let locked = spi::execute(
        "UPDATE pgperf_internal.resume_points SET tries = tries WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
        &[run.node_id.as_str().into(), run.run_id.into()],
    )?;
    Ok(locked > 0)
}

/// The run's role, if it still may do what it did when it started the run.
fn check_role(run: &ExistingRun, oid: Option<u32>) -> Result<Oid> {
    let Some(role) = server::role_named(&run.role, oid) else {
        let reason = format!("its role \"{}\" does not exist any more", run.role);
        let hint = "Another role of that name would run the script of somebody else. Stop it for good with pgperf.stop_run.";
        return Err(not_resumable(
            run.run_id,
            ERRCODE_UNDEFINED_OBJECT,
            reason,
            hint,
        ));
    };
    check_login(role)?;
    if may_call(role, "start_run")? {
        return Ok(role);
    }
    let reason = format!("its role \"{}\" may no longer start runs", run.role);
    let hint = "It needs EXECUTE on pgperf.start_run.";
    Err(not_resumable(
        run.run_id,
        ERRCODE_INSUFFICIENT_PRIVILEGE,
        reason,
        hint,
    ))
}

fn not_resumable(run_id: i64, sqlstate: PgSqlErrorCode, reason: String, hint: &str) -> Error {
    failure(
        sqlstate,
        format!("run {run_id} cannot be resumed: {reason}"),
    )
    .hinting(hint)
}
