//! The plan that the server would make for a statement of another role, whatever its parameters: EXPLAIN without ANALYZE of a text
//! as pg_stat_statements has it.
//!
//! To plan is to evaluate: constant parts of the statement, and of indexes, constraints and policies of its tables. So it is done as the
//! role that ran the statement, in a security-restricted operation as ANALYZE is, and no function is called that belongs neither to
//! that role nor to a superuser: it would act with that role's rights where the role itself may never have called it.
//! Nothing can be written, and all is rolled back.

use super::analysis::{Analyzed, analyze};
use super::{foreign_code, subxact};
use crate::error::{Result, invalid};
use crate::pg::error::{SqlError, raise};
use crate::pg::process::latch;
use crate::pg::session::setting;
use crate::pg::{encoding, raw};
use pgrx::pg_sys;
use std::ffi::{CStr, c_int};
use std::time::{Duration, Instant};

/// The statements that this makes are not the user's.
const UNCOUNTED: (&str, &str) = ("pg_stat_statements.track", "none");

/// The plan as `EXPLAIN (VERBOSE, FORMAT JSON)` has it, of a text that is one SELECT, INSERT, UPDATE, DELETE or MERGE with parameters in place of
/// constants. `role` is an existing role, `settings` are those of its sessions.
///
/// # Errors
/// Why there is none: the server's own error, or that it took longer than `limit` (57014).
pub fn explain(
    text: &str,
    role: pg_sys::Oid,
    settings: &[(String, String)],
    limit: Duration,
) -> std::result::Result<String, SqlError> {
    let timer = Timer::start(limit);
    let plan = subxact::undone(
        |_| timer.is_over(),
        || {
            // Not where there is no such setting: it would be one from now on.
            if setting::text(UNCOUNTED.0).is_some() {
                setting::impose(UNCOUNTED.0, UNCOUNTED.1);
            }
            become_restricted(role);
            for (name, value) in settings {
                setting::for_transaction(name, value);
            }
            foreign_code::refused(|| planned(text)).unwrap_or_else(|error| raise(error))
        },
    );
    timer.stop();
    plan
}

fn planned(text: &str) -> Result<String> {
    let text = super::spi::c_string(text)?;
    match analyze(&text, &[]) {
        Analyzed::Query { types, .. } => explained(&text, &types),
        Analyzed::TransactionControl | Analyzed::Utility => Err(invalid("it has no plan")),
        Analyzed::NotOne => Err(invalid("it is not one statement")),
    }
}

/// Makes a role the current user, who can change neither itself nor what outlasts the statement. The subtransaction's end undoes it.
fn become_restricted(role: pg_sys::Oid) {
    let (mut user, mut context): (_, c_int) = (pg_sys::InvalidOid, 0);
    // SAFETY: both out-pointers are valid.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
        pg_sys::SetUserIdAndSecContext(
            role,
            context | pg_sys::SECURITY_RESTRICTED_OPERATION as c_int,
        );
    }
}

/// The server plans it for any values.
#[cfg(feature = "since16")]
fn explained(text: &CStr, _types: &[u32]) -> Result<String> {
    let sql = format!(
        "EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {}",
        encoding::from_c(text)
    );
    let sql = super::spi::c_string(&sql)?;
    super::spi::of_session(|_| {
        // SAFETY: within a connection to SPI.
        unsafe { explained_by(pg_sys::SPI_execute(sql.as_ptr(), false, 0)) }
    })
}

/// What GENERIC_PLAN does on later servers: without values the planner makes a plan for any. At its start the executor prunes
/// partitions by values, of which there are none, so the plan is made without that: it has all of them.
#[cfg(not(feature = "since16"))]
fn explained(text: &CStr, types: &[u32]) -> Result<String> {
    let mut types: Vec<pg_sys::Oid> = types.iter().copied().map(pg_sys::Oid::from).collect();
    let sql = format!("EXPLAIN (VERBOSE, FORMAT JSON) {}", encoding::from_c(text));
    let sql = super::spi::c_string(&sql)?;
    setting::for_transaction("enable_partition_pruning", "off");
    super::spi::of_session(|_| {
        // SAFETY: within a connection to SPI, whose memory the statement has; the types are copied, and no values are read where there is no list.
        unsafe {
            let plan = pg_sys::SPI_prepare(sql.as_ptr(), types.len() as c_int, types.as_mut_ptr());
            if plan.is_null() {
                return Err(invalid("it has no plan"));
            }
            explained_by(pg_sys::SPI_execute_plan_with_paramlist(
                plan,
                std::ptr::null_mut(),
                false,
                0,
            ))
        }
    })
}

