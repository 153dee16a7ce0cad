//! Latencies that a client counts for itself and adds to the segment at its end.

use crate::run::record::rows::bytea;
use measure::{COUNTERS, Histogram, Latency, Moments};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Latencies as moments, which are exact, and as a histogram.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Latencies {
    pub moments: Moments,
    pub histogram: Histogram,
}

/// Words before the histogram: count, sum, longest, squares.
const MOMENTS: usize = 4;

impl Latencies {
    /// Words in the segment.
    pub const WORDS: usize = MOMENTS + COUNTERS;

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

    /// The histogram as the text of a `bytea`.
    pub fn encoded(&self) -> Option<String> {
        self.histogram.encode_v2().ok().map(|bytes| bytea(&bytes))
    }

    /// Adds this client's latencies to the segment's; several clients may do so at once.
    pub fn publish(&self, words: &[AtomicU64]) {
        let Some(([count, sum, max, squares], histogram)) = words.split_first_chunk() else {
            return;
        };
        count.fetch_add(self.moments.count, Relaxed);
        sum.fetch_add(self.moments.sum_ns, Relaxed);
        max.fetch_max(self.moments.max_ns.unwrap_or(0), Relaxed);
        // Always succeeds: the closure never declines.
        let _ = squares.fetch_update(Relaxed, Relaxed, |bits| {
            Some((f64::from_bits(bits) + self.moments.sum_sq).to_bits())
        });
        for (word, &count) in histogram.iter().zip(self.histogram.counts()) {
            if count > 0 {
                word.fetch_add(count, Relaxed);
            }
        }
    }

    /// Reads what the clients have added up.
    pub fn read(words: &[AtomicU64]) -> Latencies {
        let mut latencies = Latencies::default();
        if let Some(([count, sum, max, squares], histogram)) = words.split_first_chunk() {
            let count = count.load(Relaxed);
            latencies.moments = Moments {
                count,
                sum_ns: sum.load(Relaxed),
                sum_sq: f64::from_bits(squares.load(Relaxed)),
                max_ns: (count > 0).then(|| max.load(Relaxed)),
            };
            let counts = histogram.iter().map(|count| count.load(Relaxed));
            latencies.histogram.add_counts(counts);
        }
        latencies
    }
}
