//! Interruptible waits on a socket.

use super::{clock, latch};
use pgrx::pg_sys;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// What is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Readiness {
    pub to_read: bool,
    pub to_write: bool,
}

/// Waits until a socket is ready, or broken, for at most so long; meanwhile handles what [`latch::wait`] handles: within a statement a
/// cancel raises its ERROR here. Whether it is ready.
pub fn wait(socket: BorrowedFd<'_>, readiness: Readiness, timeout: Duration) -> bool {
    let wanted = wanted(readiness);
    let deadline = clock::now().saturating_add(timeout.as_nanos() as u64);
    loop {
        let left = Duration::from_nanos(deadline.saturating_sub(clock::now()));
        // SAFETY: this process's own latch, and a socket that lives as long as the borrow; ends the process if the postmaster has died.
        let events = unsafe {
            let events = pg_sys::WaitLatchOrSocket(
                pg_sys::MyLatch,
                wanted as i32,
                socket.as_raw_fd(),
                left.as_micros().div_ceil(1000) as _,
                pg_sys::PG_WAIT_EXTENSION,
            );
            pg_sys::ResetLatch(pg_sys::MyLatch);
            events as u32
        };
        latch::interrupts();
        if events & (pg_sys::WL_SOCKET_READABLE | pg_sys::WL_SOCKET_WRITEABLE) != 0 {
            return true;
        }
        if clock::now() >= deadline {
            return false;
        }
    }
}

fn wanted(readiness: Readiness) -> u32 {
    let mut wanted = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    if readiness.to_read {
        wanted |= pg_sys::WL_SOCKET_READABLE;
    }
    if readiness.to_write {
        wanted |= pg_sys::WL_SOCKET_WRITEABLE;
    }
    wanted
}
