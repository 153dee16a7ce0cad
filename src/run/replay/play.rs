//! A replay in the worker of its clients.

use super::record;
use super::spec::{ReplaySpec, Size};
use crate::captures;
use crate::error::{Result, failure};
use crate::pg::server;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use replay::{Plan, Score};

/// What is played; within a transaction.
///
/// # Errors
/// The capture is not what it was when the run was started.
pub fn plan(spec: &ReplaySpec, clients: usize) -> Result<Plan> {
    let plan = Plan::new(captures::read(&spec.capture)?, spec.options.clone());
    let is_same = Size::of(&plan) == spec.size && plan.shown == spec.statements;
    if is_same && plan.clients.len() == clients {
        return Ok(plan);
    }
    Err(failure(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        format!("capture \"{}\" is another one now", spec.capture),
    )
    .hinting("It was made anew, or is still under way."))
}

/// Stores what has differed.
pub fn store(run_id: i64, spec: &ReplaySpec, score: &Score) {
    if let Err(error) = record::store(run_id, spec, score) {
        server::log(&format!(
            "pgperf run {run_id}: what its replay has shown could not be stored: {}",
            error.message
        ));
    }
}
