//! Interruptible waits on a socket.

use super::{clock, latch};
use pgrx::pg_sys;
use std::os::fd::BorrowedFd;
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
    let deadline = clock::now().saturating_add(timeout.as_nanos() as u64);
    loop {
        let left = Duration::from_nanos(deadline.saturating_sub(clock::now()));
        if is_ready(latch::events(socket, wanted(readiness), left)) {
            return true;
        }
        if clock::now() >= deadline {
            return false;
        }
    }
}

/// The same until the latch is set, without handling anything: for a worker that first looks itself at what is wanted of it.
pub fn pause(socket: BorrowedFd<'_>, readiness: Readiness, timeout: Duration) -> bool {
    is_ready(latch::unhandled_events(socket, wanted(readiness), timeout))
}

fn is_ready(events: u32) -> bool {
    events & (pg_sys::WL_SOCKET_READABLE | pg_sys::WL_SOCKET_WRITEABLE) != 0
}

fn wanted(readiness: Readiness) -> u32 {
    let mut wanted = 0;
    if readiness.to_read {
        wanted |= pg_sys::WL_SOCKET_READABLE;
    }
    if readiness.to_write {
        wanted |= pg_sys::WL_SOCKET_WRITEABLE;
    }
    wanted
}
