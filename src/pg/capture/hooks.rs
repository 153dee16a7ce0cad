//! The server's hooks and callbacks. An ERROR of the server jumps over the functions here, so none of them owns anything while it calls
//! the server.
//!
//! A statement is at top level if a client's portal is active and nothing else is being executed: what functions, triggers, deferred
//! constraints and the planner execute is part of it.

use super::{control, session};
use crate::pg::raw;
use pgrx::{PgLogLevel, pg_sys};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// What was there before, to be called in the server's stead.
struct Before {
    start: pg_sys::ExecutorStart_hook_type,
    run: pg_sys::ExecutorRun_hook_type,
    finish: pg_sys::ExecutorFinish_hook_type,
    end: pg_sys::ExecutorEnd_hook_type,
    utility: pg_sys::ProcessUtility_hook_type,
    log: pg_sys::emit_log_hook_type,
}

static mut BEFORE: Before = Before {
    start: None,
    run: None,
    finish: None,
    end: None,
    utility: None,
    log: None,
};

/// The depth of subtransactions at which a statement is being executed; 0: none is.
static EXECUTING: AtomicI32 = AtomicI32::new(0);

/// While the server loads its libraries; its processes inherit all of it.
pub fn install() {
    // SAFETY: variables of a process with one thread, for functions of this library, which stays loaded.
    unsafe {
        BEFORE = Before {
            start: pg_sys::ExecutorStart_hook,
            run: pg_sys::ExecutorRun_hook,
            finish: pg_sys::ExecutorFinish_hook,
            end: pg_sys::ExecutorEnd_hook,
            utility: pg_sys::ProcessUtility_hook,
            log: pg_sys::emit_log_hook,
        };
        pg_sys::ExecutorStart_hook = Some(start);
        pg_sys::ExecutorRun_hook = Some(run);
        pg_sys::ExecutorFinish_hook = Some(finish);
        pg_sys::ExecutorEnd_hook = Some(end);
        pg_sys::ProcessUtility_hook = Some(utility);
        pg_sys::emit_log_hook = Some(logged);
        pg_sys::RegisterXactCallback(Some(transaction), std::ptr::null_mut());
        pg_sys::RegisterSubXactCallback(Some(subtransaction), std::ptr::null_mut());
    }
}

/// Whether this process is a client's session, and a capture is under way.
#[inline]
fn watching() -> bool {
    // SAFETY: a variable of this process.
    control::number() != 0 && unsafe { pg_sys::MyBackendType } == pg_sys::BackendType::B_BACKEND
}

/// Whether what is about to be executed is a client's statement itself.
#[inline]
fn at_top_level() -> bool {
    // SAFETY: a variable of this process.
    EXECUTING.load(Relaxed) == 0 && unsafe { !pg_sys::ActivePortal.is_null() }
}

/// Something is being executed from now on. Whether nothing was before; then it has to be told when that is over.
#[inline]
fn enter() -> bool {
    let is_outermost = EXECUTING.load(Relaxed) == 0;
    if is_outermost {
        // SAFETY: reads the state of this process.
        EXECUTING.store(unsafe { raw::GetCurrentTransactionNestLevel() }, Relaxed);
    }
    is_outermost
}

#[inline]
fn leave(is_outermost: bool) {
    if is_outermost {
        EXECUTING.store(0, Relaxed);
    }
}

unsafe extern "C-unwind" fn start(query: *mut pg_sys::QueryDesc, flags: c_int) {
    // SAFETY: called by the server with a query that it is to start, or by a session of this library.
    unsafe {
        if watching() && at_top_level() {
            session::start(query);
        }
        let is_outermost = enter();
        match BEFORE.start {
            Some(before) => before(query, flags),
            None => raw::standard_ExecutorStart(query, flags),
        }
        leave(is_outermost);
    }
}

unsafe extern "C-unwind" fn run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
    #[cfg(not(feature = "since18"))] once: bool,
) {
    // SAFETY: called by the server with a query that was started.
    unsafe {
        let is_outermost = enter();
        match BEFORE.run {
            Some(before) => before(
                query,
                direction,
                count,
                #[cfg(not(feature = "since18"))]
                once,
            ),
            None => raw::standard_ExecutorRun(
                query,
                direction,
                count,
                #[cfg(not(feature = "since18"))]
                once,
            ),
        }
        leave(is_outermost);
        if is_outermost && watching() {
            session::ran(query);
        }
    }
}

