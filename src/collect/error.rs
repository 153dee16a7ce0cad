//! The error of a collector that could not run.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

/// With the reason and its SQLSTATE.
#[derive(Debug, Error)]
#[error("collector \"{collector}\" could not run: {reason}")]
pub struct CollectorFailed {
    pub collector: &'static str,
    pub sqlstate: PgSqlErrorCode,
    pub reason: String,
}

impl Problem for CollectorFailed {
    fn sqlstate(&self) -> PgSqlErrorCode {
        self.sqlstate
    }
}
