//! The error for a sweep that is not there.

use crate::error::{Error, Problem};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

/// There is no sweep with that id; None: there is no sweep at all.
#[derive(Debug, Error)]
#[error("{}", match .0 {
    Some(sweep_id) => format!("sweep {sweep_id} does not exist"),
    None => "this node has no sweep yet".to_owned(),
})]
pub struct UnknownSweep(pub Option<i64>);

impl Problem for UnknownSweep {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT
    }

    fn hint(&self) -> Option<String> {
        let hint = match self.0 {
            Some(_) => "The view pgperf.sweeps lists them.",
            None => {
                "Start one with SELECT pgperf.start_sweep(...). Name a sweep of another node by its number or label: the view pgperf.sweeps lists them."
            }
        };
        Some(hint.to_owned())
    }
}

/// Whether an error says that there is no such sweep.
pub fn is_unknown(error: &Error) -> bool {
    error.downcast_ref::<UnknownSweep>().is_some()
}
