//! What became of the transactions of each script of a mix: each client counts for itself and adds it up at
//! its end. A run of one script has no use for it: the run's totals are that script's.

use super::failure::FailureKind;
use super::latencies::Latencies;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics of one script.
#[derive(Default)]
pub struct ScriptStats {
    /// Of the transactions that succeeded.
    pub latencies: Latencies,
    pub serialization_failures: u64,
    pub deadlock_failures: u64,
    pub other_failures: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
}

/// Words before the latencies.
const TOTALS: usize = 7;

impl ScriptStats {
    /// Words of a script in the segment.
    pub const WORDS: usize = TOTALS + Latencies::WORDS;

    /// Counts a transaction that failed.
    pub fn count_failure(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Serialization => self.serialization_failures += 1,
            FailureKind::Deadlock => self.deadlock_failures += 1,
            FailureKind::Other => self.other_failures += 1,
        }
    }

    /// Transactions that failed, for whatever reason.
    pub fn failed(&self) -> u64 {
        self.serialization_failures + self.deadlock_failures + self.other_failures
    }

    /// Adds this client's figures to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        let totals: [u64; TOTALS] = [
            self.serialization_failures,
            self.deadlock_failures,
            self.other_failures,
            self.retried,
            self.retries,
            self.skipped,
            self.late,
        ];
        for (word, total) in words.iter().zip(totals) {
            word.fetch_add(total, Relaxed);
        }
        self.latencies.publish(&words[TOTALS..]);
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> ScriptStats {
        let word = |i: usize| words[i].load(Relaxed);
        ScriptStats {
            serialization_failures: word(0),
            deadlock_failures: word(1),
            other_failures: word(2),
            retried: word(3),
            retries: word(4),
            skipped: word(5),
            late: word(6),
            latencies: Latencies::read(&words[TOTALS..]),
        }
    }
}
