//! The resolution of a metric's values. Runs with equal values may still differ by up to one step, so a few runs without any
//! variance do not make the smallest difference certain.

/// A record of WAL begins at a whole word.
const WORD: f64 = 8.0;
/// A relation grows by whole pages.
pub const PAGE: f64 = 8192.0;
/// The difference by which two clocks may drift apart.
const CLOCK: f64 = 1e-4;
/// The greatest width of a latency histogram's bucket, as a share of its value (two significant digits).
const BUCKET: f64 = 1.0 / 128.0;
/// Of shares of what is not known here, in percent.
const PERCENT: f64 = 0.01;

/// The step of a metric with that value.
pub fn of(metric: &str, value: f64) -> f64 {
    if metric == "tps" || metric.ends_with("_ms") || metric.ends_with("_s") {
        let share = if metric.starts_with("latency_p") {
            BUCKET
        } else {
            CLOCK
        };
        share * value.abs()
    } else if metric.ends_with("_percent") {
        PERCENT
    } else if metric.ends_with("size_bytes") || metric.ends_with("growth_bytes") {
        PAGE
    } else if metric.starts_with("wal_bytes") {
        WORD
    } else {
        1.0
    }
}

/// The step of a metric that a workload's author defines, of which nothing is known: a whole number counts something, any other one
/// is measured.
pub fn of_own(metric: &str, value: f64) -> f64 {
    let step = of(metric, value);
    match value.fract() == 0.0 {
        true => step,
        false => step.min(CLOCK * value.abs()),
    }
}

/// The step of a metric that is a count divided by `under`: by transaction, by call, by second, or a share in percent.
pub fn of_ratio(metric: &str, value: f64, under: f64) -> f64 {
    if metric == "tps" {
        return of(metric, value).max(1.0 / under);
    }
    if metric.ends_with("_percent") {
        return 100.0 / under;
    }
    let counted = ["_per_tx", "_per_call"]
        .iter()
        .find_map(|suffix| metric.strip_suffix(suffix))
        .unwrap_or(metric);
    of(counted, value) / under
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_derived_of_a_count_has_its_step() {
        assert_eq!(of("shared_blks_read", 1.0), 1.0);
        assert_eq!(of_ratio("shared_blks_read_per_call", 1e-5, 1e5), 1e-5);
        assert_eq!(of_ratio("wal_bytes_per_tx", 400.0, 1000.0), 0.008);
        assert_eq!(of_ratio("hit_percent", 99.9, 1000.0), 0.1);
        assert_eq!(of_ratio("tps", 50.0, 20.0), 0.05);
        assert_eq!(of("growth_bytes", 0.0), PAGE);
    }

    #[test]
    fn what_is_measured_has_that_of_its_clock_or_histogram() {
        assert!((of("latency_avg_ms", 5.0) - 0.0005).abs() < 1e-12);
        assert!((of("duration_s", 20.0) - 0.002).abs() < 1e-12);
        assert_eq!(of("latency_p99_ms", 1.28), 0.01);
        assert_eq!(of("cpu_user_percent", 12.0), 0.01);
        assert_eq!(of_own("orders", 12.0), 1.0);
        assert!((of_own("orders_per_item", 0.5) - 0.00005).abs() < 1e-12);
    }
}
