//! Interruptible waits on a latch, and waking other processes.

use super::{clock, worker};
use crate::pg::{encoding, raw};
use pgrx::pg_sys;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// How often [`wait_until`] looks.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Waits until the latch is set or the time is over, then handles what a waiting backend must: interrupts
/// (a terminate ends the process here), a changed configuration, invalidations of the catalog caches, without
/// which DROP DATABASE of another database would wait for this process.
///
/// Whole milliseconds; rounded up, so that it never returns early for want of precision. Whether the latch
/// was set.
pub fn wait(timeout: Duration) -> bool {
    let set = pause(timeout);
    interrupts();
    set
}

/// As [`wait`], also until a file descriptor of this process is readable; whether the latch was set.
pub fn wait_for(file: BorrowedFd<'_>, timeout: Duration) -> bool {
    events(file, pg_sys::WL_SOCKET_READABLE, timeout) & pg_sys::WL_LATCH_SET != 0
}

/// As [`wait`], also for these events of a file descriptor; what has happened.
pub(super) fn events(file: BorrowedFd<'_>, of_file: u32, timeout: Duration) -> u32 {
    let happened = unhandled_events(file, of_file, timeout);
    interrupts();
    happened
}

/// The same wait without the checks behind it, as [`pause`].
pub(super) fn unhandled_events(file: BorrowedFd<'_>, of_file: u32, timeout: Duration) -> u32 {
    let wanted = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH | of_file;
    // SAFETY: this process's own latch, and a file descriptor that lives as long as the borrow; ends the process if the postmaster has died.
    unsafe {
        let happened = pg_sys::WaitLatchOrSocket(
            pg_sys::MyLatch,
            wanted as i32,
            file.as_raw_fd(),
            timeout.as_micros().div_ceil(1000) as _,
            pg_sys::PG_WAIT_EXTENSION,
        );
        pg_sys::ResetLatch(pg_sys::MyLatch);
        happened as u32
    }
}

/// Waits until something holds that nobody announces, at most for so many nanoseconds; whether it came true.
pub fn wait_until(limit_ns: u64, holds: impl Fn() -> bool) -> bool {
    let deadline = clock::now() + limit_ns;
    while !holds() {
        if clock::now() > deadline {
            return false;
        }
        wait(LOOK_INTERVAL);
    }
    true
}

/// The same wait without the checks behind it: for a caller that first looks at a cancel itself, and then
/// calls [`interrupts`].
pub fn pause(timeout: Duration) -> bool {
    pause_as(timeout, pg_sys::PG_WAIT_EXTENSION)
}

/// The same of a session whose work is done by workers. In pg_stat_activity it waits for them to end.
pub fn pause_for_workers(timeout: Duration) -> bool {
    pause_as(timeout, pg_sys::WaitEventIPC::WAIT_EVENT_BGWORKER_SHUTDOWN)
}

fn pause_as(timeout: Duration, wait_event: u32) -> bool {
    let milliseconds = timeout.as_micros().div_ceil(1000).min(i64::MAX as u128 / 2) as i64;
    // SAFETY: this process's own latch; ends the process if the postmaster has died.
    unsafe {
        let events = pg_sys::WaitLatch(
            pg_sys::MyLatch,
            (pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH) as i32,
            milliseconds,
            wait_event,
        );
        pg_sys::ResetLatch(pg_sys::MyLatch);
        events & pg_sys::WL_LATCH_SET as i32 != 0
    }
}

/// Waits for at most the time given, with the precision of the clock: whole milliseconds on the latch, the
/// rest asleep.
pub fn wait_precisely(timeout: Duration) {
    let whole = Duration::from_millis(timeout.as_millis() as u64);
    if whole.is_zero() {
        std::thread::sleep(timeout);
        interrupts();
    } else {
        wait(whole);
    }
}

/// Handles interrupts while a worker runs no statement. A cancel has nothing to cancel then, as in an idle backend:
/// it is discarded, and one that arrives while others are handled must not be raised.
#[inline]
pub fn idle_interrupts() {
    worker::leave_without_postmaster();
    discard_cancel();
    // SAFETY: a flag of this process; the function may end it (terminate).
    unsafe {
        if pg_sys::InterruptPending != 0 {
            holding_cancel(|| pg_sys::ProcessInterrupts());
        }
    }
}

/// The same checks without waiting.
pub fn interrupts() {
    // SAFETY: flags of this process; the functions are those that a backend calls when it waits for
    // its client.
    unsafe {
        if !pg_sys::MyBgworkerEntry.is_null() {
            idle_interrupts();
        } else if pg_sys::InterruptPending != 0 {
            pg_sys::ProcessInterrupts();
        }
    }
    catch_up();
}

/// The same within a statement: a cancel ends it, in a worker as well.
pub fn statement_interrupts() {
    // SAFETY: as CHECK_FOR_INTERRUPTS does it, within a statement.
    unsafe {
        if pg_sys::InterruptPending != 0 {
            pg_sys::ProcessInterrupts();
        }
    }
    catch_up();
}

