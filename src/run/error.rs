//! Errors of starting, resuming, awaiting or deleting a run.

use crate::error::{Problem, sqlstate_code};
use crate::pg::sql::quote::quote_literal;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum RunError {
    /// A statement before or after a run that the server does not accept.
    #[error("{argument}: {message}")]
    SideStatement {
        argument: &'static str,
        sqlstate: String,
        message: String,
    },

    /// A limit of the run or a setting of the server forbids it.
    #[error("{message}")]
    Forbidden {
        sqlstate: PgSqlErrorCode,
        message: String,
        hint: String,
    },

    /// A load would take the tables away from a run.
    #[error("the tables in schema \"{schema}\" cannot be loaded: run {run_id} works on them")]
    TablesInUse { run_id: i64, schema: String },

    /// A run that still runs cannot be deleted.
    #[error("run {run_id} cannot be deleted: it is {status}")]
    IsActive { run_id: i64, status: String },

    /// A run that belongs to a baseline is not deleted.
    #[error("run {run_id} cannot be deleted: it is part of baseline \"{baseline}\"")]
    InBaseline { run_id: i64, baseline: String },

    /// An interrupted run that cannot be resumed, or one that was not interrupted.
    #[error("run {run_id} cannot be resumed: {reason}")]
    NotResumable {
        run_id: i64,
        sqlstate: PgSqlErrorCode,
        reason: String,
        hint: String,
    },

    /// A run whose clients do not work now, or not by a rate.
    #[error("the rate of run {run_id} cannot be altered: {reason}")]
    NotAlterable {
        run_id: i64,
        reason: String,
        hint: String,
    },

    /// A load that was waited for did not finish.
    #[error("run {run_id} {}{}", match status.as_str() {
        "failed" => "failed",
        "stopped" => "was stopped",
        _ => "was interrupted",
    }, reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    DidNotFinish {
        run_id: i64,
        status: String,
        sqlstate: Option<String>,
        reason: Option<String>,
    },
}

impl Problem for RunError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            RunError::SideStatement { sqlstate, .. } => sqlstate_code(sqlstate),
            RunError::Forbidden { sqlstate, .. } | RunError::NotResumable { sqlstate, .. } => {
                *sqlstate
            }
            RunError::TablesInUse { .. }
            | RunError::IsActive { .. }
            | RunError::InBaseline { .. } => ERRCODE_OBJECT_IN_USE,
            RunError::NotAlterable { .. } => ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            RunError::DidNotFinish { sqlstate, .. } => sqlstate
                .as_deref()
                .map_or(ERRCODE_QUERY_CANCELED, sqlstate_code),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            RunError::Forbidden { hint, .. }
            | RunError::NotResumable { hint, .. }
            | RunError::NotAlterable { hint, .. } => Some(hint.clone()),
            RunError::TablesInUse { run_id, .. } => Some(format!(
                "Wait for it, CALL pgperf.wait_run({run_id}), or stop it: SELECT pgperf.stop_run({run_id})"
            )),
            RunError::IsActive { run_id, .. } => {
                Some(format!("Stop it first: SELECT pgperf.stop_run({run_id})"))
            }
            RunError::InBaseline { baseline, .. } => Some(format!(
                "Drop the baseline first: SELECT pgperf.drop_baseline({})",
                quote_literal(baseline)
            )),
            RunError::SideStatement { .. } | RunError::DidNotFinish { .. } => None,
        }
    }
}
