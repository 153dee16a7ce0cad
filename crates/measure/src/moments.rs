//! Count, sum and sum of squares of latencies: all that pgbench keeps of them (pgbench.c
//! SimpleStats), and so the source of the average and standard deviation that it prints.

use serde::{Deserialize, Serialize};

/// The sums over a set of latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Their sum, ns.
    pub sum_ns: u64,
    /// The sum of their squares, µs².
    pub sum_sq: f64,
    /// The longest, ns; `None` if there is none, or if it is not known (see [`subtract`](Self::subtract)).
    pub max_ns: Option<u64>,
}

impl Moments {
    /// Counts one latency, ns.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let us = ns as f64 / 1e3;
        self.count += 1;
        self.sum_ns += ns;
        self.sum_sq += us * us;
        self.max_ns = self.max_ns.max(Some(ns));
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Moments) {
        self.max_ns = match (self.count, other.count) {
            (_, 0) => self.max_ns,
            (0, _) => other.max_ns,
            _ => self
                .max_ns
                .zip(other.max_ns)
                .map(|(own, other)| own.max(other)),
        };
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.sum_sq += other.sum_sq;
    }

    /// Subtracts an earlier state of the same moments, which leaves the latencies counted since then. The longest
    /// latency since is known only if it is the longest of all; otherwise the histogram has it.
    pub fn subtract(&mut self, earlier: &Moments) {
        self.count = self.count.saturating_sub(earlier.count);
        self.sum_ns = self.sum_ns.saturating_sub(earlier.sum_ns);
        self.sum_sq = (self.sum_sq - earlier.sum_sq).max(0.0);
        self.max_ns = self.max_ns.filter(|&max| Some(max) > earlier.max_ns);
    }

    /// The average, ms; `None` if there is none.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64 / 1e6)
    }

    /// The population standard deviation, ms; `None` if there is none.
    pub fn stddev_ms(&self) -> Option<f64> {
        let mean_us = self.mean_ms()? * 1e3;
        let variance = self.sum_sq / self.count as f64 - mean_us * mean_us;
        // Rounding can leave equal latencies with a variance just below 0.
        Some(variance.max(0.0).sqrt() / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(latencies_ns: &[u64]) -> Moments {
        let mut moments = Moments::default();
        latencies_ns.iter().for_each(|&ns| moments.record(ns));
        moments
    }

    #[test]
    fn mean_and_population_deviation() {
        let m = moments(&[
            2_000_000, 4_000_000, 4_000_000, 4_000_000, 5_000_000, 5_000_000, 7_000_000, 9_000_000,
        ]);
        assert_eq!(m.mean_ms(), Some(5.0));
        assert_eq!(m.stddev_ms(), Some(2.0));
        assert_eq!(m.max_ns, Some(9_000_000));
    }

    #[test]
    fn nothing_counted_has_no_figures() {
        assert_eq!(Moments::default().mean_ms(), None);
        assert_eq!(Moments::default().stddev_ms(), None);
        assert_eq!(Moments::default().max_ns, None);
    }

    #[test]
    fn equal_latencies_do_not_deviate() {
        let m = moments(&[7_123_457; 1_000]);
        assert!(m.stddev_ms().unwrap() < 1e-6);
    }

    #[test]
    fn an_interval_is_the_difference_of_two_states() {
        let first = moments(&[1_000, 5_000]);
        let mut all = first;
        all.record(3_000);
        let mut interval = all;
        interval.subtract(&first);
        assert_eq!(
            (interval.count, interval.sum_ns, interval.sum_sq),
            (1, 3_000, 9.0)
        );
        assert_eq!(interval.max_ns, None);

        all.record(9_000);
        let mut interval = all;
        interval.subtract(&first);
        assert_eq!(
            (interval.count, interval.sum_ns, interval.max_ns),
            (2, 12_000, Some(9_000))
        );
    }

    #[test]
    fn an_unknown_longest_stays_unknown() {
        let unknown = Moments {
            max_ns: None,
            ..moments(&[1_000])
        };
        let mut sum = moments(&[2_000]);
        sum.merge(&unknown);
        assert_eq!((sum.count, sum.max_ns), (2, None));

        let mut sum = Moments::default();
        sum.merge(&moments(&[2_000]));
        sum.merge(&Moments::default());
        assert_eq!(sum, moments(&[2_000]));
    }
}
