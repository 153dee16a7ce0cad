//! An ERROR of the server, caught.

mod texts;

use super::{encoding, raw};
use crate::error::Error;
pub use engine::SqlError;
use pgrx::PgLogLevel;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::{CaughtError, ErrorReport};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// An ERROR of the server, or a panic of ours, in the form in which a client would have received it.
pub fn caught(error: &CaughtError) -> SqlError {
    let (report, of_server) = match error {
        CaughtError::PostgresError(report) => (report, true),
        CaughtError::ErrorReport(report) => (report, false),
        CaughtError::RustPanic { ereport, .. } => (ereport, false),
    };
    let known = report.sql_error_code();
    let code = match OTHER_CODE.load(Relaxed) {
        other @ 1.. if of_server && known == PgSqlErrorCode::ERRCODE_INTERNAL_ERROR => other,
        _ => known as i32,
    };
    let text = |text: &str| match of_server {
        true => texts::of_server(text),
        false => text.to_owned(),
    };
    SqlError {
        sqlstate: sqlstate_text(code),
        message: text(report.message()),
        detail: report.detail().map(text),
    }
}

/// Sends the client, or the server's log, a message that is not an error.
pub fn say(level: PgLogLevel, text: String) {
    let report = ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        text,
        "pgperf",
    );
    texts::expect(&report);
    report.report(level);
}

/// Sends the client, and the server's log, a warning with a hint.
pub fn warn(message: String, hint: String) {
    report(PgSqlErrorCode::ERRCODE_WARNING, message, None, Some(hint)).report(PgLogLevel::WARNING);
}

/// A report of ours, ready for pgrx to raise.
fn report(
    sqlstate: PgSqlErrorCode,
    message: String,
    detail: Option<String>,
    hint: Option<String>,
) -> ErrorReport {
    let mut report = ErrorReport::new(sqlstate, message, "pgperf");
    if let Some(detail) = detail {
        report = report.set_detail(detail);
    }
    if let Some(hint) = hint {
        report = report.set_hint(hint);
    }
    texts::expect(&report);
    report
}

impl From<Error> for ErrorReport {
    fn from(error: Error) -> Self {
        let (detail, hint) = (error.detail(), error.hint());
        report(error.sqlstate(), error.to_string(), detail, hint)
    }
}

/// Raises an error of ours as the server's, so that the transaction around it aborts.
pub fn raise(error: Error) -> ! {
    ErrorReport::from(error).report(PgLogLevel::ERROR);
    unreachable!("reporting at level ERROR does not return")
}

/// The five characters of a packed SQLSTATE (the server's MAKE_SQLSTATE: six bits a character).
/// The five characters of a SQLSTATE.
pub fn sqlstate_text(code: i32) -> String {
    (0..5)
        .map(|i| char::from(((code >> (6 * i)) & 0x3f) as u8 + b'0'))
        .collect()
}

/// The SQLSTATE of the last error that pgrx took for an internal one, as the server packs it; 0: none so far.
static OTHER_CODE: AtomicI32 = AtomicI32::new(0);

/// Makes the server call [`note`] with each report: for SQLSTATEs of applications (RAISE … USING ERRCODE = 'AB001'),
/// which pgrx reports as internal errors, and for texts that are not UTF-8. Called once, first thing in a worker;
/// elsewhere, in a database that is not UTF-8, wherever texts may come.
///
/// The server goes through its context stack with every report before it jumps; an error that does not come costs nothing.
/// The server empties the stack after an error at top level.
pub fn watch() {
    static mut BOTTOM: pg_sys::ErrorContextCallback = pg_sys::ErrorContextCallback {
        previous: std::ptr::null_mut(),
        callback: Some(note),
        arg: std::ptr::null_mut(),
    };
    // SAFETY: a process of the server has one thread; what is on the stack is valid, and what is put below it lives as long
    // as the process: code that removes itself from the stack leaves the entries below.
    unsafe {
        let bottom = &raw mut BOTTOM;
        let mut place = &raw mut pg_sys::error_context_stack;
        while !(*place).is_null() {
            if *place == bottom {
                return;
            }
            place = &raw mut (**place).previous;
        }
        *place = bottom;
    }
}

/// As [`watch`], where only texts that are not UTF-8 need it.
#[inline]
pub fn watch_texts() {
    if !encoding::is_utf8() {
        watch();
    }
}

unsafe extern "C-unwind" fn note(_arg: *mut c_void) {
    // SAFETY: called by the server while it reports something.
    unsafe {
        let code = raw::geterrcode();
        if PgSqlErrorCode::from(code) == PgSqlErrorCode::ERRCODE_INTERNAL_ERROR {
            OTHER_CODE.store(code, Relaxed);
        }
        texts::exchange(code);
    }
}
