//! What the commands of a run's scripts did: each client counts for itself and adds it up at its end.

use crate::measure::{COUNTERS, Histogram, Moments};
use crate::pg::usage::Usage;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics of one command (a statement or a meta-command).
#[derive(Default)]
pub struct CommandStats {
    /// Of the executions that succeeded.
    pub latency: Moments,
    pub histogram: Histogram,
    pub failed: u64,
    pub rows: u64,
    pub usage: Usage,
}

/// Words before the histogram.
const TOTALS: usize = 16;

impl CommandStats {
    /// Words of a command in the segment.
    pub const WORDS: usize = TOTALS + COUNTERS;

    /// Counts an execution that succeeded.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.latency.record(latency_ns);
        self.histogram.record(latency_ns);
    }

    /// Adds this client's figures to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        let usage = &self.usage;
        let totals = [
            self.latency.count,
            self.failed,
            self.latency.sum_ns,
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
        words[TOTALS - 2].fetch_max(self.latency.max_ns.unwrap_or(0), Relaxed);
        // Always succeeds: the closure never declines.
        let _ = words[TOTALS - 1].fetch_update(Relaxed, Relaxed, |bits| {
            Some((f64::from_bits(bits) + self.latency.sum_sq).to_bits())
        });
        for (word, &count) in words[TOTALS..].iter().zip(self.histogram.counts()) {
            if count > 0 {
                word.fetch_add(count, Relaxed);
            }
        }
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> CommandStats {
        let word = |i: usize| words[i].load(Relaxed);
        let mut histogram = Histogram::new();
        histogram.add_counts(words[TOTALS..].iter().map(|count| count.load(Relaxed)));
        CommandStats {
            latency: Moments {
                count: word(0),
                sum_ns: word(2),
                sum_sq: f64::from_bits(word(TOTALS - 1)),
                max_ns: (word(0) > 0).then(|| word(TOTALS - 2)),
            },
            failed: word(1),
            rows: word(3),
            usage: Usage {
                shared_blks_hit: word(4),
                shared_blks_read: word(5),
                shared_blks_dirtied: word(6),
                shared_blks_written: word(7),
                wal_records: word(8),
                wal_fpi: word(9),
                wal_bytes: word(10),
            },
            histogram,
        }
    }
}
