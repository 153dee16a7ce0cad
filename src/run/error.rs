//! Errors of runs that several calls raise.

use crate::error::{Error, failure, sqlstate_code};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;

/// A statement of an argument that the server does not accept.
pub fn refused_statement(argument: &str, sqlstate: &str, message: &str) -> Error {
    failure(sqlstate_code(sqlstate), format!("{argument}: {message}"))
}

/// A run or load that was waited for did not finish.
pub fn did_not_finish(
    run_id: i64,
    status: &str,
    sqlstate: Option<&str>,
    reason: Option<&str>,
) -> Error {
    let what = match status {
        "failed" => "failed",
        "stopped" => "was stopped",
        _ => "was interrupted",
    };
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let sqlstate = sqlstate.map_or(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, sqlstate_code);
    failure(sqlstate, format!("run {run_id} {what}{reason}"))
}
