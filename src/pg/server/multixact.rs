//! Multixacts: the next one, and how far the space of their members is used.

use pgrx::pg_sys;

/// The next multixact id: 32 bits, it wraps.
pub fn next_multixact() -> u32 {
    // SAFETY: reads shared state under its own short lock.
    unsafe { pg_sys::ReadNextMultiXactId().into() }
}

/// The age at which autovacuum freezes multixacts in any case: autovacuum_multixact_freeze_max_age, or less when
/// their members take up much room (0: as soon as possible).
pub fn freeze_max_age() -> i32 {
    // SAFETY: as above.
    unsafe { pg_sys::MultiXactMemberFreezeThreshold() }
}
