//! The monotonic clock, in a form that processes can share.

/// Nanoseconds of CLOCK_MONOTONIC: the same scale in every process of the machine, never set back.
#[inline]
pub fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid; this clock always exists, so the call cannot fail.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
