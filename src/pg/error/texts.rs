//! The texts of errors and notices in a database whose encoding is not UTF-8.
//!
//! pgrx has them as Rust strings: it assumes that the server's errors are UTF-8 (with U+FFFD for invalid bytes), and passes
//! its own to the server as UTF-8. So the original bytes of such a text are stored here while pgrx has it. The server calls
//! [`exchange`] with each report before it does anything else with it. That call saves the server's bytes, and replaces those
//! from pgrx with the right ones. Conversions happen before or after, never while an error is reported.

use crate::pg::{encoding, raw};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char};

/// A text as pgrx has it, and its bytes for the server.
struct Kept {
    seen: Vec<u8>,
    bytes: CString,
}

/// Message, detail and hint of the latest reports; few are in progress at the same time.
const MOST: usize = 12;

thread_local! {
    static KEPT: RefCell<VecDeque<Kept>> = const { RefCell::new(VecDeque::new()) };
}

fn keep(seen: Vec<u8>, bytes: CString) {
    KEPT.with(|kept| {
        // Nobody else has it: nothing done here makes a report that interrupts this one.
        if let Ok(mut kept) = kept.try_borrow_mut() {
            kept.retain(|known| known.seen != seen);
            kept.truncate(MOST - 1);
            kept.push_front(Kept { seen, bytes });
        }
    });
}

fn bytes_of(seen: &[u8]) -> Option<CString> {
    KEPT.with(|kept| {
        let kept = kept.try_borrow().ok()?;
        Some(kept.iter().find(|known| known.seen == seen)?.bytes.clone())
    })
}

/// To be called before pgrx gets a report of ours. Does nothing in a UTF-8 database.
pub fn expect(report: &ErrorReport) {
    if encoding::is_utf8() {
        return;
    }
    for text in [Some(report.message()), report.detail(), report.hint()] {
        if let Some(text) = text.filter(|text| !text.is_ascii())
            && let Ok(bytes) = encoding::c_string(text)
        {
            super::watch();
            keep(text.as_bytes().to_vec(), bytes);
        }
    }
}

/// A text of a server error that pgrx has caught.
pub fn of_server(seen: &str) -> String {
    match bytes_of(seen.as_bytes()) {
        Some(bytes) if !seen.is_ascii() => encoding::from_c(&bytes),
        _ => seen.to_owned(),
    }
}

/// Examines the report that the server is about to send, log or throw.
///
/// # Safety
/// Called by the server from its stack of error contexts.
pub unsafe fn exchange(sqlstate: i32) {
    const OUT_OF_MEMORY: i32 = pg_sys::errcodes::PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as i32;
    // SAFETY: nothing is allocated where that is not allowed; the copy is made and freed in a context that is not the one
    // that errors are put together in, and the texts that are set are copied by the server.
    unsafe {
        if encoding::is_utf8() || sqlstate == OUT_OF_MEMORY || pg_sys::CritSectionCount > 0 {
            return;
        }
        let context = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = pg_sys::TopMemoryContext;
        let report = raw::CopyErrorData();
        pg_sys::CurrentMemoryContext = context;
        const FORMAT: *const c_char = c"%s".as_ptr();
        if let Some(bytes) = replacement((*report).message) {
            raw::errmsg_internal(FORMAT, bytes.as_ptr());
        }
        if let Some(bytes) = replacement((*report).detail) {
            raw::errdetail_internal(FORMAT, bytes.as_ptr());
        }
        if let Some(bytes) = replacement((*report).hint) {
            raw::errhint(FORMAT, bytes.as_ptr());
        }
        raw::FreeErrorData(report);
    }
}

/// The replacement for a text of a report; the text is kept as pgrx will see it if it catches the report.
///
/// # Safety
/// Null or a C string.
unsafe fn replacement(text: *const c_char) -> Option<CString> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    if text.to_bytes().is_ascii() {
        return None;
    }
    let other = bytes_of(text.to_bytes()).filter(|bytes| bytes.as_c_str() != text);
    let bytes = other.clone().unwrap_or_else(|| text.to_owned());
    let seen = String::from_utf8_lossy(bytes.to_bytes()).into_owned();
    keep(seen.into_bytes(), bytes);
    other
}
