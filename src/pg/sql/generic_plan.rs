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
        // SAFETY: within a connection to SPI; EXPLAIN leaves one row with one text, copied at once.
        unsafe {
            let code = pg_sys::SPI_execute(sql.as_ptr(), false, 0);
            if code != pg_sys::SPI_OK_UTILITY as c_int || pg_sys::SPI_processed != 1 {
                return Err(invalid("it has no plan"));
            }
            let rows = pg_sys::SPI_tuptable;
            let value = pg_sys::SPI_getvalue((*rows).vals.read(), (*rows).tupdesc, 1);
            Ok(encoding::from_c(CStr::from_ptr(value)))
        }
    })
}

/// What GENERIC_PLAN does on later servers: without values the planner makes a plan for any. At its start the executor prunes
/// partitions by values, of which there are none, so the plan is made without that: it has all of them.
#[cfg(not(feature = "since16"))]
fn explained(text: &CStr, types: &[u32]) -> Result<String> {
    let types: Vec<pg_sys::Oid> = types.iter().copied().map(pg_sys::Oid::from).collect();
    setting::for_transaction("enable_partition_pruning", "off");
    // SAFETY: trees, plans and the text of EXPLAIN belong to the current memory context, which nobody resets meanwhile; parameters
    // are as many as the text has. The snapshot is popped on the only way out, and by the subtransaction's abort after an ERROR.
    unsafe {
        let tree = (*(*pg_sys::pg_parse_query(text.as_ptr())).elements).ptr_value;
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        let queries = pg_sys::pg_analyze_and_rewrite_fixedparams(
            tree.cast(),
            text.as_ptr(),
            types.as_ptr(),
            types.len() as c_int,
            std::ptr::null_mut(),
        );
        let explain = pg_sys::NewExplainState();
        (*explain).verbose = true;
        (*explain).format = pg_sys::ExplainFormat::EXPLAIN_FORMAT_JSON;
        pg_sys::ExplainBeginOutput(explain);
        let count = if queries.is_null() {
            0
        } else {
            (*queries).length as usize
        };
        for place in 0..count {
            let query = (*(*queries).elements.add(place)).ptr_value;
            let plan = pg_sys::pg_plan_query(
                query.cast(),
                text.as_ptr(),
                pg_sys::CURSOR_OPT_PARALLEL_OK as c_int,
                std::ptr::null_mut(),
            );
            if place > 0 {
                pg_sys::ExplainSeparatePlans(explain);
            }
            pg_sys::ExplainOnePlan(
                plan,
                std::ptr::null_mut(),
                explain,
                text.as_ptr(),
                nulls(&types),
                std::ptr::null_mut(),
                std::ptr::null(),
                std::ptr::null(),
            );
        }
        pg_sys::ExplainEndOutput(explain);
        pg_sys::PopActiveSnapshot();
        Ok(encoding::from_c(CStr::from_ptr((*(*explain).str_).data)))
    }
}

/// A NULL for each parameter.
///
/// # Safety
/// The list belongs to the current memory context.
#[cfg(not(feature = "since16"))]
unsafe fn nulls(types: &[pg_sys::Oid]) -> pg_sys::ParamListInfo {
    // SAFETY: the list has room for as many parameters as it is asked for.
    unsafe {
        let list = pg_sys::makeParamList(types.len() as c_int);
        let parameters = (*list).params.as_mut_slice(types.len());
        for (parameter, oid) in parameters.iter_mut().zip(types) {
            parameter.value = pg_sys::Datum::from(0);
            parameter.isnull = true;
            parameter.pflags = 0;
            parameter.ptype = *oid;
        }
        list
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
