//! The server's own generator of random numbers, which each process seeds for itself.

use pgrx::pg_sys;

/// At random in [0, 1).
pub fn fraction() -> f64 {
    // SAFETY: state of this process, seeded when it started.
    unsafe { pg_sys::pg_prng_double(&raw mut pg_sys::pg_global_prng_state) }
}
