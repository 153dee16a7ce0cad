//! The interrupts of a session, and when they take effect: cancel, terminate, timeouts, a changed configuration.
//!
//! Within a message they work as in any backend. Between two messages a backend reads from its client. A cancel then has
//! nothing to cancel and is discarded; a terminate ends the backend, and so do the timeouts of idle sessions. A session here
//! is between two messages whenever it executes no statement. Its process may then wait, count, or write to the log.

use super::Session;
use super::recovery::recover;
use super::statement::check_for_interrupts;
use crate::pg::error::{SqlError, caught};
use crate::pg::process::{latch, worker};
use crate::pg::{raw, server};
use pgrx::{PgTryBuilder, pg_sys};
use std::ffi::c_int;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::Duration;

/// The timeout of an idle session that runs; 0: none does.
static IDLE_TIMEOUT: AtomicI32 = AtomicI32::new(0);

/// A message begins: from now on a cancel is its error. One that came before it is discarded.
#[inline]
pub(super) fn begin_message() {
    latch::discard_cancel();
    // SAFETY: a counter of this process.
    unsafe { pg_sys::QueryCancelHoldoffCount = 0 };
}

/// A message has ended, or none has begun yet. An ERROR sets the counter to zero: [`recover`] calls this, too.
#[inline]
pub fn end_message() {
    // SAFETY: as above.
    unsafe { pg_sys::QueryCancelHoldoffCount = 1 };
}

/// Starts statement_timeout, unless it runs: what start_xact_command does.
///
/// # Safety
/// Below the session's guard, in a transaction command.
#[inline]
pub(super) unsafe fn start_statement_timeout() {
    // SAFETY: settings and timeouts of this process.
    unsafe {
        let timeout = pg_sys::StatementTimeout;
        if timeout > 0
            && is_below_transaction_timeout(timeout)
            && !raw::get_timeout_active(raw::STATEMENT_TIMEOUT)
        {
            raw::enable_timeout_after(raw::STATEMENT_TIMEOUT, timeout);
        }
    }
}

/// Stops it. One that has just expired takes effect where interrupts are looked at next, as in a backend.
///
/// # Safety
/// Below the session's guard.
#[inline]
pub(super) unsafe fn stop_statement_timeout() {
    // SAFETY: timeouts of this process.
    unsafe {
        if raw::get_timeout_active(raw::STATEMENT_TIMEOUT) {
            raw::disable_timeout(raw::STATEMENT_TIMEOUT, false);
        }
    }
}

/// Stops the timeout of the idle session.
///
/// # Safety
/// Below the session's guard.
#[inline]
pub(super) unsafe fn stop_idle_timeout() {
    let id = IDLE_TIMEOUT.load(Relaxed);
    if id != 0 {
        IDLE_TIMEOUT.store(0, Relaxed);
        // SAFETY: timeouts of this process.
        unsafe { raw::disable_timeout(id, false) };
    }
}

/// Stops all timeouts after an ERROR.
///
/// # Safety
/// Below a guard.
pub(super) unsafe fn stop_all_timeouts() {
    IDLE_TIMEOUT.store(0, Relaxed);
    // SAFETY: timeouts of this process.
    unsafe { raw::disable_all_timeouts(false) };
}

/// Since 17 the timeout of the transaction takes the place of a longer one.
#[cfg(feature = "since17")]
fn is_below_transaction_timeout(timeout: c_int) -> bool {
    // SAFETY: a setting of this process.
    let of_transaction = unsafe { pg_sys::TransactionTimeout };
    of_transaction == 0 || timeout < of_transaction
}

#[cfg(not(feature = "since17"))]
fn is_below_transaction_timeout(_timeout: c_int) -> bool {
    true
}

/// Runs what a client does between two messages. An ERROR there is nobody's: as in a backend it is logged, and the session goes on
/// without the transaction that it was in.
pub fn between_messages(body: impl FnOnce()) {
    let error = PgTryBuilder::new(AssertUnwindSafe(|| {
        body();
        None
    }))
    .catch_others(|error| Some(caught(&error)))
    .execute();
    if let Some(error) = error {
        recover();
        server::log(&format!(
            "error between two statements of a client: {} ({})",
            error.message, error.sqlstate
        ));
    }
}

/// Waits at most so long, as a client that has nothing to send.
pub fn wait(timeout: Duration) {
    between_messages(|| latch::wait_precisely(timeout));
}

impl Session {
    /// Lets the server handle events that arrived meanwhile: the postmaster's end, terminate, config reload, catalog
    /// invalidation.
    #[inline]
    pub fn idle_checks(&mut self) {
        worker::leave_without_postmaster();
        // SAFETY: flags of this process.
        if unsafe { pg_sys::InterruptPending | pg_sys::ConfigReloadPending } != 0 {
            between_messages(latch::interrupts);
        }
    }

    /// The client waits: the session is idle, within a transaction or not. So others see it, and so its timeouts count it.
    pub fn idle(&mut self) {
        // A pipeline has not told its client yet that the server is ready for more.
        if self.in_pipeline() {
            return;
        }
        let in_transaction = self.in_transaction_block();
        match in_transaction {
            true => latch::report_idle_in_transaction(),
            false => latch::report_idle(),
        }
        // SAFETY: settings of this process.
        let (id, timeout) = unsafe {
            match in_transaction {
                true => (
                    raw::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                    pg_sys::IdleInTransactionSessionTimeout,
                ),
                false => (raw::IDLE_SESSION_TIMEOUT, pg_sys::IdleSessionTimeout),
            }
        };
        let starts = timeout > 0
            && IDLE_TIMEOUT.load(Relaxed) == 0
            && (!in_transaction || is_below_transaction_timeout(timeout));
        // Neither can fail.
        let _ = Session::guard(|| {
            // SAFETY: below the guard. A catalog snapshot would hold back vacuum for as long as the client waits.
            unsafe {
                raw::InvalidateCatalogSnapshotConditionally();
                if starts {
                    IDLE_TIMEOUT.store(id, Relaxed);
                    raw::enable_timeout_after(id, timeout);
                }
            }
            Ok(())
        });
    }

    /// In a loop of a script that may go on for ever without any statement: the postmaster's end, a terminate or a
    /// cancel take effect as within a statement.
    ///
    /// # Errors
    /// That of a cancel, which ends the transaction or fails its block.
    #[inline]
    pub fn interrupts(&mut self) -> Result<(), SqlError> {
        worker::leave_without_postmaster();
        // SAFETY: a flag of this process.
        if unsafe { pg_sys::InterruptPending } == 0 {
            return Ok(());
        }
        Session::guard(|| {
            // SAFETY: below the guard; the cancel that is pending is to be raised.
            unsafe {
                pg_sys::QueryCancelHoldoffCount = 0;
                check_for_interrupts();
            }
            end_message();
            Ok(())
        })
    }
}
