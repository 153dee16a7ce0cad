//! Sums and sparse histograms of latencies, small enough for a thousand intervals.

use measure::{Histogram, Latency, index_of};
use std::collections::BTreeMap;

/// The longest latency that is believed, µs: a month.
pub const LONGEST_US: u64 = 31 * 86_400 * 1_000_000;

/// The latencies of a set of transactions.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    count: u64,
    sum_us: u128,
    sum_sq: f64,
    max_us: Option<u64>,
    counters: BTreeMap<u16, u64>,
}

impl Latencies {
    /// Counts one latency of at most [`LONGEST_US`].
    pub fn record(&mut self, us: u64) {
        self.sums(1, u128::from(us), us as f64 * us as f64, us);
        // A histogram has fewer counters than 2^16.
        let counter = u16::try_from(index_of(us * 1_000)).unwrap_or(u16::MAX);
        *self.counters.entry(counter).or_default() += 1;
    }

    /// Adds transactions of which only sums are known: µs, and µs².
    pub fn sums(&mut self, count: u64, sum_us: u128, sum_sq: f64, max_us: u64) {
        if count > 0 {
            self.count = self.count.saturating_add(count);
            self.sum_us = self.sum_us.saturating_add(sum_us);
            self.sum_sq += sum_sq;
            self.max_us = self.max_us.max(Some(max_us));
        }
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Latencies) {
        self.sums(
            other.count,
            other.sum_us,
            other.sum_sq,
            other.max_us.unwrap_or(0),
        );
        for (counter, count) in &other.counters {
            *self.counters.entry(*counter).or_default() += count;
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// None if only sums are known.
    pub fn histogram(&self) -> Option<Histogram> {
        (!self.counters.is_empty()).then(|| {
            let mut histogram = Histogram::new();
            let last = self.counters.keys().next_back().map_or(0, |last| *last);
            let count = |counter| self.counters.get(&counter).copied().unwrap_or(0);
            histogram.add_counts((0..=last).map(count));
            histogram
        })
    }

    /// The columns; quantiles only where there is a histogram.
    pub fn latency(&self) -> Latency {
        if self.count == 0 {
            return Latency::default();
        }
        let mean_us = self.sum_us as f64 / self.count as f64;
        let variance = self.sum_sq / self.count as f64 - mean_us * mean_us;
        let histogram = self.histogram();
        let quantile = |q| {
            let ns = histogram.as_ref()?.quantile(q)?;
            // A quantile is the top of its counter, which may lie above the longest latency.
            Some(ns.min(self.max_us? * 1_000) as f64 / 1e6)
        };
        Latency {
            latency_avg_ms: Some(mean_us / 1e3),
            // Rounding can leave equal latencies with a variance just below 0.
            latency_stddev_ms: Some(variance.max(0.0).sqrt() / 1e3),
            latency_p50_ms: quantile(0.5),
            latency_p90_ms: quantile(0.9),
            latency_p95_ms: quantile(0.95),
            latency_p99_ms: quantile(0.99),
            latency_p999_ms: quantile(0.999),
            latency_p9999_ms: quantile(0.9999),
            latency_max_ms: self.max_us.map(|us| us as f64 / 1e3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_latencies() {
        let mut all = Latencies::default();
        let mut second = Latencies::default();
        for us in [2_000, 4_000, 4_000, 4_000] {
            all.record(us);
        }
        for us in [5_000, 5_000, 7_000, 9_000] {
            second.record(us);
        }
        all.merge(&second);
        let latency = all.latency();
        assert_eq!(all.count(), 8);
        assert_eq!(latency.latency_avg_ms, Some(5.0));
        assert_eq!(latency.latency_stddev_ms, Some(2.0));
        assert_eq!(latency.latency_max_ms, Some(9.0));
        assert_eq!(latency.latency_p9999_ms, Some(9.0));
        let median = latency.latency_p50_ms.unwrap();
        assert!((4.0..4.04).contains(&median), "{median}");
        assert_eq!(all.histogram().unwrap().count(), 8);
    }

    #[test]
    fn sums_alone_have_no_quantiles() {
        let mut sums = Latencies::default();
        assert_eq!(sums.latency(), Latency::default());
        sums.sums(2, 3_000, 5_000_000.0, 2_000);
        let latency = sums.latency();
        assert_eq!(latency.latency_avg_ms, Some(1.5));
        assert_eq!(latency.latency_stddev_ms, Some(0.5));
        assert_eq!(latency.latency_max_ms, Some(2.0));
        assert_eq!(latency.latency_p50_ms, None);
        assert_eq!(sums.histogram(), None);
    }

    #[test]
    fn the_longest_latency_is_counted() {
        let mut one = Latencies::default();
        one.record(LONGEST_US);
        assert_eq!(one.histogram().unwrap().count(), 1);
    }
}
