//! Errors in the choice of a window.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum HistoryError {
    /// `from_time` or `to_time` is infinite.
    #[error("{0} must be finite")]
    Infinite(&'static str),

    /// The window would have no length.
    #[error("from_time must be before to_time")]
    Order,

    /// It has not begun yet.
    #[error("the window begins in the future, at {0}")]
    Future(String),

    /// The other window would not be earlier.
    #[error("back must be above 0")]
    NotBack,

    /// A run that waits, or that ended before it began.
    #[error("run {0} has no measured part yet")]
    NotBegun(i64),
}

impl Problem for HistoryError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            HistoryError::Infinite(_)
            | HistoryError::Order
            | HistoryError::Future(_)
            | HistoryError::NotBack => ERRCODE_INVALID_PARAMETER_VALUE,
            HistoryError::NotBegun(_) => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                HistoryError::Infinite(_) => {
                    "Give times such as '2026-11-22 12:00', or leave both out for the last hour."
                }
                HistoryError::Order => {
                    "The window is what lies after from_time, up to to_time. Without to_time it ends now."
                }
                HistoryError::Future(_) => "Samples are of the past: choose an earlier from_time.",
                HistoryError::NotBack => "It is an interval such as '1 day' or '1 week'.",
                HistoryError::NotBegun(_) => {
                    "Wait until its clients have connected; the view pgperf.runs has its status."
                }
            }
            .to_owned(),
        )
    }
}