/// Reads what others have changed, and in a worker the configuration. A session does the latter between statements.
fn catch_up() {
    // SAFETY: flags of this process, and the functions that a backend calls while it waits.
    unsafe {
        if pg_sys::catchupInterruptPending != 0 {
            pg_sys::ProcessCatchupInterrupt();
        }
        if !pg_sys::MyBgworkerEntry.is_null() && pg_sys::ConfigReloadPending != 0 {
            pg_sys::ConfigReloadPending = 0;
            pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP);
        }
    }
}

/// Whether the user asked to cancel the statement that waits here.
pub fn cancel_pending() -> bool {
    // SAFETY: flags of this process.
    unsafe { pg_sys::QueryCancelPending != 0 && pg_sys::ProcDiePending == 0 }
}

/// Runs `body` with cancels held back: one that comes meanwhile is pending afterwards.
pub fn holding_cancel<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: a counter of this process, which any ERROR sets to zero.
    unsafe { pg_sys::QueryCancelHoldoffCount += 1 };
    let value = body();
    // SAFETY: as above; an ERROR that `body` has caught has set it to zero already.
    unsafe {
        pg_sys::QueryCancelHoldoffCount = pg_sys::QueryCancelHoldoffCount.saturating_sub(1);
    }
    value
}

/// Discards a cancel that the caller has handled itself.
pub fn forget_cancel() {
    // SAFETY: flag of this process.
    unsafe { pg_sys::QueryCancelPending = 0 };
}

/// Discards a cancel that came where there was nothing to cancel. The next one is not to be taken for that of a timeout that had
/// expired before.
#[inline]
pub fn discard_cancel() {
    // SAFETY: flags of this process; the functions only read and reset two of them.
    unsafe {
        if pg_sys::QueryCancelPending != 0 {
            pg_sys::QueryCancelPending = 0;
            raw::get_timeout_indicator(raw::LOCK_TIMEOUT, true);
            raw::get_timeout_indicator(raw::STATEMENT_TIMEOUT, true);
        }
    }
}

/// Whether the cancel that is pending, or was forgotten, is that of `statement_timeout`.
pub fn timed_out() -> bool {
    // SAFETY: reads a flag of this process.
    unsafe {
        pg_sys::ffi::pg_guard_ffi_boundary(|| {
            raw::get_timeout_indicator(raw::STATEMENT_TIMEOUT, false)
        })
    }
}

/// Raises the server's own error for a cancel that was forgotten, within a statement.
pub fn cancel_now() {
    // SAFETY: flags of this process.
    unsafe {
        pg_sys::QueryCancelPending = 1;
        pg_sys::InterruptPending = 1;
    }
    statement_interrupts();
}

/// The number by which another process can wake this one.
pub fn my_proc_number() -> u64 {
    // SAFETY: this process has an entry in the array that all share.
    unsafe { pg_sys::MyProc.offset_from((*pg_sys::ProcGlobal).allProcs) as u64 }
}

/// The same number of another process; None: it is none of this server.
pub fn proc_number(pid: i32) -> Option<u64> {
    // SAFETY: looks into the server's process array.
    unsafe {
        let process = pg_sys::BackendPidGetProc(pid);
        (!process.is_null()).then(|| process.offset_from((*pg_sys::ProcGlobal).allProcs) as u64)
    }
}

/// Wakes the process with that number; harmless if another has taken its place.
pub fn wake(proc_number: u64) {
    // SAFETY: the array's entries live as long as the server; the number is checked.
    unsafe {
        if proc_number < u64::from((*pg_sys::ProcGlobal).allProcCount) {
            let process = (*pg_sys::ProcGlobal).allProcs.add(proc_number as usize);
            pg_sys::SetLatch(&raw mut (*process).procLatch);
        }
    }
}

/// Reports statistics, as a backend does about once a second between statements: its counters reach the statistics
/// views, and autovacuum sees its work. Outside a transaction.
pub fn report_statistics(force: bool) {
    // SAFETY: outside a transaction; the guard catches an ERROR.
    unsafe {
        pg_sys::ffi::pg_guard_ffi_boundary(|| raw::pgstat_report_stat(force));
    }
}

/// Lets this process sleep with microsecond precision: by default the kernel may add 50 µs to each wait.
pub fn sleep_precisely() {
    // SAFETY: a setting of this process alone; where it fails, waits are less precise.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}

/// Shows the process as waiting for its client inside a transaction.
pub fn report_idle_in_transaction() {
    // SAFETY: a state without a text.
    unsafe {
        pg_sys::pgstat_report_activity(
            pg_sys::BackendState::STATE_IDLEINTRANSACTION,
            std::ptr::null(),
        );
    }
}

/// Shows the process as active in pg_stat_activity, with what it does.
pub fn report_running(what: &str) {
    let Ok(what) = encoding::c_string(what) else {
        return;
    };
    // SAFETY: a text that the server copies.
    unsafe {
        pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_RUNNING, what.as_ptr());
    }
}

/// Shows the process as idle in pg_stat_activity.
pub fn report_idle() {
    // SAFETY: a state without a text.
    unsafe {
        pg_sys::pgstat_report_activity(pg_sys::BackendState::STATE_IDLE, std::ptr::null());
    }
}
