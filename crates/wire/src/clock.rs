//! The clock of statements.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the clock that all processes of the machine share.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
