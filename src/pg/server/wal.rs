//! Positions in the WAL.

use pgrx::pg_sys;

/// Position up to which WAL is flushed. Not in recovery.
pub fn flush_lsn() -> u64 {
    // SAFETY: reads shared state; null: the timeline is not asked for.
    unsafe { pg_sys::GetFlushRecPtr(std::ptr::null_mut()) }
}

/// As text of type pg_lsn.
pub fn lsn_text(lsn: u64) -> String {
    format!("{:X}/{:X}", lsn >> 32, lsn as u32)
}
