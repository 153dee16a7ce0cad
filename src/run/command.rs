//! What the commands of a run's scripts did: each client counts for itself and adds it up at its end.

use super::latencies::Latencies;
use crate::pg::usage::Usage;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics of one command (a statement or a meta-command).
#[derive(Default)]
pub struct CommandStats {
    /// Of the executions that succeeded.
    pub latencies: Latencies,
    /// Errors that ended their transaction, and those that were answered with another try.
    pub failed: u64,
    pub retries: u64,
    pub rows: u64,
    pub usage: Usage,
}

/// Words before the latencies.
const TOTALS: usize = 10;

impl CommandStats {
    /// Words of a command in the segment.
    pub const WORDS: usize = TOTALS + Latencies::WORDS;

    /// Counts an execution that succeeded.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.latencies.record(latency_ns);
    }

    /// Adds this client's figures to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        let usage = &self.usage;
        let totals: [u64; TOTALS] = [
            self.failed,
            self.retries,
            self.rows,
            usage.shared_blks_hit,
            usage.shared_blks_read,
            usage.shared_blks_dirtied,
            usage.shared_blks_written,
            usage.wal_records,
            usage.wal_fpi,
            usage.wal_bytes,
        ];
        for (word, total) in words.iter().zip(totals) {
            word.fetch_add(total, Relaxed);
        }
        self.latencies.publish(&words[TOTALS..]);
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> CommandStats {
        let word = |i: usize| words[i].load(Relaxed);
        CommandStats {
            failed: word(0),
            retries: word(1),
            rows: word(2),
            usage: Usage {
                shared_blks_hit: word(3),
                shared_blks_read: word(4),
                shared_blks_dirtied: word(5),
                shared_blks_written: word(6),
                wal_records: word(7),
                wal_fpi: word(8),
                wal_bytes: word(9),
            },
            latencies: Latencies::read(&words[TOTALS..]),
        }
    }
}
