//! Errors in the choice of a window.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum HistoryError {
    /// `from_time` or `to_time` is infinite.
    #[error("{0} must be finite")]
    Infinite(&'static str),

    /// The name of a run is NULL.
    #[error("{0} must not be NULL")]
    NoName(&'static str),

    /// The window would have no length.
    #[error("from_time must be before to_time")]
    Order,

    /// It has not begun yet.
    #[error("the window begins in the future, at {0}")]
    Future(String),

    /// The other window would not be earlier.
    #[error("back must be above 0")]
    NotBack,

    /// A run that waits.
    #[error("run {0} has no measured part yet")]
    NotBegun(i64),

    /// One that ended before it began, or of which nobody knows when it was.
    #[error("run {0} has no measured part")]
    NeverBegun(i64),
}

impl Problem for HistoryError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            HistoryError::Infinite(_)
            | HistoryError::NoName(_)
            | HistoryError::Order
            | HistoryError::Future(_)
            | HistoryError::NotBack => ERRCODE_INVALID_PARAMETER_VALUE,
            HistoryError::NotBegun(_) | HistoryError::NeverBegun(_) => {
                ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            }
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                HistoryError::Infinite(_) => {
                    "Give times such as '2026-11-22 12:00', or leave both out for the last hour."
                }
                HistoryError::NoName(_) => {
                    "Name a run by its label, number or 'node name/run_id', or give two times."
                }
                HistoryError::Order => {
                    "The window is what lies after from_time, up to to_time. Without to_time it ends now."
                }
                HistoryError::Future(_) => "Samples are of the past: choose an earlier from_time.",
                HistoryError::NotBack => "It is an interval such as '1 day' or '1 week'.",
                HistoryError::NotBegun(_) => {
                    "Wait until its clients have connected; the view pgperf.runs has its status."
                }
                HistoryError::NeverBegun(_) => {
                    "Either it ended before its clients had connected, or it is another program's and was imported without its time: import_results(…, started => …) gives it."
                }
            }
            .to_owned(),
        )
    }
}
