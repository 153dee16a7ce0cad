//! The monotonic clock, in a form that processes can share, and the time on a CPU.

/// Nanoseconds of CLOCK_MONOTONIC: the same scale in every process of the machine, never set back.
#[inline]
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds that this process has been on a CPU.
pub fn cpu_time() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid; these clocks always exist, so the call cannot fail.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Seconds in nanoseconds.
pub fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}
