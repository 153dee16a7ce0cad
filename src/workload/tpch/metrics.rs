//! The metrics of a run (TPC-H 5.4): without refresh functions, so over the 22 queries alone. They need a time of each query: if
//! one of them failed or was not run, those of all queries are NULL.

use super::queries::{QUERIES, name};
use crate::workload::family::{Measured, MeasuredScript};

const HOUR_S: f64 = 3_600.0;

pub(super) fn of(measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
    let times = (1..=QUERIES).map(|number| time_s(&measured.scripts, &name(number)));
    let times: Vec<Option<f64>> = times.collect();
    let missing = times.iter().filter(|time| time.is_none()).count();
    let times: Option<Vec<f64>> = times.into_iter().collect();
    let of_times = |figure: fn(&[f64]) -> f64| times.as_deref().map(figure);
    let geometric = of_times(geometric_mean);
    let done: u64 = measured.scripts.iter().map(|it| it.transactions).sum();
    let per_hour = |seconds: f64| Some(measured.scale? * HOUR_S / seconds);
    let throughput = times
        .as_ref()
        .and_then(|_| per_hour(measured.seconds / done as f64));
    let mut metrics = vec![
        ("geometric_mean_s", geometric),
        ("query_times_s", of_times(|times| times.iter().sum())),
        (
            "slowest_query_s",
            of_times(|times| times.iter().copied().fold(0.0, f64::max)),
        ),
        ("queries_without_time", Some(missing as f64)),
        ("throughput_at_size", throughput),
    ];
    // The power of a stream that others disturb is none.
    if measured.clients == 1 {
        let power = of_times(power_mean).and_then(per_hour);
        let both = power.zip(throughput);
        metrics.push(("power_at_size", power));
        metrics.push((
            "queries_per_hour_at_size",
            both.map(|(power, throughput)| (power * throughput).sqrt()),
        ));
    }
    metrics
}

/// The mean time of a query, if all of its executions succeeded.
fn time_s(scripts: &[MeasuredScript], name: &str) -> Option<f64> {
    let script = scripts.iter().find(|script| script.name == name)?;
    script
        .mean_ms
        .filter(|_| script.failed == 0)
        .map(|mean_ms| mean_ms / 1e3)
}

fn geometric_mean(times: &[f64]) -> f64 {
    let sum: f64 = times.iter().map(|time| time.ln()).sum();
    (sum / times.len() as f64).exp()
}

/// The mean of a power test: queries a thousand times faster than the slowest one, or more, count as a thousand times faster
/// (5.4.1.4).
fn power_mean(times: &[f64]) -> f64 {
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let times: Vec<f64> = times.iter().map(|time| time.max(slowest / 1e3)).collect();
    geometric_mean(&times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A run in which the n-th query took n seconds, with changes.
    fn metrics(
        clients: usize,
        change: impl Fn(&mut MeasuredScript),
    ) -> BTreeMap<&'static str, Option<f64>> {
        let names: Vec<_> = (1..=QUERIES).map(name).collect();
        let script = |(i, name): (usize, &'static str)| {
            let mut script = MeasuredScript {
                name,
                transactions: clients as u64,
                failed: 0,
                mean_ms: Some(1e3 * (i + 1) as f64),
                p90_ms: None,
                commands: Vec::new(),
            };
            change(&mut script);
            script
        };
        let names = names.into_iter().map(|name| &*name.leak());
        let scripts = names.enumerate().map(script).collect();
        let measured = Measured {
            seconds: 300.0,
            clients,
            scale: Some(10.0),
            scripts,
        };
        of(&measured).into_iter().collect()
    }

    #[test]
    fn power_and_throughput_of_one_stream() {
        let metrics = metrics(1, |_| {});
        let is = |name, expected: f64| {
            let found: f64 = metrics[name].unwrap();
            assert!((found / expected - 1.0).abs() < 1e-9, "{name} {found}");
        };
        // 22! to the power of 1/22.
        let geometric = (2..=22).map(|n| f64::from(n).ln()).sum::<f64>() / 22.0;
        is("geometric_mean_s", geometric.exp());
        is("query_times_s", 253.0);
        is("slowest_query_s", 22.0);
        is("throughput_at_size", 22.0 * 3_600.0 / 300.0 * 10.0);
        is("power_at_size", 36_000.0 / geometric.exp());
        is(
            "queries_per_hour_at_size",
            (2_640.0 * 36_000.0 / geometric.exp()).sqrt(),
        );
        assert_eq!(metrics["queries_without_time"], Some(0.0));
    }

    #[test]
    fn one_very_fast_query_does_not_make_the_power() {
        let power = |first_ms: f64| {
            let metrics = metrics(1, |script| {
                if script.name == "q01" {
                    script.mean_ms = Some(first_ms);
                }
            });
            metrics["power_at_size"].unwrap()
        };
        // The slowest takes 22 seconds.
        assert!((power(0.001) / power(22.0) - 1.0).abs() < 1e-9);
        assert!(power(23.0) < power(22.0) * (1.0 - 1e-4));
    }

    #[test]
    fn several_streams_have_throughput_alone() {
        let metrics = metrics(3, |_| {});
        assert!((metrics["throughput_at_size"].unwrap() - 3.0 * 2_640.0).abs() < 1e-9);
        assert!(!metrics.contains_key("power_at_size"));
        assert!(!metrics.contains_key("queries_per_hour_at_size"));
    }

    #[test]
    fn without_all_times_there_is_no_figure_of_all_queries() {
        let failed = metrics(1, |script| script.failed = u64::from(script.name == "q05"));
        let not_run = metrics(1, |script| {
            if script.name == "q22" {
                (script.transactions, script.mean_ms) = (0, None);
            }
        });
        for metrics in [failed, not_run] {
            assert_eq!(metrics.len(), 7);
            for (name, value) in metrics {
                let expected = Some(1.0).filter(|_| name == "queries_without_time");
                assert_eq!(value, expected, "{name}");
            }
        }
    }
}
