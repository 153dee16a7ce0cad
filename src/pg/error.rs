//! An ERROR of the server, caught.

use super::raw;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::CaughtError;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// An ERROR of the server (or a panic of ours) as text: what a client would have received.
#[derive(Debug, Clone)]
pub struct SqlError {
    /// The five characters.
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
}

impl SqlError {
    /// An error in the server's form that pgperf raises in its place.
    pub fn new(sqlstate: &str, message: &str) -> Self {
        SqlError {
            sqlstate: sqlstate.to_owned(),
            message: message.to_owned(),
            detail: None,
        }
    }

    pub fn caught(error: &CaughtError) -> Self {
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
        SqlError {
            sqlstate: sqlstate_text(code),
            message: report.message().to_owned(),
            detail: report.detail().map(str::to_owned),
        }
    }
}

/// The five characters of a packed SQLSTATE (the server's MAKE_SQLSTATE: six bits a character).
fn sqlstate_text(code: i32) -> String {
    (0..5)
        .map(|i| char::from(((code >> (6 * i)) & 0x3f) as u8 + b'0'))
        .collect()
}

/// The SQLSTATE of the last error that pgrx took for an internal one, as the server packs it; 0: none so far.
static OTHER_CODE: AtomicI32 = AtomicI32::new(0);

/// Has SQLSTATEs that only an application knows (RAISE … USING ERRCODE = 'AB001') kept for [`SqlError::caught`]: pgrx
/// tells them as internal errors. Once, first thing in a worker.
///
/// The server calls what is at the bottom of its context stack with every error before it jumps; an error that does not
/// come costs nothing.
pub fn keep_sqlstates() {
    static mut BOTTOM: pg_sys::ErrorContextCallback = pg_sys::ErrorContextCallback {
        previous: std::ptr::null_mut(),
        callback: Some(keep_sqlstate),
        arg: std::ptr::null_mut(),
    };
    // SAFETY: a process of the server has one thread; nothing is on the stack yet, and what is put there lives as long
    // as the process.
    unsafe {
        pg_sys::error_context_stack = &raw mut BOTTOM;
    }
}

unsafe extern "C-unwind" fn keep_sqlstate(_arg: *mut c_void) {
    // SAFETY: called by the server while it reports an error.
    let code = unsafe { raw::geterrcode() };
    if PgSqlErrorCode::from(code) == PgSqlErrorCode::ERRCODE_INTERNAL_ERROR {
        OTHER_CODE.store(code, Relaxed);
    }
}