/// Runs a statement without parameters as a role, in a security-restricted operation, and gives what
/// `EXPLAIN (ANALYZE, TIMING off, BUFFERS, FORMAT JSON)` tells of that. `settings` are those of its sessions; `text` is made with both. All is
/// rolled back; nothing can be written unless `writes`.
///
/// # Errors
/// The server's own, also where it calls a function of another role.
pub fn executed(
    role: pg_sys::Oid,
    settings: &[(&str, &str)],
    writes: bool,
    text: impl FnOnce() -> Result<String>,
) -> std::result::Result<String, SqlError> {
    let run = || {
        if setting::text(UNCOUNTED.0).is_some() {
            setting::impose(UNCOUNTED.0, UNCOUNTED.1);
        }
        become_restricted(role);
        for (name, value) in settings {
            setting::for_transaction(name, value);
        }
        foreign_code::refused(|| run_one(&text()?)).unwrap_or_else(|error| raise(error))
    };
    match writes {
        true => subxact::rolled_back(run),
        false => subxact::undone(|_| false, run),
    }
}

/// A text of several would have all of them run.
fn run_one(text: &str) -> Result<String> {
    match analyze(&super::spi::c_string(text)?, &[]) {
        Analyzed::Query { .. } => {}
        Analyzed::TransactionControl | Analyzed::Utility => return Err(invalid("it has no plan")),
        Analyzed::NotOne => return Err(invalid("it is not one statement")),
    }
    let sql = super::spi::c_string(&format!(
        "EXPLAIN (ANALYZE, TIMING off, BUFFERS, FORMAT JSON) {text}"
    ))?;
    super::spi::of_session(|_| {
        // SAFETY: within a connection to SPI.
        unsafe { explained_by(pg_sys::SPI_execute(sql.as_ptr(), false, 0)) }
    })
}

/// What EXPLAIN has left: one row with one text.
///
/// # Safety
/// It has just been run on this connection to SPI, and this is its outcome.
unsafe fn explained_by(code: c_int) -> Result<String> {
    // SAFETY: as the caller says; the text is copied at once.
    unsafe {
        if code != pg_sys::SPI_OK_UTILITY as c_int || pg_sys::SPI_processed != 1 {
            return Err(invalid("it has no plan"));
        }
        let rows = pg_sys::SPI_tuptable;
        let value = pg_sys::SPI_getvalue((*rows).vals.read(), (*rows).tupdesc, 1);
        Ok(encoding::from_c(CStr::from_ptr(value)))
    }
}

/// The time that planning may take, as statement_timeout has it. A session whose own statement_timeout runs keeps that one.
struct Timer {
    ends_at: Option<Instant>,
}

impl Timer {
    fn start(limit: Duration) -> Timer {
        // SAFETY: timeouts of this process; both functions raise nothing.
        let starts = unsafe { !raw::get_timeout_active(raw::STATEMENT_TIMEOUT) };
        if starts {
            // SAFETY: as above.
            unsafe {
                raw::enable_timeout_after(raw::STATEMENT_TIMEOUT, limit.as_millis() as c_int)
            };
        }
        Timer {
            ends_at: starts.then(|| Instant::now() + limit),
        }
    }

    /// Whether a cancel is its own.
    fn is_over(&self) -> bool {
        self.ends_at.is_some_and(|at| Instant::now() >= at)
    }

    /// Stops it. If it has just expired, there is nothing left to cancel.
    fn stop(self) {
        if self.ends_at.is_none() {
            return;
        }
        // SAFETY: timeouts of this process.
        let expired = unsafe {
            raw::disable_timeout(raw::STATEMENT_TIMEOUT, true);
            raw::get_timeout_indicator(raw::STATEMENT_TIMEOUT, true)
        };
        if expired {
            latch::forget_cancel();
        }
    }
}
