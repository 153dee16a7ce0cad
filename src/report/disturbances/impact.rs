//! The cost of a disturbance: figures of the intervals inside its occurrences, after them, and outside of all disturbances.

use super::parts::{Interval, Occurred, PARTS, Part, parts, touches};
use measure::Histogram;
use measure::statistics::{Change, Estimate, Scale};
use serde::Serialize;

/// Intervals outside that tell how much a figure varies by itself.
const FEWEST: usize = 5;
/// So many standard deviations from the median a figure is out of the ordinary.
const ORDINARY: f64 = 3.0;
/// A standard deviation of a normal distribution in median absolute deviations.
const DEVIATIONS: f64 = 1.4826;
/// So much of its median a figure may differ where it hardly varies.
const LEAST_SHARE: f64 = 0.02;
/// So many intervals in a row are ordinary again when a figure has recovered.
const IN_A_ROW: usize = 2;

/// A figure of a part with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figure {
    pub value: f64,
    /// Null: there are too few intervals to tell.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A figure of the run inside, after and outside the occurrences of a disturbance.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Impact {
    pub metric: &'static str,
    pub unit: &'static str,
    /// Intervals at least half of which an occurrence covers, or in which half of one lies.
    pub inside: Option<Figure>,
    /// Intervals after an occurrence, for as long as it had lasted, three at least, up to the next disturbance.
    pub after: Option<Figure>,
    /// The other intervals, in which no disturbance went on.
    pub outside: Option<Figure>,
    /// From outside to inside, with its 95 % interval.
    pub change_percent: Option<f64>,
    pub change_low: Option<f64>,
    pub change_high: Option<f64>,
    pub p_value: Option<f64>,
    /// Occurrences after which the figure was as outside again; null: it cannot be told.
    pub recovered: Option<i64>,
    /// How long that took at most, in seconds.
    pub recovery_s: Option<f64>,
}

/// What a figure is made of.
struct Metric {
    name: &'static str,
    unit: &'static str,
    /// Of one interval.
    of_interval: fn(&Interval) -> Option<f64>,
    of_part: OfPart,
    /// Which side is the bad one: above, below, neither.
    bad: Option<Bad>,
}

enum OfPart {
    /// A sum per second.
    Rate(fn(&Interval) -> Option<f64>),
    /// A quantile of all transactions.
    Quantile(f64),
}

#[derive(Clone, Copy)]
enum Bad {
    Below,
    Above,
}

const METRICS: [Metric; 5] = [
    Metric {
        name: "tps",
        unit: "per second",
        of_interval: |i| Some(i.transactions / i.seconds),
        of_part: OfPart::Rate(|i| Some(i.transactions)),
        bad: Some(Bad::Below),
    },
    quantile("latency_p50_ms", 0.5, |i| i.latency_p50_ms),
    quantile("latency_p95_ms", 0.95, |i| i.latency_p95_ms),
    quantile("latency_p99_ms", 0.99, |i| i.latency_p99_ms),
    Metric {
        name: "wal_bytes_per_s",
        unit: "bytes/s",
        of_interval: |i| Some(i.wal_bytes? / i.seconds),
        of_part: OfPart::Rate(|i| i.wal_bytes),
        bad: None,
    },
];

const fn quantile(name: &'static str, q: f64, of_interval: fn(&Interval) -> Option<f64>) -> Metric {
    Metric {
        name,
        unit: "ms",
        of_interval,
        of_part: OfPart::Quantile(q),
        bad: Some(Bad::Above),
    }
}

/// The figures of a disturbance. `latencies`: all of each of [`PARTS`].
pub fn impacts(
    disturbance: usize,
    occurred: &[Occurred],
    intervals: &[Interval],
    latencies: &[Histogram; 3],
) -> Vec<Impact> {
    let parts = parts(disturbance, occurred, intervals);
    METRICS
        .iter()
        .filter_map(|metric| {
            let of = |part: Part| {
                let of_part = intervals.iter().zip(&parts);
                of_part
                    .filter(|(_, found)| **found == Some(part))
                    .map(|(interval, _)| interval)
                    .collect::<Vec<&Interval>>()
            };
            let [inside, after, outside] = PARTS.map(of);
            let [of_inside, of_after, of_outside] = latencies;
            let (inside, estimated) = metric.figure(&inside, of_inside);
            let (after, _) = metric.figure(&after, of_after);
            let ordinary = metric.ordinary(&outside);
            let (outside, baseline) = metric.figure(&outside, of_outside);
            if inside.is_none() && after.is_none() && outside.is_none() {
                return None;
            }
            let change = baseline
                .zip(estimated)
                .and_then(|(from, to)| difference(&from, &to));
            let plain = outside.zip(inside).filter(|(from, _)| from.value != 0.0);
            let plain = plain.map(|(from, to)| to.value / from.value - 1.0);
            let percent = |share: f64| 100.0 * share;
            let interval = change.and_then(|change| change.interval_of_amounts());
            let own = occurred.iter().filter(|one| one.disturbance == disturbance);
            let ends: Vec<f64> = own.map(|one| one.to_s).collect();
            let recovery = ordinary.map(|limit| {
                let times = ends.iter();
                times
                    .filter_map(|&end| metric.recovery_s(end, limit, occurred, intervals))
                    .collect::<Vec<f64>>()
            });
            Some(Impact {
                metric: metric.name,
                unit: metric.unit,
                inside,
                after,
                outside,
                change_percent: plain.map(percent),
                change_low: interval.map(|(low, _)| percent(low)),
                change_high: interval.map(|(_, high)| percent(high)),
                p_value: change.map(|change| change.p),
                recovered: recovery.as_ref().map(|times| times.len() as i64),
                recovery_s: recovery.and_then(|times| times.into_iter().reduce(f64::max)),
            })
        })
        .collect()
}

