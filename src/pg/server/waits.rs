//! Wait events of processes, read from shared memory as pg_stat_activity does, without SQL.

use crate::pg::encoding;
use pgrx::pg_sys;
use std::ffi::CStr;

/// The wait event of the process with that number, as one number; 0: none. None: there is no such number. Harmless if
/// another process has taken its place.
pub fn event_of(proc_number: u64) -> Option<u32> {
    // SAFETY: the array's entries live as long as the server; the number is checked. A process writes its
    // event in one store, which is read in one load.
    unsafe {
        if proc_number >= u64::from((*pg_sys::ProcGlobal).allProcCount) {
            return None;
        }
        let process = (*pg_sys::ProcGlobal).allProcs.add(proc_number as usize);
        Some((&raw const (*process).wait_event_info).read_volatile())
    }
}

/// Type and name of a wait event; None for nothing.
pub fn name(event: u32) -> Option<(String, String)> {
    let text = |name: *const std::ffi::c_char| {
        if name.is_null() {
            return None;
        }
        // SAFETY: a C string of the server's, copied at once.
        let name = unsafe { CStr::from_ptr(name) };
        Some(encoding::from_c(name))
    };
    // SAFETY: total functions of a number: what they do not know they name so.
    unsafe {
        text(pg_sys::pgstat_get_wait_event_type(event))
            .zip(text(pg_sys::pgstat_get_wait_event(event)))
    }
}
