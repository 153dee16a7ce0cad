//! Recovery after an ERROR: prepares the session for the next message.

use super::interrupts;
use crate::pg::error::{SqlError, caught};
use crate::pg::process::worker;
use crate::pg::raw;
use pgrx::{PgTryBuilder, pg_sys};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How many cleanups in a row may fail: as many errors as the server can have at a time.
const MOST_CLEANUPS: usize = 5;

/// After an ERROR: what the main loop does before it reads the next message. As there, an ERROR of the cleanup itself is followed
/// by another cleanup.
pub(super) fn recover() {
    for _ in 0..MOST_CLEANUPS {
        let cleaned = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: main thread of the worker; the function owns nothing to drop.
            unsafe { pg_sys::ffi::pg_guard_ffi_boundary(|| clean_up()) }
        }));
        interrupts::end_message();
        match cleaned {
            Ok(()) => return,
            Err(panic) => drop(unwound(panic)),
        }
    }
    // The server ends with a panic here. It is enough that this process ends, which is an abort of its own.
    worker::exit()
}

/// The main loop's error branch, with interrupts held.
///
/// # Safety
/// Below a guard, outside of any other; the error's data was copied and flushed by pgrx.
unsafe fn clean_up() {
    // SAFETY: see above.
    unsafe {
        pg_sys::InterruptHoldoffCount += 1;
        interrupts::stop_all_timeouts();
        pg_sys::QueryCancelPending = 0;
        pg_sys::debug_query_string = std::ptr::null();
        raw::AbortCurrentTransaction();
        raw::PortalErrorCleanup();
        if !pg_sys::MyReplicationSlot.is_null() {
            raw::ReplicationSlotRelease();
        }
        #[cfg(not(feature = "since17"))]
        raw::ReplicationSlotCleanup();
        #[cfg(feature = "since17")]
        raw::ReplicationSlotCleanup(false);
        raw::jit_reset_after_error();
        pg_sys::CurrentMemoryContext = pg_sys::MessageContext;
        raw::MemoryContextReset(pg_sys::MessageContext);
        pg_sys::InterruptHoldoffCount -= 1;
    }
}

/// The ERROR (or panic) behind an unwinding, in pgrx's reading.
#[cold]
pub(super) fn unwound(panic: Box<dyn Any + Send>) -> SqlError {
    PgTryBuilder::new(AssertUnwindSafe(|| resume_unwind(panic)))
        .catch_others(|error| caught(&error))
        .execute()
}
