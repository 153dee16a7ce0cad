//! Figures at the values that vary: means over runs, their changes, and which are as good as the best. Pure.

use crate::experiment::peak;
use crate::show::delta::Delta;
use measure::metrics::{self, Better, Metric, OF_WORKLOAD, Source};
use measure::statistics::mean_interval;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The columns of `run_summary` that are figures of every sweep.
pub const OF_EVERY_RUN: [&str; 3] = ["tps", "latency_p95_ms", "hit_percent"];
/// A rate that says more of receivers than of the workload, and follows tps.
const OF_RECEIVERS: &str = "sustainable_tps";

/// What the finished runs of a point gave.
#[derive(Debug, Clone, Deserialize)]
pub struct Observed {
    pub point_no: i64,
    pub metric: String,
    /// One of each run.
    pub metric_values: Vec<f64>,
}

/// A figure at all values.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figure {
    pub metric: &'static str,
    pub unit: &'static str,
    /// `higher` or `lower`; null: neither is better by itself.
    pub better: Option<&'static str>,
    /// Whether it is what users of the workload speak of.
    pub is_headline: bool,
    /// In the order of the points.
    pub values: Vec<Spread>,
}

/// A figure at a value.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Spread {
    pub point_no: i64,
    /// One of each finished run.
    pub of_runs: Vec<f64>,
    pub mean: Option<f64>,
    /// The ends of the 95 % interval of the mean; null: one run gives none.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// How it differs from the value that all are compared with.
    pub change: Delta,
    /// `best`, `as good` within the margin, `undecided`, or `worse`; null: fewer than two runs.
    pub verdict: Option<&'static str>,
}

/// The figures of points, the headline first. `points`: their numbers. `baseline`: the place of the point that the others are compared
/// with. `raced`: the metric that the points race for. `margin`: a share.
pub fn figures(
    observed: &[Observed],
    points: &[i64],
    baseline: Option<usize>,
    raced: Option<&str>,
    margin: f64,
) -> Vec<Figure> {
    let observed: HashMap<(i64, &str), &Observed> = (observed.iter())
        .map(|it| ((it.point_no, it.metric.as_str()), it))
        .collect();
    let of = |metric: &&'static Metric| {
        let of_point = |point_no: &i64| {
            let found = observed.get(&(*point_no, metric.name));
            found.map(|it| it.metric_values.clone()).unwrap_or_default()
        };
        let values: Vec<Vec<f64>> = points.iter().map(of_point).collect();
        values
            .iter()
            .any(|of_runs| !of_runs.is_empty())
            .then_some((*metric, values))
    };
    let raced = raced.and_then(known);
    let rates = || metrics::rates().filter(|rate| rate.name != OF_RECEIVERS);
    let of_every_run = OF_EVERY_RUN.into_iter().filter_map(known);
    let receivers = known(OF_RECEIVERS);
    let mut wanted: Vec<&'static Metric> = raced
        .into_iter()
        .chain(rates())
        .chain(of_every_run)
        .chain(receivers)
        .collect();
    let mut seen = Vec::new();
    wanted.retain(|metric| {
        let is_new = !seen.contains(&metric.name);
        seen.push(metric.name);
        is_new
    });
    let found = wanted.iter().filter_map(of).enumerate();
    let figure = |(place, (metric, values)): (usize, (&'static Metric, Vec<Vec<f64>>))| Figure {
        metric: metric.name,
        unit: metric.unit,
        better: metric.better.map(Better::name),
        is_headline: place == 0,
        values: spreads(metric, points, values, baseline, margin),
    };
    found.map(figure).collect()
}

/// A column of `run_summary`, or a metric of workloads.
fn known(name: &str) -> Option<&'static Metric> {
    let of_runs = metrics::find(Source::Columns, "summary", name);
    of_runs.or_else(|| metrics::find(Source::Facts, OF_WORKLOAD, name))
}

/// Mean latencies in ms at points, one of each run.
pub fn latencies(
    points: &[i64],
    values: Vec<Vec<f64>>,
    baseline: Option<usize>,
    margin: f64,
) -> Vec<Spread> {
    known("latency_avg_ms").map_or(Vec::new(), |metric| {
        spreads(metric, points, values, baseline, margin)
    })
}

fn spreads(
    metric: &Metric,
    points: &[i64],
    values: Vec<Vec<f64>>,
    baseline: Option<usize>,
    margin: f64,
) -> Vec<Spread> {
    let changes = changes(&values, baseline);
    let verdicts = verdicts(metric, &values, margin);
    // No figure of a run is negative, no share above all.
    let most = if metric.unit == "%" {
        100.0
    } else {
        f64::INFINITY
    };
    let rows = points.iter().zip(values).zip(changes).zip(verdicts);
    rows.map(|(((point_no, of_runs), change), verdict)| {
        let interval = mean_interval(&of_runs);
        Spread {
            point_no: *point_no,
            mean: mean(&of_runs),
            ci_low: interval.map(|it| it.low.max(0.0)),
            ci_high: interval.map(|it| it.high.min(most)),
            of_runs,
            change,
            verdict,
        }
    })
    .collect()
}

pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The change of each from the baseline; unknown for the baseline itself. One run on a side is no test, but has a change.
fn changes(values: &[Vec<f64>], baseline: Option<usize>) -> Vec<Delta> {
    let Some((place, base)) = baseline.and_then(|place| Some((place, values.get(place)?))) else {
        return vec![Delta::default(); values.len()];
    };
    let others = || {
        values
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place)
    };
    let pairs: Vec<(&[f64], &[f64])> = others()
        .map(|(_, of_runs)| (&base[..], &of_runs[..]))
        .collect();
    let mut deltas = Delta::of_runs(&pairs).into_iter();
    let with_means = |delta: Delta, of_runs: &[f64]| {
        let means = mean(base).filter(|base| *base > 0.0).zip(mean(of_runs));
        let untested = means.map(|(base, other)| 100.0 * (other / base - 1.0));
        Delta {
            change_percent: delta.change_percent.or(untested),
            ..delta
        }
    };
    (values.iter().enumerate())
        .map(|(other, of_runs)| match other == place {
            true => Delta::default(),
            false => with_means(deltas.next().unwrap_or_default(), of_runs),
        })
        .collect()
}

fn verdicts(metric: &Metric, values: &[Vec<f64>], margin: f64) -> Vec<Option<&'static str>> {
    let runs: Vec<(i32, f64)> = (values.iter().enumerate())
        .flat_map(|(place, of_runs)| of_runs.iter().map(move |value| (place as i32, *value)))
        .collect();
    let found = metric
        .better
        .and_then(|better| peak::find(&runs, better, margin));
    let Some(found) = found else {
        return vec![None; values.len()];
    };
    let verdict = |(place, of_runs): (i32, &Vec<f64>)| {
        if place == found.place {
            return Some("best");
        }
        let others = found.others.as_ref().filter(|_| of_runs.len() > 1)?;
        Some(match place {
            place if others.as_good.contains(&place) => "as good",
            place if others.undecided.contains(&place) => "undecided",
            _ => "worse",
        })
    };
    (0..).zip(values).map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(metric: &str, values: [&[f64]; 3]) -> Vec<Observed> {
        (1..)
            .zip(values)
            .map(|(point_no, values)| Observed {
                point_no,
                metric: metric.to_owned(),
                metric_values: values.to_vec(),
            })
            .collect()
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!(
            (found - expected).abs() < 5e-4 * expected.abs().max(1.0),
            "{found}, not {expected}"
        );
    }

    #[test]
    fn changes_are_from_the_baseline_with_the_p_of_a_t_test() {
        let tps = observed(
            "tps",
            [
                &[110.0, 112.0, 114.0],
                &[100.0, 102.0, 98.0],
                &[101.0, 99.0, 103.0],
            ],
        );
        let figures = figures(&tps, &[1, 2, 3], Some(1), None, 0.05);
        let [tps] = figures.as_slice() else {
            panic!("one figure: {figures:?}");
        };
        assert!(tps.is_headline && tps.metric == "tps" && tps.better == Some("higher"));
        let [first, base, last] = tps.values.as_slice() else {
            panic!("three values");
        };
        // Means 112, 100 and 101, each with a standard deviation of 2: by the ratio t = 7.3210 and 0.6124 of 4 degrees of freedom.
        assert_eq!(
            (first.mean, base.mean, last.mean),
            (Some(112.0), Some(100.0), Some(101.0))
        );
        // 112 ± 4.3027 × 2 / √3.
        near(first.ci_low, 107.0317);
        near(first.ci_high, 116.9683);
        assert_eq!(base.change, Delta::default());
        near(first.change.change_percent, 12.0);
        near(first.change.p_value, 0.001852);
        near(first.change.p_adjusted, 0.003704);
        near(last.change.change_percent, 1.0);
        near(last.change.p_value, 0.573403);
        near(last.change.p_adjusted, 0.573403);
        let verdicts: Vec<_> = tps.values.iter().map(|it| it.verdict).collect();
        assert_eq!(verdicts, [Some("best"), Some("worse"), Some("worse")]);
    }

    #[test]
    fn the_headline_is_what_users_of_the_workload_speak_of() {
        let mut all = observed("tps", [&[6.9, 6.95, 7.0], &[7.0, 7.1, 7.2], &[]]);
        all.extend(observed(
            "hit_percent",
            [&[99.0, 99.2, 99.1], &[99.99, 100.0, 99.98], &[]],
        ));
        all.extend(observed("latency_p95_ms", [&[2.0], &[1.0], &[]]));
        all.extend(observed(
            "geometric_mean_s",
            [&[2.0, 2.1, 1.9], &[1.0, 1.1, 0.9], &[]],
        ));
        all.extend(observed("sustainable_tps", [&[2.0], &[1.0], &[]]));
        let names = |raced| -> Vec<&str> {
            let figures = figures(&all, &[1, 2, 3], Some(0), raced, 0.05);
            figures.iter().map(|figure| figure.metric).collect()
        };
        let of_every_run = ["tps", "latency_p95_ms", "hit_percent", "sustainable_tps"];
        assert_eq!(
            names(None),
            [&["geometric_mean_s"][..], &of_every_run].concat()
        );
        assert_eq!(
            names(Some("hit_percent"))[..2],
            ["hit_percent", "geometric_mean_s"]
        );
        let figures = figures(&all, &[1, 2, 3], Some(0), None, 0.05);
        let of = |metric: &str| {
            &figures
                .iter()
                .find(|it| it.metric == metric)
                .unwrap()
                .values
        };
        let verdicts: Vec<_> = of("geometric_mean_s").iter().map(|it| it.verdict).collect();
        assert_eq!(
            verdicts,
            [Some("worse"), Some("best"), None],
            "less time is better"
        );
        assert!(
            of("hit_percent")
                .iter()
                .all(|it| it.ci_high.is_none_or(|high| high <= 100.0))
        );
        // One run has a change and no test.
        let latency = &of("latency_p95_ms")[1];
        assert_eq!(
            (latency.change.change_percent, latency.change.p_value),
            (Some(-50.0), None)
        );
        assert_eq!(of("tps")[2].mean, None);
    }
}
