//! Latencies that a client counts for itself.

use measure::{Histogram, Latency, Moments};
use serde::{Deserialize, Serialize};

/// Latencies as moments, which are exact, and as a histogram.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Latencies {
    pub moments: Moments,
    pub histogram: Histogram,
}

impl Latencies {
    /// Counts one latency, ns.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.moments.record(ns);
        self.histogram.record(ns);
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Latencies) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
    }

    /// The columns that describe them.
    pub fn columns(&self) -> Latency {
        Latency::new(&self.moments, &self.histogram)
    }
}
