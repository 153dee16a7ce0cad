//! The error for a run that is not there.

use crate::error::{Error, Problem};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;

/// No run of that id, label or `node name/run_id`; None: there is none at all.
#[derive(Debug, thiserror::Error)]
#[error("{}", match run {
    Some(run) => format!("run {run} does not exist"),
    None => "this node has no run yet".to_owned(),
})]
pub struct UnknownRun {
    pub run: Option<String>,
}

impl Problem for UnknownRun {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
    }

    fn hint(&self) -> Option<String> {
        let hint = match self.run {
            Some(_) => {
                "A run is named by its run_id, its label, or 'node name/run_id'; the view pgperf.runs lists them."
            }
            None => {
                "Start one with SELECT pgperf.start_run(...) or CALL pgperf.run(...). Name a run of another node by its number or label: the view pgperf.runs lists them."
            }
        };
        Some(hint.to_owned())
    }
}

/// Whether an error says that there is no such run.
pub fn is_unknown_run(error: &Error) -> bool {
    error.downcast_ref::<UnknownRun>().is_some()
}
