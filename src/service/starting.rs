//! Between a start and its commit: the worker waits for the transaction that starts it, and that transaction checks
//! at its end that the worker is still there.

use super::launch::LeaderLaunch;
use super::permission::forbidden;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::error::raise;
use crate::pg::process::lock::{self, Starting};
use crate::pg::process::{clock, latch, worker};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use pgrx::PgXactCallbackEvent;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use std::time::Duration;

/// When a worker looks again: after an eighth of the time that it has waited already, so a run begins at once if the
/// commit follows at once, and a transaction that stays open for hours costs nothing.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(50);

/// Waits for the transaction that starts the leader of a run, or the worker of a sweep; whether it has committed.
/// Also false if the worker has to exit earlier: it was cancelled, load was forbidden, or the database is being
/// dropped.
pub fn await_start(what: Starting, launch: &LeaderLaunch) -> bool {
    let (mut canceled, mut reason) = (false, None);
    let committed = lock::shown_as_starting(what, launch.caller, || {
        await_commit(launch.xid, || {
            canceled |= worker::cancel_requested();
            reason = reason_to_leave(canceled);
            reason.is_none()
        })
    });
    match reason {
        // It came with the commit: the leader of the run obeys it.
        _ if committed && canceled => worker::request_cancel(),
        Some(reason) if !committed => log_leaving(what, launch.run_id, &reason),
        _ => {}
    }
    committed
}

/// Waits for a transaction without a snapshot, for as long as `stays` is true; whether it has committed.
///
/// By polling, since a process that waits for a transaction's lock notices neither a cancel nor a changed setting,
/// nor that the database is being dropped.
pub fn await_commit(xid: u32, mut stays: impl FnMut() -> bool) -> bool {
    let began = clock::now();
    loop {
        // First: a run that has committed in the meantime is not abandoned.
        let stays = stays();
        match xact::bare_transaction(|| lock::has_committed(xid)) {
            Ok(Some(committed)) => return committed,
            Ok(None) if stays => {}
            Ok(None) | Err(_) => return false,
        }
        let waited = Duration::from_nanos(clock::now().saturating_sub(began));
        latch::wait((waited / 8).clamp(SHORTEST, LONGEST));
    }
}

fn reason_to_leave(canceled: bool) -> Option<String> {
    if canceled {
        return Some("it was stopped before it began".to_owned());
    }
    if lock::database_is_being_dropped() {
        return Some("the database is being dropped".to_owned());
    }
    forbidden().map(|reason| reason.message)
}

fn log_leaving(what: Starting, id: i64, reason: &str) {
    let name = match what {
        Starting::Run => "run",
        Starting::Sweep => "sweep",
    };
    server::log(&format!("pgperf {name} {id}: leaving, {reason}"));
}

/// Stops the workers of this database that wait for the transaction that starts them, as far as the caller may:
/// nobody else can see their rows yet. Returns the processes of runs' leaders among them.
pub fn stop_waiting() -> Result<Vec<i32>> {
    #[derive(Deserialize)]
    struct Waiting {
        pid: i32,
        role: u32,
        is_run: bool,
    }
    let waiting: Vec<Waiting> = role::as_owner(|| spi::select(&lock::starting_sql(), &[]))?;
    let mut runs = Vec::new();
    for Waiting { pid, role, is_run } in waiting {
        if server::caller_has_rights_of(Oid::from(role)) {
            worker::signal(pid, worker::CANCEL);
            runs.extend(is_run.then_some(pid));
        }
    }
    Ok(runs)
}

/// Makes the transaction check, just before it commits, that the worker it has started is still there. If not, its
/// row says that it was stopped; otherwise it would show as interrupted, without a reason. `forget` deletes the data
/// that only a continuing one needs.
pub fn stopped_unless_lives(
    what: Starting,
    node_id: &str,
    id: i64,
    extension: Oid,
    forget: fn(&str, i64) -> Result<()>,
) {
    let node_id = node_id.to_owned();
    let xid = xact::current_subtransaction_id();
    pgrx::register_xact_callback(PgXactCallbackEvent::PreCommit, move || {
        let lives = match what {
            Starting::Run => lock::leader_lives(id),
            Starting::Sweep => lock::sweep_lives(id),
        };
        // A rolled back part of the transaction has left no row, and a drop of the extension no rows at all.
        if lives || !xact::is_current(xid) || server::extension_oid().ok() != Some(extension) {
            return;
        }
        let marked = xact::with_latest_snapshot(|| {
            role::as_owner(|| {
                mark(what, &node_id, id)?;
                forget(&node_id, id)
            })
        });
        marked.unwrap_or_else(|error| raise(error));
    });
}

fn mark(what: Starting, node_id: &str, id: i64) -> Result<()> {
    let (table, key) = match what {
        Starting::Run => ("pgperf_internal.stored_runs", "run_id"),
        Starting::Sweep => ("pgperf_internal.stored_sweeps", "sweep_id"),
    };
    let (sqlstate, message) = match forbidden() {
        Some(reason) => (reason.sqlstate, reason.message),
        None => (
            "57014",
            "it was stopped before the transaction that started it committed".to_owned(),
        ),
    };
    spi::execute(
        &format!(
            "UPDATE {table} SET stored_status = 'stopped', ended_at = pg_catalog.clock_timestamp(), \
                sqlstate = $3, error = $4 \
              WHERE node_id = $1::pg_catalog.uuid AND {key} = $2 \
                AND stored_status NOT IN ('finished', 'stopped', 'failed')"
        ),
        &[
            node_id.into(),
            id.into(),
            sqlstate.into(),
            message.as_str().into(),
        ],
    )?;
    Ok(())
}
