//! The outcomes of transactions for each script of a mix. Each client counts for itself. A run of one script does not need
//! them: its totals are those of the script.

use crate::latencies::Latencies;
use crate::outcomes::Outcomes;
use serde::{Deserialize, Serialize};

/// Statistics of one script.
#[derive(Default, Serialize, Deserialize)]
pub struct ScriptStats {
    /// Of the transactions that succeeded.
    pub latencies: Latencies,
    pub outcomes: Outcomes,
}

impl ScriptStats {
    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &ScriptStats) {
        self.latencies.merge(&other.latencies);
        self.outcomes.merge(&other.outcomes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_two_sources_add_up() {
        let stats = |times: u64| {
            let mut stats = ScriptStats::default();
            stats.latencies.record(times);
            stats.outcomes.late = times;
            stats
        };
        let mut sum = stats(1);
        sum.merge(&stats(2));
        assert_eq!(sum.latencies.moments.sum_ns, 3);
        assert_eq!(sum.latencies.histogram.count(), 2);
        assert_eq!(sum.outcomes.late, 3);
    }
}