unsafe extern "C-unwind" fn finish(query: *mut pg_sys::QueryDesc) {
    // SAFETY: as above.
    unsafe {
        let is_outermost = enter();
        match BEFORE.finish {
            Some(before) => before(query),
            None => raw::standard_ExecutorFinish(query),
        }
        leave(is_outermost);
        if is_outermost && watching() {
            session::finished(query);
        }
    }
}

unsafe extern "C-unwind" fn end(query: *mut pg_sys::QueryDesc) {
    // SAFETY: as above.
    unsafe {
        if EXECUTING.load(Relaxed) == 0 && watching() {
            session::ended(query);
        }
        match BEFORE.end {
            Some(before) => before(query),
            None => raw::standard_ExecutorEnd(query),
        }
    }
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C-unwind" fn utility(
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    params: pg_sys::ParamListInfo,
    env: *mut pg_sys::QueryEnvironment,
    dest: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    // SAFETY: called by the server with a statement that it is to execute. The statement may be gone afterwards.
    unsafe {
        let is_top = context == pg_sys::ProcessUtilityContext::PROCESS_UTILITY_TOPLEVEL
            && watching()
            && at_top_level();
        if is_top {
            session::start_utility(statement, text);
        }
        let is_outermost = enter();
        match BEFORE.utility {
            Some(before) => before(
                statement, text, read_only, context, params, env, dest, completion,
            ),
            None => raw::standard_ProcessUtility(
                statement, text, read_only, context, params, env, dest, completion,
            ),
        }
        leave(is_outermost);
        if is_top && watching() {
            session::end_utility(completion);
        }
    }
}

/// With each message of the server, after it was made and before it is sent.
unsafe extern "C-unwind" fn logged(error: *mut pg_sys::ErrorData) {
    // SAFETY: called by the server with a message.
    unsafe {
        if (*error).elevel >= PgLogLevel::ERROR as c_int && watching() {
            session::failed((*error).sqlerrcode, EXECUTING.load(Relaxed) != 0);
        }
        if let Some(before) = BEFORE.log {
            before(error);
        }
    }
}

/// An error of the main loop, not a ROLLBACK inside a procedure: the loop has forgotten the text before it aborts.
fn main_loop_aborts() -> bool {
    // SAFETY: a variable of this process.
    unsafe { pg_sys::debug_query_string.is_null() }
}

/// An error here would be a PANIC.
unsafe extern "C-unwind" fn transaction(event: pg_sys::XactEvent::Type, _: *mut c_void) {
    use pg_sys::XactEvent::*;
    let ending = match event {
        XACT_EVENT_COMMIT => capture::record::Ending::Committed,
        XACT_EVENT_PREPARE => capture::record::Ending::Prepared,
        XACT_EVENT_ABORT => capture::record::Ending::Aborted,
        _ => return,
    };
    let was_executing = EXECUTING.load(Relaxed) != 0;
    let is_error = event == XACT_EVENT_ABORT && main_loop_aborts();
    if is_error {
        EXECUTING.store(0, Relaxed);
    }
    if watching() {
        session::transaction_ended(ending, was_executing, is_error);
    }
}

unsafe extern "C-unwind" fn subtransaction(
    event: pg_sys::SubXactEvent::Type,
    _: pg_sys::SubTransactionId,
    _: pg_sys::SubTransactionId,
    _: *mut c_void,
) {
    if event != pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB {
        return;
    }
    // SAFETY: reads the state of this process.
    let level = unsafe { raw::GetCurrentTransactionNestLevel() };
    let executing = EXECUTING.load(Relaxed);
    // One of a block with an EXCEPTION is deeper than the statement that has it.
    let ends_statement = executing >= level;
    if ends_statement {
        EXECUTING.store(0, Relaxed);
    }
    if watching() && (ends_statement || executing == 0) {
        session::subtransaction_aborted(level, ends_statement);
    }
}
