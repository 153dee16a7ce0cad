//! Resources that a session has used.

use serde::{Deserialize, Serialize};

/// Cumulative counters of a session, as the server counts them (`pgBufferUsage`, `pgWalUsage`), or a difference of two.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(words: [u64; 7]) -> Usage {
        let [hit, read, dirtied, written, records, fpi, bytes] = words;
        Usage {
            shared_blks_hit: hit,
            shared_blks_read: read,
            shared_blks_dirtied: dirtied,
            shared_blks_written: written,
            wal_records: records,
            wal_fpi: fpi,
            wal_bytes: bytes,
        }
    }

    #[test]
    fn each_counter_has_its_own_difference_and_sum() {
        let earlier = usage([1, 2, 3, 4, 5, 6, 7]);
        let later = usage([11, 22, 33, 44, 55, 66, 77]);
        let used = usage([10, 20, 30, 40, 50, 60, 70]);
        assert_eq!(later.since(&earlier), used);
        let mut sum = earlier;
        sum.add(&used);
        assert_eq!(sum, later);
    }

    #[test]
    fn a_counter_may_begin_anew() {
        let earlier = usage([u64::MAX; 7]);
        assert_eq!(usage([2; 7]).since(&earlier), usage([3; 7]));
    }
}
