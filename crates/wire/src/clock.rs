//! The clock of statements, and moments as the server writes them.

use rustix::time::{ClockId, clock_gettime};
use std::time::SystemTime;

/// Microseconds from 1970 to 2000, where the server's timestamps begin.
const EPOCH_US: i64 = 946_684_800_000_000;

/// Nanoseconds of the clock that all processes of the machine share.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A moment as the server's `timestamptz`, in microseconds; one before 1970 is 1970.
pub fn timestamp(at: SystemTime) -> i64 {
    let since_1970 = at
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    since_1970.as_micros() as i64 - EPOCH_US
}
