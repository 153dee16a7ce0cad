//! The decision whether a criterion holds at a rate, by the observations so far. Pure.
//!
//! A backlog is compared with its inflow: WAL, dead rows, transaction ids, or, for the lag behind the schedule, time. Its
//! growth is the share of the inflow that is not processed: 0.2 if a receiver applies four fifths. A backlog is steady if the
//! confidence interval of that share is below the tolerance, and grows if it is above.

use super::criteria::{Condition, Criterion};
use measure::statistics::{Estimate, trend};
use serde::Serialize;

/// The share of an inflow that may stay.
const TOLERANCE: f64 = 0.01;
/// A share that is believed before a step has its shortest length.
const MUCH: f64 = 0.1;
/// How often an interval may miss the truth. A step looks at it again and again, hence less than usual.
const LEVEL: f64 = 0.01;

/// A look at a backlog.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub at_s: f64,
    pub level: f64,
    /// What has flowed into it, since whenever.
    pub inflow: f64,
}

/// What was observed for a criterion.
#[derive(Debug, Clone, PartialEq)]
pub enum Series {
    Backlog(Vec<Point>),
    /// One value for each interval.
    Values(Vec<f64>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Holds,
    Fails,
    /// More has to be observed.
    Open,
}

/// The state of a criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    pub criterion: &'static str,
    pub verdict: Verdict,
    /// The last level of a backlog, the mean of values; None: nothing was observed.
    pub value: Option<f64>,
    /// The share of the inflow that stays, with its interval; of a bound: None.
    pub growth: Option<f64>,
    pub growth_low: Option<f64>,
    pub growth_high: Option<f64>,
    /// Whether the point estimate fails, in case time runs out.
    #[serde(skip)]
    pub fails_rather: bool,
}

/// Judges a criterion. `is_long`: the step has its shortest length.
pub fn judge(criterion: &Criterion, series: &Series, is_long: bool) -> Judged {
    let name = criterion.subject.name();
    let open = Judged {
        criterion: name,
        verdict: Verdict::Open,
        value: None,
        growth: None,
        growth_low: None,
        growth_high: None,
        fails_rather: false,
    };
    match (criterion.condition, series) {
        (Condition::Steady, Series::Backlog(points)) => {
            let quick = criterion.subject.is_quick();
            steady(open, points, is_long, quick)
        }
        (Condition::AtMost(bound), Series::Backlog(points)) => {
            let levels: Vec<f64> = points.iter().map(|point| point.level).collect();
            at_most(open, &levels, bound, is_long)
        }
        (Condition::AtMost(bound), Series::Values(values)) => at_most(open, values, bound, is_long),
        (Condition::Steady, Series::Values(values)) => {
            // A latency flows nowhere: its own size is the measure.
            let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
            let points: Vec<Point> = (0..)
                .zip(values)
                .map(|(at, value)| Point {
                    at_s: f64::from(at),
                    level: *value,
                    inflow: f64::from(at) * mean,
                })
                .collect();
            steady(open, &points, is_long, false)
        }
    }
}

fn steady(open: Judged, points: &[Point], is_long: bool, quick: bool) -> Judged {
    let value = points.last().map(|point| point.level);
    let levels: Vec<(f64, f64)> = points.iter().map(|it| (it.at_s, it.level)).collect();
    let (Some(trend), Some(first), Some(last)) =
        (trend(&levels, LEVEL), points.first(), points.last())
    else {
        return Judged { value, ..open };
    };
    let inflow = (last.inflow - first.inflow) / (last.at_s - first.at_s);
    if inflow <= 0.0 {
        // Nothing comes: nothing can pile up.
        let verdict = if is_long {
            Verdict::Holds
        } else {
            Verdict::Open
        };
        return Judged {
            value,
            verdict,
            ..open
        };
    }
    let [growth, low, high] = [trend.slope, trend.low, trend.high].map(|slope| slope / inflow);
    let verdict = if low > TOLERANCE && is_long || quick && low > MUCH {
        Verdict::Fails
    } else if high < TOLERANCE && is_long {
        Verdict::Holds
    } else {
        Verdict::Open
    };
    Judged {
        value,
        verdict,
        growth: Some(growth),
        growth_low: Some(low).filter(|low| low.is_finite()),
        growth_high: Some(high).filter(|high| high.is_finite()),
        fails_rather: growth > TOLERANCE,
        ..open
    }
}

