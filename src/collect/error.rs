//! Reasons why a collector, or a whole sample, cannot be taken.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CollectError {
    /// A collector could not run, with the reason and its SQLSTATE.
    #[error("collector \"{collector}\" could not run: {reason}")]
    Collector {
        collector: &'static str,
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// A sample as a whole could not be taken or stored.
    #[error("{reason}")]
    Sample {
        sqlstate: PgSqlErrorCode,
        reason: String,
    },

    /// A table, or something else that every sample needs, is locked for longer than a sample waits.
    #[error("no sample: another session has locked a table of the history")]
    Locked,

    /// A relation of a kind that has nothing to measure.
    #[error("{message}")]
    WrongObjectType { message: String, hint: String },
}

impl Problem for CollectError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            CollectError::Collector { sqlstate, .. } | CollectError::Sample { sqlstate, .. } => {
                *sqlstate
            }
            CollectError::Locked => PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE,
            CollectError::WrongObjectType { .. } => PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            CollectError::WrongObjectType { hint, .. } => Some(hint.clone()),
            CollectError::Locked => Some(
                "Take it again when that transaction has ended: one that has called pgperf.maintain() or taken the first sample of a day, for example, \
                 or a backup. pg_locks shows who it is."
                    .to_owned(),
            ),
            CollectError::Collector { .. } | CollectError::Sample { .. } => None,
        }
    }
}