/// Rates and times by their ratio.
fn difference(from: &Estimate, to: &Estimate) -> Option<Change> {
    let scale = Scale::of([from.mean, to.mean].into_iter());
    scale.welch(&scale.estimate(from)?, &scale.estimate(to)?)
}

impl Metric {
    /// Over some intervals, and how well it is known.
    fn figure(
        &self,
        intervals: &[&Interval],
        latencies: &Histogram,
    ) -> (Option<Figure>, Option<Estimate>) {
        let seconds: f64 = intervals.iter().map(|interval| interval.seconds).sum();
        let value = match self.of_part {
            _ if seconds <= 0.0 => None,
            OfPart::Rate(of) => intervals
                .iter()
                .map(|interval| of(interval))
                .sum::<Option<f64>>()
                .map(|sum| sum / seconds),
            OfPart::Quantile(q) => latencies.quantile(q).map(|ns| ns as f64 / 1e6),
        };
        let Some(value) = value else {
            return (None, None);
        };
        let series: Vec<f64> = intervals
            .iter()
            .filter_map(|interval| (self.of_interval)(interval))
            .collect();
        // A percentile of all is not the mean of the intervals' percentiles; its relative error is theirs.
        let estimate = Estimate::of_series(&series)
            .filter(|estimate| estimate.mean != 0.0)
            .map(|estimate| estimate.scaled(value / estimate.mean));
        let bounds = estimate.and_then(|estimate| estimate.interval());
        let figure = Figure {
            value,
            low: bounds.map(|bounds| bounds.low),
            high: bounds.map(|bounds| bounds.high),
        };
        (Some(figure), estimate)
    }

    /// The limit up to which the figure is as it is outside; None: it has no bad side, or too few intervals.
    fn ordinary(&self, outside: &[&Interval]) -> Option<f64> {
        let bad = self.bad?;
        let values: Vec<f64> = outside
            .iter()
            .filter_map(|interval| (self.of_interval)(interval))
            .collect();
        if values.len() < FEWEST {
            return None;
        }
        let middle = median(values.clone());
        let spread = median(values.iter().map(|value| (value - middle).abs()).collect());
        let room = (ORDINARY * DEVIATIONS * spread).max(LEAST_SHARE * middle);
        Some(match bad {
            Bad::Below => middle - room,
            Bad::Above => middle + room,
        })
    }

    fn is_ordinary(&self, interval: &Interval, limit: f64) -> bool {
        // An interval without any transaction has no latency, and has not recovered.
        let value = (self.of_interval)(interval);
        value.is_some_and(|value| match self.bad {
            Some(Bad::Below) => value >= limit,
            _ => value <= limit,
        })
    }

    /// Seconds from the end of an occurrence until the figure was ordinary again; None: not until the next disturbance, or the
    /// end of the run.
    fn recovery_s(
        &self,
        end: f64,
        limit: f64,
        occurred: &[Occurred],
        intervals: &[Interval],
    ) -> Option<f64> {
        let free: Vec<bool> = intervals
            .iter()
            .skip_while(|interval| interval.at_s < end)
            .take_while(|interval| !occurred.iter().any(|one| touches(one, interval)))
            .map(|interval| self.is_ordinary(interval, limit))
            .collect();
        let first = intervals.iter().position(|interval| interval.at_s >= end)?;
        let back = (0..free.len()).find(|&from| {
            let row = free.iter().skip(from).take(IN_A_ROW);
            row.clone().count() == IN_A_ROW.min(free.len()) && row.into_iter().all(|&is| is)
        })?;
        // The first whole interval may begin a little after the end.
        let at_s = match back {
            0 => end,
            back => intervals.get(first + back)?.at_s,
        };
        Some(at_s - end)
    }
}

/// Of at least one value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::{ONE, intervals};
    use super::*;

    fn none() -> [Histogram; 3] {
        [Histogram::new(), Histogram::new(), Histogram::new()]
    }

    #[test]
    fn the_cost_and_the_recovery() {
        let impacts = impacts(0, &[ONE], &intervals(), &none());
        let names: Vec<&str> = impacts.iter().map(|impact| impact.metric).collect();
        assert_eq!(names, ["tps", "wal_bytes_per_s"]);
        let tps = &impacts[0];
        let value = |figure: Option<Figure>| figure.unwrap().value.round();
        assert_eq!((value(tps.inside), value(tps.outside)), (51.0, 101.0));
        let change = tps.change_percent.unwrap();
        assert!((-50.5..-49.0).contains(&change), "{change}");
        assert!(tps.change_low.unwrap() < change && change < tps.change_high.unwrap());
        assert!(tps.p_value.unwrap() < 0.001);
        assert_eq!((tps.recovered, tps.recovery_s), (Some(1), Some(3.0)));
        assert_eq!(impacts[1].recovered, None);
    }

    #[test]
    fn without_quiet_intervals_nothing_is_compared() {
        let always = Occurred {
            disturbance: 0,
            from_s: 0.0,
            to_s: 60.0,
        };
        let impacts = impacts(0, &[always], &intervals(), &none());
        let tps = &impacts[0];
        assert!(tps.inside.is_some() && tps.outside.is_none());
        assert_eq!((tps.change_percent, tps.recovered), (None, None));
    }

    #[test]
    fn what_lasts_until_the_next_one_has_not_recovered() {
        let next = Occurred {
            disturbance: 1,
            from_s: 33.0,
            to_s: 34.0,
        };
        let tps = &impacts(0, &[ONE, next], &intervals(), &none())[0];
        assert_eq!((tps.recovered, tps.recovery_s), (Some(0), None));
    }
}
