//! The latency columns that the run tables have in common.

use serde::{Deserialize, Serialize};

use super::{Histogram, Moments};

/// Average, deviation, quantiles and maximum in ms, named as the columns of `run_intervals`,
/// `run_statements` and `run_totals`; for `#[serde(flatten)]` in their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    pub latency_avg_ms: Option<f64>,
    pub latency_stddev_ms: Option<f64>,
    pub latency_p50_ms: Option<f64>,
    pub latency_p90_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    pub latency_p999_ms: Option<f64>,
    pub latency_p9999_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
}

impl Latency {
    /// The columns for latencies counted in both `moments` and `histogram`. The moments are exact and preferred where
    /// they suffice. As a quantile is the top of its counter, it could lie above the exact maximum, to which it is
    /// cut.
    pub fn new(moments: &Moments, histogram: &Histogram) -> Self {
        let max_ns = moments.max_ns.or_else(|| histogram.max());
        let quantile_ms = |q| {
            histogram
                .quantile(q)
                .map(|ns| to_ms(max_ns.map_or(ns, |max| ns.min(max))))
        };
        Self {
            latency_avg_ms: moments.mean_ms(),
            latency_stddev_ms: moments.stddev_ms(),
            latency_p50_ms: quantile_ms(0.5),
            latency_p90_ms: quantile_ms(0.9),
            latency_p95_ms: quantile_ms(0.95),
            latency_p99_ms: quantile_ms(0.99),
            latency_p999_ms: quantile_ms(0.999),
            latency_p9999_ms: quantile_ms(0.9999),
            latency_max_ms: max_ns.map(to_ms),
        }
    }
}

fn to_ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(latencies_ns: impl IntoIterator<Item = u64>) -> (Moments, Histogram) {
        let mut both = (Moments::default(), Histogram::new());
        for ns in latencies_ns {
            both.0.record(ns);
            both.1.record(ns);
        }
        both
    }

    #[test]
    fn figures_of_one_to_a_thousand_ms() {
        let (moments, histogram) = both((1..=1_000).map(|ms| ms * 1_000_000));
        let latency = Latency::new(&moments, &histogram);
        let within = |actual: Option<f64>, exact: f64| {
            let actual = actual.unwrap();
            assert!(
                actual >= exact && actual < exact * (1.0 + 1.0 / 128.0),
                "{actual} for {exact}"
            );
        };
        assert_eq!(latency.latency_avg_ms, Some(500.5));
        assert!((latency.latency_stddev_ms.unwrap() - 288.675).abs() < 0.001);
        within(latency.latency_p50_ms, 500.0);
        within(latency.latency_p90_ms, 900.0);
        within(latency.latency_p95_ms, 950.0);
        within(latency.latency_p99_ms, 990.0);
        within(latency.latency_p999_ms, 999.0);
        within(latency.latency_p9999_ms, 1_000.0);
        assert_eq!(latency.latency_max_ms, Some(1_000.0));
    }

    #[test]
    fn no_quantile_exceeds_the_maximum() {
        let (moments, histogram) = both([1_000_001]);
        let latency = Latency::new(&moments, &histogram);
        assert_eq!(latency.latency_p50_ms, Some(1.000_001));
        assert_eq!(latency.latency_max_ms, Some(1.000_001));
    }

    #[test]
    fn nothing_counted_is_all_null() {
        let (moments, histogram) = both([]);
        assert_eq!(Latency::new(&moments, &histogram), Latency::default());
    }
}
