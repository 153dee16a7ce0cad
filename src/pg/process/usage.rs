//! Buffers and WAL that this process has used so far, as the server itself counts them.

use pgrx::pg_sys;
use serde::{Deserialize, Serialize};

/// Cumulative counters of this process (`pgBufferUsage`, `pgWalUsage`), or a difference of two.
/// Parallel workers' use is added to their leader's by the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub shared_blks_hit: u64,
    pub shared_blks_read: u64,
    pub shared_blks_dirtied: u64,
    pub shared_blks_written: u64,
    pub wal_records: u64,
    pub wal_fpi: u64,
    pub wal_bytes: u64,
}

impl Usage {
    /// The counters now.
    #[inline]
    pub fn now() -> Self {
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

    /// What was used from `earlier` to `self`.
    #[inline]
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            shared_blks_hit: self.shared_blks_hit.wrapping_sub(earlier.shared_blks_hit),
            shared_blks_read: self.shared_blks_read.wrapping_sub(earlier.shared_blks_read),
            shared_blks_dirtied: self
                .shared_blks_dirtied
                .wrapping_sub(earlier.shared_blks_dirtied),
            shared_blks_written: self
                .shared_blks_written
                .wrapping_sub(earlier.shared_blks_written),
            wal_records: self.wal_records.wrapping_sub(earlier.wal_records),
            wal_fpi: self.wal_fpi.wrapping_sub(earlier.wal_fpi),
            wal_bytes: self.wal_bytes.wrapping_sub(earlier.wal_bytes),
        }
    }

    /// Adds a difference to a sum.
    #[inline]
    pub fn add(&mut self, other: &Usage) {
        self.shared_blks_hit += other.shared_blks_hit;
        self.shared_blks_read += other.shared_blks_read;
        self.shared_blks_dirtied += other.shared_blks_dirtied;
        self.shared_blks_written += other.shared_blks_written;
        self.wal_records += other.wal_records;
        self.wal_fpi += other.wal_fpi;
        self.wal_bytes += other.wal_bytes;
    }
}
