//! The time of commits: the one at the end of a statement's message, and those inside a statement, as in a procedure that
//! commits. The server reports each by its transaction callback.

use super::statement::finish_command;
use crate::pg::process::clock;
use crate::pg::raw;
use engine::Laps;
use pgrx::pg_sys;
use std::ffi::c_void;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The transactions of this process, as its callback has seen them.
struct Watch {
    /// Whether the transaction command of a message is being ended.
    is_ending: AtomicBool,
    /// Whether that has committed changes, or notifications.
    has_committed: AtomicBool,
    /// When the last commit inside a statement began, and how long all of them took, ns.
    began_at: AtomicU64,
    inside_ns: AtomicU64,
    /// Whether transactions without an id got theirs only in the commit: a notification does that.
    ids_come_late: AtomicBool,
}

static WATCH: Watch = Watch {
    is_ending: AtomicBool::new(false),
    has_committed: AtomicBool::new(false),
    began_at: AtomicU64::new(0),
    inside_ns: AtomicU64::new(0),
    ids_come_late: AtomicBool::new(false),
};

/// Lets the server tell of this process's commits from now on.
pub(super) fn watch() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the callback lives as long as the process.
        unsafe { pg_sys::RegisterXactCallback(Some(transaction_event), std::ptr::null_mut()) };
    });
}

/// A message begins: what was seen before belongs to pgperf's own work, or to a message that failed.
#[inline]
pub(super) fn begin() {
    WATCH.is_ending.store(false, Relaxed);
    WATCH.inside_ns.store(0, Relaxed);
}

/// Called bare by the server, in every transaction; an error here would be a PANIC.
unsafe extern "C-unwind" fn transaction_event(event: pg_sys::XactEvent::Type, _: *mut c_void) {
    use pg_sys::XactEvent::*;
    let is_ending = WATCH.is_ending.load(Relaxed);
    match event {
        XACT_EVENT_PRE_COMMIT | XACT_EVENT_PRE_PREPARE if !is_ending => {
            WATCH.began_at.store(clock::now(), Relaxed);
        }
        // SAFETY: only reads the id of the transaction, which is there until the transaction's end.
        XACT_EVENT_COMMIT | XACT_EVENT_PREPARE if unsafe { has_id() } => {
            if is_ending {
                WATCH.has_committed.store(true, Relaxed);
            } else {
                let took = clock::now().saturating_sub(WATCH.began_at.load(Relaxed));
                WATCH.inside_ns.fetch_add(took, Relaxed);
            }
        }
        _ => {}
    }
}

/// Ends the transaction command. The clock is read before if that may commit something.
///
/// # Safety
/// Below the session's guard, in a transaction command whose last statement had this tag.
#[inline]
pub(super) unsafe fn commit(tag: pg_sys::CommandTag::Type, laps: &mut Laps) {
    // SAFETY: see above.
    unsafe {
        let began_at = may_commit(tag).then(clock::now);
        WATCH.is_ending.store(true, Relaxed);
        WATCH.has_committed.store(false, Relaxed);
        finish_command();
        WATCH.is_ending.store(false, Relaxed);
        let inside_ns = WATCH.inside_ns.load(Relaxed);
        if inside_ns > 0 {
            WATCH.inside_ns.store(0, Relaxed);
            laps.committed(inside_ns);
        }
        if WATCH.has_committed.load(Relaxed) {
            match began_at {
                Some(began_at) => laps.committing(began_at),
                None => WATCH.ids_come_late.store(true, Relaxed),
            }
        }
    }
}

/// Whether the end of the command may commit changes or notifications. Most of the transactions that only read are known before.
///
/// # Safety
/// As for [`commit`].
#[inline]
unsafe fn may_commit(tag: pg_sys::CommandTag::Type) -> bool {
    use pg_sys::CommandTag::*;
    let ends_block = matches!(tag, CMDTAG_COMMIT | CMDTAG_PREPARE_TRANSACTION);
    // SAFETY: see above.
    unsafe {
        ends_block || !raw::IsTransactionBlock() && (has_id() || WATCH.ids_come_late.load(Relaxed))
    }
}

/// # Safety
/// In a process with a transaction state.
#[inline]
unsafe fn has_id() -> bool {
    // SAFETY: see above; it only reads.
    unsafe { raw::GetTopTransactionIdIfAny() != pg_sys::InvalidTransactionId }
}
