//! Errors of comparisons, baselines and expectations.

use crate::error::Problem;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CompareError {
    /// Neither a run nor a baseline.
    #[error("run or baseline \"{0}\" does not exist")]
    UnknownName(String),

    /// Replacing and dropping is for the baseline's role.
    #[error("must be a member of role \"{role}\" to replace or drop baseline \"{name}\"")]
    BaselineNotControllable { name: String, role: String },

    /// The demands of `expect` or `gate` were not met; the lines list all checks.
    #[error("{what} {}", if *total == 0 {
        "has nothing that can be checked".to_owned()
    } else {
        format!("fails {failed} of {total} checks")
    })]
    NotMet {
        what: String,
        failed: usize,
        total: usize,
        lines: Vec<String>,
    },
}

impl Problem for CompareError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        use PgSqlErrorCode::*;
        match self {
            CompareError::UnknownName(_) => ERRCODE_UNDEFINED_OBJECT,
            CompareError::BaselineNotControllable { .. } => ERRCODE_INSUFFICIENT_PRIVILEGE,
            // A handler of OTHERS in PL/pgSQL does not catch it.
            CompareError::NotMet { .. } => ERRCODE_ASSERT_FAILURE,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            CompareError::UnknownName(_) => Some(
                "A run is named by its run_id, its label, or 'node name/run_id' (pgperf.runs), a baseline by its name \
                 (pgperf.baselines)."
                    .to_owned(),
            ),
            _ => None,
        }
    }

    fn detail(&self) -> Option<String> {
        match self {
            CompareError::NotMet { lines, .. } => Some(lines.join("\n")),
            _ => None,
        }
    }
}