fn at_most(open: Judged, values: &[f64], bound: f64, is_long: bool) -> Judged {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let value = (!values.is_empty()).then_some(mean);
    let interval = Estimate::of_series(values).and_then(|estimate| estimate.interval());
    let verdict = match interval {
        Some(interval) if is_long && interval.high <= bound => Verdict::Holds,
        Some(interval) if is_long && interval.low > bound => Verdict::Fails,
        _ => Verdict::Open,
    };
    Judged {
        value,
        verdict,
        fails_rather: mean > bound,
        ..open
    }
}

/// The state of a whole step: it fails if one criterion does, and holds if all do. If time is over, the estimates decide.
pub fn step(judged: &[Judged], is_over: bool) -> Verdict {
    let any = |verdict| judged.iter().any(|it| it.verdict == verdict);
    if any(Verdict::Fails) {
        return Verdict::Fails;
    }
    if !any(Verdict::Open) {
        return Verdict::Holds;
    }
    let open = || judged.iter().filter(|it| it.verdict == Verdict::Open);
    match (is_over, open().any(|it| it.fails_rather)) {
        (false, _) => Verdict::Open,
        (true, true) => Verdict::Fails,
        (true, false) => Verdict::Holds,
    }
}

/// The criterion that gave way: the one that fails by most, those that fail for certain first.
pub fn gave_way(judged: &[Judged]) -> Option<&Judged> {
    let failing = |it: &&Judged| {
        it.verdict == Verdict::Fails || it.verdict == Verdict::Open && it.fails_rather
    };
    let weight = |it: &&Judged| {
        (
            it.verdict == Verdict::Fails,
            it.growth.unwrap_or(f64::INFINITY),
        )
    };
    judged.iter().filter(failing).max_by(|a, b| {
        let (a, b) = (weight(a), weight(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}

#[cfg(test)]
mod tests {
    use super::super::criteria::Subject;
    use super::*;
    use measure::statistics::simulation::Noise;

    fn backlog(growth: f64, noise: impl Fn(i32) -> f64) -> Series {
        let point = |i: i32| Point {
            at_s: f64::from(i) / 2.0,
            level: 500.0 + growth * 1000.0 * f64::from(i) / 2.0 + noise(i),
            inflow: 1e6 + 1000.0 * f64::from(i) / 2.0,
        };
        Series::Backlog((0..24).map(point).collect())
    }

    fn criterion(subject: Subject, condition: Condition) -> Criterion {
        Criterion { subject, condition }
    }

    fn ripple(i: i32) -> f64 {
        f64::from(i * 7919 % 13) - 6.0
    }

    #[test]
    fn a_backlog_is_judged_by_the_share_that_stays() {
        let steady = criterion(Subject::ReplicationLag, Condition::Steady);
        let judged = judge(&steady, &backlog(0.2, ripple), true);
        assert_eq!(judged.verdict, Verdict::Fails);
        assert!((judged.growth.unwrap() - 0.2).abs() < 0.01, "{judged:?}");
        assert_eq!(
            judge(&steady, &backlog(0.0, ripple), true).verdict,
            Verdict::Holds
        );
        // One that is worked off holds as well.
        assert_eq!(
            judge(&steady, &backlog(-0.2, ripple), true).verdict,
            Verdict::Holds
        );
        // Before the shortest length, only a growth of much is believed, and only where it does not rise and fall by itself.
        assert_eq!(
            judge(&steady, &backlog(0.2, ripple), false).verdict,
            Verdict::Fails
        );
        assert_eq!(
            judge(&steady, &backlog(0.05, ripple), false).verdict,
            Verdict::Open
        );
        assert_eq!(
            judge(&steady, &backlog(0.0, ripple), false).verdict,
            Verdict::Open
        );
        let rows = criterion(Subject::DeadRows, Condition::Steady);
        assert_eq!(
            judge(&rows, &backlog(0.9, ripple), false).verdict,
            Verdict::Open
        );
        assert_eq!(
            judge(&rows, &backlog(0.9, ripple), true).verdict,
            Verdict::Fails
        );
    }

    #[test]
    fn too_few_looks_leave_it_open() {
        let steady = criterion(Subject::ReplicationLag, Condition::Steady);
        let judged = judge(&steady, &Series::Backlog(Vec::new()), true);
        assert_eq!((judged.verdict, judged.value), (Verdict::Open, None));
    }

    #[test]
    fn a_bound_is_judged_by_the_mean() {
        let bound = criterion(Subject::LatencyP99, Condition::AtMost(10.0));
        let values = |mean: f64| Series::Values((0..20).map(|i| mean + ripple(i) / 10.0).collect());
        assert_eq!(judge(&bound, &values(5.0), true).verdict, Verdict::Holds);
        assert_eq!(judge(&bound, &values(15.0), true).verdict, Verdict::Fails);
        assert_eq!(judge(&bound, &values(10.0), true).verdict, Verdict::Open);
        assert_eq!(judge(&bound, &values(5.0), false).verdict, Verdict::Open);
    }

    #[test]
    fn one_criterion_that_fails_fails_the_step() {
        let steady = criterion(Subject::ReplicationLag, Condition::Steady);
        let holds = judge(&steady, &backlog(0.0, ripple), true);
        let fails = judge(&steady, &backlog(0.2, ripple), true);
        let open = judge(&steady, &Series::Backlog(Vec::new()), true);
        assert_eq!(step(&[holds.clone(), holds.clone()], false), Verdict::Holds);
        assert_eq!(step(&[holds.clone(), fails.clone()], false), Verdict::Fails);
        assert_eq!(step(&[holds.clone(), open.clone()], false), Verdict::Open);
        assert_eq!(step(&[holds.clone(), open.clone()], true), Verdict::Holds);
        let rather = Judged {
            fails_rather: true,
            growth: Some(0.9),
            ..open
        };
        assert_eq!(step(&[holds.clone(), rather.clone()], true), Verdict::Fails);
        assert_eq!(gave_way(std::slice::from_ref(&holds)), None);
        assert_eq!(gave_way(&[holds, rather, fails.clone()]), Some(&fails));
    }

    /// A receiver of a known capacity, with arrivals as by chance: how often each verdict comes in a step of half a minute.
    #[test]
    fn a_receiver_of_known_capacity_is_judged_right() {
        let steady = criterion(Subject::ReplicationLag, Condition::Steady);
        let mut noise = Noise::seeded(7);
        for (arrivals, expected) in [(230.0_f64, Verdict::Fails), (170.0, Verdict::Holds)] {
            let capacity = 200.0;
            let mut wrong = 0;
            for _ in 0..100 {
                let (mut level, mut inflow) = (0.0_f64, 0.0);
                let points = (0..60).map(|i| {
                    let came = noise.normals(arrivals / 2.0, (arrivals / 2.0).sqrt(), 1)[0];
                    inflow += came;
                    level = (level + came - capacity / 2.0).max(0.0);
                    Point {
                        at_s: f64::from(i) / 2.0,
                        level,
                        inflow,
                    }
                });
                let series = Series::Backlog(points.collect());
                let verdict = step(&[judge(&steady, &series, true)], true);
                wrong += u32::from(verdict != expected);
            }
            assert!(wrong <= 2, "{wrong} wrong at {arrivals}");
        }
    }
}
