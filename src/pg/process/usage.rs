//! Buffers and WAL that this process has used so far, as the server itself counts them.

pub use engine::Usage;
use pgrx::pg_sys;

/// The counters of this process now (`pgBufferUsage`, `pgWalUsage`). Parallel workers' use is added to their leader's by
/// the server.
#[inline]
pub fn now() -> Usage {
    // SAFETY: plain counters of this process, written by this thread only.
    unsafe {
        let buffers = &raw const pg_sys::pgBufferUsage;
        let wal = &raw const pg_sys::pgWalUsage;
        Usage {
            shared_blks_hit: (*buffers).shared_blks_hit as u64,
            shared_blks_read: (*buffers).shared_blks_read as u64,
            shared_blks_dirtied: (*buffers).shared_blks_dirtied as u64,
            shared_blks_written: (*buffers).shared_blks_written as u64,
            wal_records: (*wal).wal_records as u64,
            wal_fpi: (*wal).wal_fpi as u64,
            wal_bytes: (*wal).wal_bytes,
        }
    }
}
