//! Errors in the choice of a run or node, and missing rights of the caller.

use crate::error::{Error, Problem};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CatalogError {
    /// No run of that id, label or `node name/run_id`; None: there is none at all.
    #[error("{}", match run {
        Some(run) => format!("run {run} does not exist"),
        None => "this node has no run yet".to_owned(),
    })]
    UnknownRun { run: Option<String> },

    /// The caller has neither the privileges of the run's role nor those of pg_monitor.
    #[error("permission denied for run {run_id}")]
    RunNotVisible { run_id: i64, role: String },

    /// Stopping and deleting is for the run's role.
    #[error("must be a member of role \"{role}\" to control run {run_id}")]
    RunNotControllable { run_id: i64, role: String },

    /// Another node has this name.
    #[error("another node is named \"{0}\"")]
    NodeNameTaken(String),
}

impl Problem for CatalogError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            CatalogError::UnknownRun { .. } => ERRCODE_UNDEFINED_OBJECT,
            CatalogError::RunNotVisible { .. } | CatalogError::RunNotControllable { .. } => {
                ERRCODE_INSUFFICIENT_PRIVILEGE
            }
            CatalogError::NodeNameTaken(_) => ERRCODE_DUPLICATE_OBJECT,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            CatalogError::UnknownRun { run: Some(_) } => {
                "A run is named by its run_id, its label, or 'node name/run_id'; the view pgperf.runs lists them.".to_owned()
            }
            CatalogError::UnknownRun { run: None } => {
                "Start one with SELECT pgperf.start_run(...) or CALL pgperf.run(...). Name a run of another node by its number or label: the view pgperf.runs lists them.".to_owned()
            }
            CatalogError::RunNotVisible { role, .. } => {
                format!("It runs as role \"{role}\": members of that role and of pg_monitor can see it.")
            }
            CatalogError::NodeNameTaken(_) => {
                "Choose another name, or rename that node; pgperf.nodes lists them all.".to_owned()
            }
            CatalogError::RunNotControllable { .. } => return None,
        };
        Some(hint)
    }
}

/// Whether an error says that there is no such run.
pub fn is_unknown_run(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(CatalogError::UnknownRun { .. }))
}
