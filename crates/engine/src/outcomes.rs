//! The outcomes of transactions, besides their latency: counted by a client, added up, stored.

use crate::failure::FailureKind;
use serde::{Deserialize, Serialize};

/// Counts of transactions, named as the columns of `pgperf_internal.run_totals` and `pgperf.run_scripts`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    pub serialization_failures: u64,
    pub deadlock_failures: u64,
    pub other_failures: u64,
    pub retried: u64,
    pub retries: u64,
    pub skipped: u64,
    pub late: u64,
}

impl Outcomes {
    /// How many there are.
    pub const COUNT: usize = 7;

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

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Outcomes) {
        let (own, other) = (self.to_words(), other.to_words());
        *self = Outcomes::from_words(std::array::from_fn(|i| own[i] + other[i]));
    }

    /// The counts in their order, for shared memory.
    pub fn to_words(self) -> [u64; Outcomes::COUNT] {
        [
            self.serialization_failures,
            self.deadlock_failures,
            self.other_failures,
            self.retried,
            self.retries,
            self.skipped,
            self.late,
        ]
    }

    /// The counts in that order.
    pub fn from_words(words: [u64; Outcomes::COUNT]) -> Outcomes {
        let [
            serialization_failures,
            deadlock_failures,
            other_failures,
            retried,
            retries,
            skipped,
            late,
        ] = words;
        Outcomes {
            serialization_failures,
            deadlock_failures,
            other_failures,
            retried,
            retries,
            skipped,
            late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places() {
        let words = [1, 2, 3, 4, 5, 6, 7];
        let outcomes = Outcomes::from_words(words);
        assert_eq!(outcomes.to_words(), words);
        assert_eq!(outcomes.failed(), 6);
        let mut twice = outcomes;
        twice.merge(&outcomes);
        assert_eq!(twice.to_words(), words.map(|word| 2 * word));
    }
}
