//! The figures of several runs as those of one: counts are added, latencies put together with their histograms, so that percentiles are those
//! of all transactions.

use crate::error::{Result, invalid};
use measure::{Histogram, Latency, Moments};

/// Latencies that were counted elsewhere, put together.
#[derive(Debug, Clone, Default)]
pub struct Pooled {
    pub moments: Moments,
    pub histogram: Histogram,
}

impl Pooled {
    /// Adds those of so many transactions. `histogram`: in hexadecimal digits.
    ///
    /// # Errors
    /// It is no histogram.
    pub fn add(&mut self, count: u64, latency: &Latency, histogram: Option<&str>) -> Result<()> {
        if let Some(mean) = latency.latency_avg_ms {
            let deviation = latency.latency_stddev_ms.unwrap_or(0.0);
            let all = count as f64;
            self.moments.merge(&Moments {
                count,
                sum_ns: (mean * all * 1e6).round() as u64,
                sum_sq: all * (mean * mean + deviation * deviation) * 1e6,
                max_ns: latency.latency_max_ms.map(|ms| (ms * 1e6).round() as u64),
            });
        }
        if let Some(digits) = histogram {
            let added = bytes(digits).map(|bytes| self.histogram.add_encoded(&bytes));
            if !matches!(added, Some(Ok(()))) {
                return Err(invalid("a histogram of a node cannot be read"));
            }
        }
        Ok(())
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Pooled) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
    }

    pub fn latency(&self) -> Latency {
        Latency::new(&self.moments, &self.histogram)
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

/// The mean of means, each of so many; None: one is not known, or there is none.
pub fn mean(means: impl Iterator<Item = (Option<f64>, u64)>) -> Option<f64> {
    let (mut sum, mut all) = (0.0, 0);
    for (mean, count) in means.filter(|(_, count)| *count > 0) {
        sum += mean? * count as f64;
        all += count;
    }
    (all > 0).then(|| sum / all as f64)
}

/// The sum of counts; None: one is not known, or there is none.
pub fn sum(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let counts: Option<Vec<u64>> = counts.collect();
    counts
        .filter(|all| !all.is_empty())
        .map(|all| all.iter().sum())
}

/// Whether one is true; None: none is, and one is not known.
pub fn any(flags: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let flags: Vec<Option<bool>> = flags.collect();
    match flags.contains(&Some(true)) {
        true => Some(true),
        false => (!flags.contains(&None)).then_some(false),
    }
}

/// The greatest that is known.
pub fn greatest(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(f64::max)
}

/// A rate; 0 where no time has passed.
pub fn per_second(count: u64, seconds: f64) -> f64 {
    match seconds > 0.0 {
        true => count as f64 / seconds,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies_ns: &[u64]) -> (u64, Latency, String) {
        let (mut moments, mut histogram) = (Moments::default(), Histogram::new());
        for ns in latencies_ns {
            moments.record(*ns);
            histogram.record(*ns);
        }
        let bytes = histogram.encode_v2().unwrap();
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let latency = Latency::new(&moments, &histogram);
        (moments.count, latency, digits)
    }

    #[test]
    fn what_is_put_together_is_as_if_counted_once() {
        let few = [1_000_000, 2_000_000, 90_000_000];
        let many: Vec<u64> = (1..500).map(|n| n * 100_000).collect();
        let mut pooled = Pooled::default();
        for part in [&few[..], &many, &[]] {
            let (count, latency, digits) = of(part);
            pooled.add(count, &latency, Some(&digits)).unwrap();
        }
        let (count, expected, _) = of(&[&few[..], &many].concat());
        let found = pooled.latency();
        assert_eq!(pooled.moments.count, count);
        assert_eq!(found.latency_p99_ms, expected.latency_p99_ms);
        assert_eq!(found.latency_max_ms, Some(90.0));
        for (found, expected) in [
            (found.latency_avg_ms, expected.latency_avg_ms),
            (found.latency_stddev_ms, expected.latency_stddev_ms),
        ] {
            assert!((found.unwrap() - expected.unwrap()).abs() < 1e-6);
        }
        assert!(pooled.add(1, &expected, Some("xy")).is_err());
    }

    #[test]
    fn what_one_does_not_know_is_not_known() {
        assert_eq!(sum([Some(1), Some(2)].into_iter()), Some(3));
        assert_eq!(sum([Some(1), None].into_iter()), None);
        assert_eq!(sum(std::iter::empty()), None);
        assert_eq!(
            mean([(Some(1.0), 1), (Some(4.0), 2), (None, 0)].into_iter()),
            Some(3.0)
        );
        assert_eq!(mean([(None, 1)].into_iter()), None);
        assert_eq!(any([Some(false), None, Some(true)].into_iter()), Some(true));
        assert_eq!(any([Some(false), None].into_iter()), None);
        assert_eq!(
            greatest([None, Some(2.0), Some(1.0)].into_iter()),
            Some(2.0)
        );
    }
}
