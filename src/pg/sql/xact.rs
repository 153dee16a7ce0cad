//! Transactions of pgperf's workers (not of a client's session): begun, committed and aborted as a whole.

use crate::error::Error;
use crate::pg::error::{SqlError, caught, raise};
use crate::pg::through::through;
use pgrx::PgTryBuilder;
use pgrx::pg_sys;
use std::panic::AssertUnwindSafe;

/// Runs `body` in a transaction with an active snapshot and commits it. After an ERROR the transaction is aborted and
/// the error returned; the worker continues.
pub fn transaction<T>(body: impl FnOnce() -> T) -> Result<T, SqlError> {
    run(true, body)
}

/// The same without a snapshot, for locks and waits: it holds no xmin.
pub fn bare_transaction<T>(body: impl FnOnce() -> T) -> Result<T, SqlError> {
    run(false, body)
}

fn run<T>(snapshot: bool, body: impl FnOnce() -> T) -> Result<T, SqlError> {
    through(body, |body| guarded(snapshot, body))
}

fn guarded(snapshot: bool, body: &mut dyn FnMut()) -> Result<(), SqlError> {
    PgTryBuilder::new(AssertUnwindSafe(|| {
        // SAFETY: a worker outside a transaction; each call is guarded, and an ERROR ends in the
        // branch below.
        unsafe {
            pg_sys::SetCurrentStatementStartTimestamp();
            pg_sys::StartTransactionCommand();
            if snapshot {
                pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
            }
        }
        body();
        // SAFETY: as above.
        unsafe {
            if snapshot {
                pg_sys::PopActiveSnapshot();
            }
            pg_sys::CommitTransactionCommand();
        }
        Ok(())
    }))
    .catch_others(|error| {
        let error = caught(&error);
        // SAFETY: the error's data was copied and flushed; this is the way out of any failed state.
        unsafe {
            pg_sys::InterruptHoldoffCount += 1;
            pg_sys::AbortCurrentTransaction();
            pg_sys::PortalErrorCleanup();
            pg_sys::InterruptHoldoffCount -= 1;
        }
        Err(error)
    })
    .execute()
}

/// Runs `body` in a transaction of a process that is ending (see `worker::before_exit`), whatever it was doing. An ERROR ends it
/// the sooner.
pub fn last_transaction(body: impl FnOnce()) {
    // SAFETY: as the server itself does at a session's end, before it drops temporary tables.
    let aborted = catch(|| unsafe { pg_sys::AbortOutOfAnyTransaction() });
    if aborted.is_ok() {
        // Nobody is left to whom an error could be told; the log has it.
        let _ = bare_transaction(body);
    }
}

/// Runs `body` outside a transaction; an ERROR is returned.
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, SqlError> {
    fn catch(body: &mut dyn FnMut()) -> Result<(), SqlError> {
        PgTryBuilder::new(AssertUnwindSafe(|| {
            body();
            Ok(())
        }))
        .catch_others(|error| Err(caught(&error)))
        .execute()
    }
    through(body, catch)
}

/// Runs `body`; an ERROR with this SQLSTATE is raised as another one.
pub fn with_error_for<T>(sqlstate: &str, other: fn() -> Error, body: impl FnOnce() -> T) -> T {
    PgTryBuilder::new(AssertUnwindSafe(body))
        .catch_others(|error| {
            if caught(&error).sqlstate == sqlstate {
                raise(other());
            }
            error.rethrow()
        })
        .execute()
}

/// The current subtransaction's id; assigns one. A row inserted now carries it.
pub fn current_subtransaction_id() -> u32 {
    // SAFETY: inside a transaction that may write.
    unsafe { pg_sys::GetCurrentTransactionId().into() }
}

/// Whether the caller has begun a transaction block: then what was done may still be undone.
pub fn in_block() -> bool {
    // SAFETY: it reads the state of this process.
    unsafe { pg_sys::IsTransactionBlock() }
}

/// Whether a (sub)transaction belongs to this session's and has not been rolled back.
pub fn is_current(xid: u32) -> bool {
    // SAFETY: state of this process.
    unsafe { pg_sys::TransactionIdIsCurrentTransactionId(pg_sys::TransactionId::from(xid)) }
}

/// Runs `body` with a snapshot of this moment, whatever the transaction's own shows.
pub fn with_latest_snapshot<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: inside a transaction; paired, and an ERROR's abort drops the snapshot.
    unsafe { pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot()) };
    let value = body();
    // SAFETY: as above.
    unsafe { pg_sys::PopActiveSnapshot() };
    value
}

/// The number of transaction ids that the current transaction has taken so far, including its subtransactions'.
pub fn ids_taken() -> u64 {
    let mut children = std::ptr::null_mut();
    // SAFETY: inside a transaction; the array is not looked at.
    unsafe {
        let top = pg_sys::GetTopTransactionIdIfAny() != pg_sys::InvalidTransactionId;
        u64::from(top) + pg_sys::xactGetCommittedChildren(&mut children) as u64
    }
}

/// Drops the catalog snapshot, which would hold the horizon while this session waits.
pub fn release_catalog_snapshot() {
    // SAFETY: the server takes a new one when it needs it.
    unsafe { pg_sys::InvalidateCatalogSnapshot() };
}
