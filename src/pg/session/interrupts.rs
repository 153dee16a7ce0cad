//! What may arrive at a session that runs no statement: the postmaster's end, terminate, cancel, a changed configuration.

use super::Session;
use super::statement::check_for_interrupts;
use crate::pg::error::SqlError;
use crate::pg::process::{latch, worker};
use pgrx::pg_sys;

impl Session {
    /// Lets the server handle events that arrived meanwhile: the postmaster's end, terminate, config reload, catalog
    /// invalidation.
    pub fn idle_checks(&mut self) {
        latch::idle_interrupts();
        // SAFETY: flags of this process.
        unsafe {
            if pg_sys::ConfigReloadPending != 0 {
                pg_sys::ConfigReloadPending = 0;
                pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP);
            }
        }
    }

    /// Between two statements of a script that may go on for ever without any: the postmaster's end, a terminate or a
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
            // SAFETY: below the guard.
            unsafe { check_for_interrupts() };
            Ok(())
        })
    }
}
