//! The figures of a run's summary as series over its intervals, which show their precision within one run.

use super::compared_run::Interval;
use measure::statistics::Estimate;

/// The precision of a figure of a run's summary, `value`, from its intervals; None if they lack it, or are too few.
pub fn estimate(metric: &str, value: f64, intervals: &[Interval]) -> Option<Estimate> {
    let estimate = Estimate::of_short_series(&ratios(&equally_long(parts(metric, intervals)?))?)?;
    // A percentile of the run is not the mean of the intervals' percentiles; its relative error is theirs.
    if estimate.mean == 0.0 {
        return (value == 0.0).then_some(estimate);
    }
    Some(estimate.scaled(value / estimate.mean))
}

/// An interval's share of a ratio of sums: `over / under`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct RatioPart {
    seconds: f64,
    over: f64,
    under: f64,
}

/// Numerator and denominator of the metric, interval by interval.
fn parts(metric: &str, intervals: &[Interval]) -> Option<Vec<RatioPart>> {
    let per_second = |count: fn(&Interval) -> f64| ratio(intervals, count, |i| i.seconds);
    let weighted = |value: fn(&Interval) -> Option<f64>| {
        ratio(
            intervals,
            |i| value(i).unwrap_or(0.0) * i.transactions,
            |i| value(i).map_or(0.0, |_| i.transactions),
        )
    };
    Some(match metric {
        "tps" | "transactions" => per_second(|i| i.transactions),
        "failed" => per_second(|i| i.failed),
        "retried" => per_second(|i| i.retried),
        "retries" => per_second(|i| i.retries),
        "skipped" => per_second(|i| i.skipped),
        "late" => per_second(|i| i.late),
        "wal_bytes" => per_second(|i| i.wal_bytes),
        "shared_blks_hit" => per_second(|i| i.shared_blks_hit),
        "shared_blks_read" => per_second(|i| i.shared_blks_read),
        "wal_bytes_per_tx" => ratio(intervals, |i| i.wal_bytes, |i| i.transactions),
        "failed_percent" => ratio(
            intervals,
            |i| i.failed,
            |i| i.transactions + i.skipped + i.failed,
        ),
        "hit_percent" => ratio(
            intervals,
            |i| i.shared_blks_hit,
            |i| i.shared_blks_hit + i.shared_blks_read,
        ),
        "latency_avg_ms" => weighted(|i| i.latency.latency_avg_ms),
        "latency_stddev_ms" => weighted(|i| i.latency.latency_stddev_ms),
        "latency_p50_ms" => weighted(|i| i.latency.latency_p50_ms),
        "latency_p90_ms" => weighted(|i| i.latency.latency_p90_ms),
        "latency_p95_ms" => weighted(|i| i.latency.latency_p95_ms),
        "latency_p99_ms" => weighted(|i| i.latency.latency_p99_ms),
        "latency_p999_ms" => weighted(|i| i.latency.latency_p999_ms),
        "lag_avg_ms" => weighted(|i| i.lag_avg_ms),
        _ => return None,
    })
}

fn ratio(
    intervals: &[Interval],
    over: impl Fn(&Interval) -> f64,
    under: impl Fn(&Interval) -> f64,
) -> Vec<RatioPart> {
    intervals
        .iter()
        .map(|interval| RatioPart {
            seconds: interval.seconds,
            over: over(interval),
            under: under(interval),
        })
        .collect()
}

/// Neighbours joined until all are about as long as the longest: old intervals of a long run are rolled up,
/// and the last one may be cut short. The rest at the end goes to the last.
fn equally_long(parts: Vec<RatioPart>) -> Vec<RatioPart> {
    /// An interval is never exactly as long as the next.
    const ABOUT: f64 = 0.9;
    let longest = parts.iter().map(|part| part.seconds).fold(0.0, f64::max);
    let mut joined: Vec<RatioPart> = Vec::new();
    let mut open = RatioPart::default();
    let add = |sum: &mut RatioPart, part: RatioPart| {
        sum.seconds += part.seconds;
        sum.over += part.over;
        sum.under += part.under;
    };
    for part in parts {
        add(&mut open, part);
        if open.seconds >= ABOUT * longest {
            joined.push(std::mem::take(&mut open));
        }
    }
    if let Some(last) = joined.last_mut() {
        add(last, open);
    }
    joined
}

/// Values whose mean is the ratio of the sums and whose variation is that of the ratio (Cochran, Sampling
/// Techniques, chapter 6); None if there is nothing to divide by.
fn ratios(parts: &[RatioPart]) -> Option<Vec<f64>> {
    let over: f64 = parts.iter().map(|part| part.over).sum();
    let under: f64 = parts.iter().map(|part| part.under).sum();
    if under <= 0.0 {
        return None;
    }
    let (ratio, mean) = (over / under, under / parts.len() as f64);
    let values = parts
        .iter()
        .map(|part| ratio + (part.over - ratio * part.under) / mean);
    Some(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Latency;

    fn interval(seconds: f64, transactions: f64, latency_ms: f64) -> Interval {
        Interval {
            seconds,
            transactions,
            latency: Latency {
                latency_avg_ms: (transactions > 0.0).then_some(latency_ms),
                ..Latency::default()
            },
            ..Interval::default()
        }
    }

    #[test]
    fn the_estimate_is_the_runs_own_figure() {
        let intervals: Vec<Interval> = (0..30)
            .map(|i| interval(1.0, f64::from(90 + i % 3 * 10), 2.0 + f64::from(i % 5)))
            .collect();
        let tps = estimate("tps", 100.0, &intervals).unwrap();
        assert!((tps.mean - 100.0).abs() < 1e-9 && tps.variance > 0.0);
        assert_eq!(tps.count, 30);
        let latency = estimate("latency_avg_ms", 4.2, &intervals).unwrap();
        assert!((latency.mean - 4.2).abs() < 1e-9);
        assert_eq!(estimate("latency_max_ms", 9.0, &intervals), None);
        assert_eq!(estimate("tps", 100.0, &intervals[..4]), None);
    }

    #[test]
    fn intervals_that_were_rolled_up_weigh_as_much_as_they_are_long() {
        let mut intervals = vec![interval(60.0, 6_000.0, 1.0); 12];
        intervals.extend(vec![interval(1.0, 100.0, 1.0); 125]);
        let parts = equally_long(parts("tps", &intervals).unwrap());
        assert_eq!(parts.len(), 14);
        assert!(
            parts
                .iter()
                .all(|part| (part.over / part.seconds - 100.0).abs() < 1e-9)
        );
        let tps = estimate("tps", 100.0, &intervals).unwrap();
        assert!(tps.variance < 1e-12);
    }

    #[test]
    fn seconds_without_a_transaction_have_no_latency() {
        let mut intervals = vec![interval(1.0, 10.0, 5.0); 12];
        intervals.push(interval(1.0, 0.0, 0.0));
        let latency = estimate("latency_avg_ms", 5.0, &intervals).unwrap();
        assert_eq!((latency.mean, latency.variance), (5.0, 0.0));
        let none = vec![interval(1.0, 0.0, 0.0); 12];
        assert_eq!(estimate("latency_avg_ms", 0.0, &none), None);
    }
}
