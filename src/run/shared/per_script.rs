//! What became of the transactions of each script of a mix: each client counts for itself and adds it up at
//! its end. A run of one script has no use for it: the run's totals are that script's.

use super::latencies::Latencies;
use super::outcomes::Outcomes;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Statistics of one script.
#[derive(Default, Serialize, Deserialize)]
pub struct ScriptStats {
    /// Of the transactions that succeeded.
    pub latencies: Latencies,
    pub outcomes: Outcomes,
}

impl ScriptStats {
    /// Words of a script in the segment.
    pub const WORDS: usize = Outcomes::COUNT + Latencies::WORDS;

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &ScriptStats) {
        self.latencies.merge(&other.latencies);
        self.outcomes.merge(&other.outcomes);
    }

    /// Adds this client's figures to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        for (word, count) in words.iter().zip(self.outcomes.to_words()) {
            word.fetch_add(count, Relaxed);
        }
        self.latencies.publish(&words[Outcomes::COUNT..]);
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> ScriptStats {
        ScriptStats {
            outcomes: Outcomes::from_words(std::array::from_fn(|i| words[i].load(Relaxed))),
            latencies: Latencies::read(&words[Outcomes::COUNT..]),
        }
    }
}
