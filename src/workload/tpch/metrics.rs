//! The metrics of a run (TPC-H 5.4), with the refresh functions if they were part of it. They need a time of each query and each
//! refresh function: if one of them failed or was not run, those of all are NULL.

use super::queries::{QUERIES, name};
use super::refresh;
use crate::workload::family::{Measured, MeasuredScript};

const HOUR_S: f64 = 3_600.0;

pub(super) fn of(measured: &Measured) -> Vec<(&'static str, Option<f64>)> {
    let find = |name: &str| measured.scripts.iter().find(|script| script.name == name);
    let queries: Vec<_> = (1..=QUERIES).map(|number| find(&name(number))).collect();
    // A run without them has no scripts of these names.
    let refreshes: Vec<_> = refresh::NAMES.into_iter().filter_map(find).collect();
    let times: Vec<Option<f64>> = queries.iter().map(|query| time_s((*query)?)).collect();
    let refresh_times: Vec<Option<f64>> = refreshes.iter().copied().map(time_s).collect();
    let all = times.iter().chain(&refresh_times);
    let missing = all.filter(|time| time.is_none()).count();
    let of_all = |times: Vec<Option<f64>>| -> Option<Vec<f64>> {
        let times = times.into_iter().collect::<Option<Vec<f64>>>();
        times.filter(|_| missing == 0)
    };
    let (times, refresh_times) = (of_all(times), of_all(refresh_times));
    let of_times = |figure: fn(&[f64]) -> f64| times.as_deref().map(figure);
    let geometric = of_times(geometric_mean);
    let done: u64 = queries.iter().flatten().map(|it| it.transactions).sum();
    let per_hour = |seconds: f64| Some(measured.scale? * HOUR_S / seconds);
    let throughput = times
        .as_ref()
        .and_then(|_| per_hour(measured.seconds / done as f64));
    let refreshed: u64 = refreshes.iter().map(|it| it.transactions).sum();
    let mut metrics = vec![
        ("geometric_mean_s", geometric),
        ("query_times_s", of_times(|times| times.iter().sum())),
        (
            "slowest_query_s",
            of_times(|times| times.iter().copied().fold(0.0, f64::max)),
        ),
        ("queries_without_time", Some(missing as f64)),
        ("throughput_at_size", throughput),
        ("refreshes", Some(refreshed as f64)),
    ];
    // The power of a stream that others disturb is none.
    if measured.clients == 1 {
        let mean = times.zip(refresh_times);
        let mean = mean.map(|(times, refreshes)| power_mean(&times, &refreshes));
        let power = mean.and_then(per_hour);
        let both = power.zip(throughput);
        metrics.push(("power_at_size", power));
        metrics.push((
            "queries_per_hour_at_size",
            both.map(|(power, throughput)| (power * throughput).sqrt()),
        ));
    }
    metrics
}

/// The mean time of a query or a refresh function, if all of its executions succeeded.
fn time_s(script: &MeasuredScript) -> Option<f64> {
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
/// (5.4.1.4); refresh functions count as they are.
fn power_mean(queries: &[f64], refreshes: &[f64]) -> f64 {
    let slowest = queries.iter().copied().fold(0.0, f64::max);
    let queries = queries.iter().map(|time| time.max(slowest / 1e3));
    let times: Vec<f64> = queries.chain(refreshes.iter().copied()).collect();
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
        metrics_of(
            &(1..=QUERIES).map(name).collect::<Vec<_>>(),
            clients,
            change,
        )
    }

    /// The same of scripts with these names.
    fn metrics_of(
        names: &[String],
        clients: usize,
        change: impl Fn(&mut MeasuredScript),
    ) -> BTreeMap<&'static str, Option<f64>> {
        let names = names.to_vec();
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
        assert_eq!(metrics["refreshes"], Some(0.0));
    }

    /// As above, and the refresh functions took 23 and 24 seconds.
    fn metrics_with_refreshes(
        clients: usize,
        change: impl Fn(&mut MeasuredScript),
    ) -> BTreeMap<&'static str, Option<f64>> {
        let names = (1..=QUERIES).map(name);
        let names = names.chain(refresh::NAMES.map(str::to_owned));
        metrics_of(&names.collect::<Vec<_>>(), clients, change)
    }

    #[test]
    fn refresh_functions_are_part_of_the_power_alone() {
        let without = metrics(1, |_| {});
        let with = metrics_with_refreshes(1, |_| {});
        let same = [
            "geometric_mean_s",
            "query_times_s",
            "slowest_query_s",
            "throughput_at_size",
            "queries_without_time",
        ];
        for name in same {
            assert_eq!(with[name], without[name], "{name}");
        }
        assert_eq!(with["refreshes"], Some(2.0));
        let geometric = (2..=24).map(|n| f64::from(n).ln()).sum::<f64>() / 24.0;
        let power = with["power_at_size"].unwrap();
        assert!((power * geometric.exp() / 36_000.0 - 1.0).abs() < 1e-9);
        // However fast they are.
        let fast = metrics_with_refreshes(1, |script| {
            if script.name == "rf1" {
                script.mean_ms = Some(23.0);
            }
        });
        let ratio = fast["power_at_size"].unwrap() / power;
        assert!((ratio / 1_000_f64.powf(1.0 / 24.0) - 1.0).abs() < 1e-9);
        let failed = metrics_with_refreshes(1, |script| {
            script.failed = u64::from(script.name == "rf2");
        });
        assert_eq!(failed["queries_without_time"], Some(1.0));
        assert_eq!(failed["power_at_size"], None);
        assert_eq!(failed["throughput_at_size"], None);
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
            assert_eq!(metrics.len(), 8);
            for (name, value) in metrics {
                let expected = match name {
                    "queries_without_time" => Some(1.0),
                    "refreshes" => Some(0.0),
                    _ => None,
                };
                assert_eq!(value, expected, "{name}");
            }
        }
    }
}
