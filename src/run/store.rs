//! The leader's writes: short transactions that never stand in the way of DROP EXTENSION.

use crate::error::{Error, Result};
use crate::pg::error::SqlError;
use crate::pg::latch;
use crate::pg::lock::{Extension, try_lock_extension};
use crate::pg::xact;
use pgrx::pg_sys::Oid;
use pgrx::pg_sys::panic::ErrorReport;

/// Why something was not stored.
#[derive(Debug)]
pub enum Unstored {
    /// The extension is locked by somebody who drops or alters it: try again later.
    Busy,
    /// The extension is gone: there is nothing left to store to.
    Gone,
    Failed(SqlError),
}

/// Runs `body` in a transaction of its own, after locking the extension as DROP EXTENSION does first, so
/// that the two cannot deadlock. Anything but success leaves nothing stored.
pub fn store<T>(
    extension: Oid,
    body: impl FnOnce() -> Result<T>,
) -> std::result::Result<T, Unstored> {
    let result = xact::transaction(|| match try_lock_extension(extension) {
        Extension::Present => Ok(body().unwrap_or_else(|error| raise(error))),
        Extension::Busy => Err(Unstored::Busy),
        Extension::Gone => Err(Unstored::Gone),
    });
    latch::report_statistics(false);
    latch::report_idle();
    match result {
        Ok(result) => result,
        Err(error) => Err(Unstored::Failed(error)),
    }
}

/// Raises an error of ours as the server's, so that the transaction around it aborts.
pub fn raise(error: Error) -> ! {
    ErrorReport::from(error).report(pgrx::PgLogLevel::ERROR);
    unreachable!("reporting at level ERROR does not return")
}
