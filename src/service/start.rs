//! Starting a worker from a transaction: it is waited for, and the transaction cannot be prepared.

use crate::error::{Error, Result, failure, unsupported};
use crate::pg::process::worker::{Worker, WorkerStatus};
use crate::pg::process::{clock, latch};
use pgrx::PgLogLevel;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use std::time::Duration;

/// How long a worker may take to start; it takes a few milliseconds.
const WORKER_START_NS: u64 = 30_000_000_000;

/// Waits until a worker shows that it is alive; returns its process id.
pub fn await_start(worker: &Worker, what: &'static str, lives: impl Fn() -> bool) -> Result<i32> {
    let deadline = clock::now() + WORKER_START_NS;
    loop {
        let status = worker.status();
        if let WorkerStatus::Running(pid) = status
            && lives()
        {
            return Ok(pid);
        }
        let ended = matches!(status, WorkerStatus::Stopped | WorkerStatus::PostmasterDied);
        if ended || clock::now() > deadline {
            worker.terminate();
            return Err(did_not_start(what));
        }
        latch::wait(Duration::from_millis(2));
    }
}

/// A worker ended or hung before it had the lock that shows that it is alive.
pub fn did_not_start(what: &str) -> Error {
    failure(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_RESOURCES,
        format!("{what} could not start"),
    )
    .hinting("See the server log for the reason.")
}

/// A prepared transaction would keep the worker waiting, and its slot taken, for days.
pub fn refuse_two_phase_commit(what: &'static str) {
    pgrx::register_xact_callback(pgrx::PgXactCallbackEvent::PrePrepare, move || {
        ErrorReport::from(
            unsupported(format!(
                "cannot PREPARE a transaction that has started a pgperf {what}"
            ))
            .hinting(format!(
                "Commit it instead: the {what} starts at the commit."
            )),
        )
        .report(PgLogLevel::ERROR);
    });
}
