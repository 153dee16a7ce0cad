//! The rate of a run over its time: a number, a wave, or steps. And the start times of transactions at that rate.
//!
//! The start times are a Poisson process with the current rate: the next transaction is due when the integral of the rate has
//! reached an exponential draw. At a constant rate they equal pgbench's to the microsecond.

use script::{Prng, poisson};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A rate that swings like a sine, for day and night: lowest at the beginning, highest after half a period.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    pub low: f64,
    pub high: f64,
    pub period_s: f64,
    /// How far into its period it begins.
    #[serde(default)]
    pub shift_s: f64,
}

/// The rate of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Level {
    /// Transactions per second, over all clients.
    Constant(f64),
    Wave(Wave),
}

/// From a moment of the measured part to the next step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    pub at_s: f64,
    /// None: as fast as they go.
    pub rate: Option<Level>,
}

/// The rate of a run, as it is stored, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a rate: a number, a wave or steps")]
pub enum Rate {
    Level(Level),
    /// In the order of time; the first begins at 0.
    Steps(Vec<RateStep>),
}

impl Wave {
    /// The integral from 0 to `t_s`.
    fn until(self, t_s: f64) -> f64 {
        let swing = (self.high - self.low) / 2.0 * self.period_s / TAU;
        let angle = |t: f64| (TAU * (t + self.shift_s) / self.period_s).sin();
        (self.low + self.high) / 2.0 * t_s - swing * (angle(t_s) - angle(0.0))
    }

    fn at(self, t_s: f64) -> f64 {
        let angle = TAU * (t_s + self.shift_s) / self.period_s;
        self.low + (self.high - self.low) / 2.0 * (1.0 - angle.cos())
    }

    /// How long after `t_s` the integral has grown by `due`: between bounds that Newton's steps do not leave.
    fn after(self, t_s: f64, due: f64) -> f64 {
        let from = self.until(t_s);
        let (mut low, mut high) = (due / self.high, due / self.high);
        while self.until(t_s + high) - from < due {
            (low, high) = (high, high * 2.0);
        }
        let mut gap = low;
        for _ in 0..60 {
            let missing = due - (self.until(t_s + gap) - from);
            if missing.abs() < due * 1e-9 {
                break;
            }
            match missing > 0.0 {
                true => low = gap,
                false => high = gap,
            }
            let next = gap + missing / self.at(t_s + gap);
            gap = if next > low && next < high {
                next
            } else {
                (low + high) / 2.0
            };
        }
        gap
    }
}

impl Level {
    /// Transactions per second at this moment.
    pub fn at(self, t_s: f64) -> f64 {
        match self {
            Level::Constant(rate) => rate,
            Level::Wave(wave) => wave.at(t_s),
        }
    }
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Rate {
        Rate::Level(Level::Constant(rate))
    }
}

impl Rate {
    /// Transactions per second at this moment of the measured part; None: as fast as they go.
    pub fn at(&self, t_s: f64) -> Option<f64> {
        match self {
            Rate::Level(level) => Some(level.at(t_s)),
            Rate::Steps(steps) => {
                let step = steps.iter().rev().find(|step| step.at_s <= t_s);
                step.or(steps.first())?.rate.map(|level| level.at(t_s))
            }
        }
    }

    /// As steps.
    fn steps(rate: Option<&Rate>) -> Vec<RateStep> {
        match rate {
            Some(Rate::Steps(steps)) => steps.clone(),
            Some(Rate::Level(level)) => vec![RateStep {
                at_s: 0.0,
                rate: Some(*level),
            }],
            None => vec![RateStep {
                at_s: 0.0,
                rate: None,
            }],
        }
    }

    /// The rate of a run that gets another one from this moment on; None: as fast as they go.
    pub fn altered(before: Option<&Rate>, at_s: f64, rate: Option<f64>) -> Option<Rate> {
        let mut steps = Rate::steps(before);
        steps.retain(|step| step.at_s < at_s);
        steps.push(RateStep {
            at_s,
            rate: rate.map(Level::Constant),
        });
        match steps.as_slice() {
            [RateStep { rate, .. }] => rate.map(Rate::Level),
            _ => Some(Rate::Steps(steps)),
        }
    }

    /// The rate if it never changes.
    pub fn constant(&self) -> Option<f64> {
        match self {
            Rate::Level(Level::Constant(rate)) => Some(*rate),
            _ => None,
        }
    }
}

/// When the next transaction of a client is due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Due {
    /// At once: there is no rate now, since this moment, ns.
    Now(u64),
    /// At this moment, ns; it may have passed.
    At(u64),
}

/// The steps of a rate, as one of several clients follows them.
#[derive(Debug, Clone)]
pub struct Course {
    steps: Vec<RateStep>,
    clients: f64,
}

impl Course {
    pub fn new(rate: &Rate, clients: usize) -> Course {
        Course {
            steps: Rate::steps(Some(rate)),
            clients: clients as f64,
        }
    }

    /// The level of a moment, and when it ends, ns after the origin.
    fn level(&self, at_ns: u64) -> (Option<Level>, u64) {
        let next = self
            .steps
            .partition_point(|step| nanoseconds(step.at_s) <= at_ns);
        let level = self.steps.get(next.saturating_sub(1));
        let end = self.steps.get(next);
        (
            level.and_then(|step| step.rate),
            end.map_or(u64::MAX, |step| nanoseconds(step.at_s)),
        )
    }

    /// When the transaction after the one that was due at `due` is due; moments are ns after the origin.
    pub fn next(&self, prng: &mut Prng, due: u64, now: u64) -> Due {
        let mut at = due;
        // What is left of the draw, in transactions of this client.
        let mut left = None;
        loop {
            let (level, end) = self.level(at);
            let Some(level) = level else {
                if now >= end {
                    // Its time has passed; the schedule goes on behind it.
                    at = end;
                    left = None;
                    continue;
                }
                return match at > now {
                    true => Due::At(at),
                    false => Due::Now(at),
                };
            };
            let gap = match level {
                Level::Constant(rate) => {
                    let mean_us = 1e6 / rate * self.clients;
                    match left {
                        None => {
                            let gap_us = poisson(prng, mean_us).max(0) as u64;
                            left = Some(gap_us as f64 / mean_us);
                            gap_us.saturating_mul(1000)
                        }
                        Some(left) => nanoseconds(left * mean_us / 1e6),
                    }
                }
                Level::Wave(wave) => {
                    let units = *left.get_or_insert_with(|| poisson(prng, 1e9).max(1) as f64 / 1e9);
                    nanoseconds(wave.after(at as f64 / 1e9, units * self.clients))
                }
            };
            let next = at.saturating_add(gap);
            if next <= end {
                return Due::At(next);
            }
            let (from, to) = (at as f64 / 1e9, end as f64 / 1e9);
            let used = match level {
                Level::Constant(rate) => rate * (to - from),
                Level::Wave(wave) => wave.until(to) - wave.until(from),
            };
            left = left.map(|left| (left - used / self.clients).max(0.0));
            at = end;
        }
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn steps(steps: &[(f64, Option<f64>)]) -> Rate {
        let step = |&(at_s, rate): &(f64, Option<f64>)| RateStep {
            at_s,
            rate: rate.map(Level::Constant),
        };
        Rate::Steps(steps.iter().map(step).collect())
    }

    /// How many are due in each second, of a client that is never late.
    fn counts(rate: &Rate, clients: usize, seconds: usize) -> Vec<f64> {
        let course = Course::new(rate, clients);
        let mut prng = Prng::new(5);
        let mut counts = vec![0.0; seconds];
        let mut due = 0;
        while let Due::At(at) = course.next(&mut prng, due, due) {
            let Some(count) = counts.get_mut((at / SECOND) as usize) else {
                break;
            };
            *count += clients as f64;
            due = at;
        }
        counts
    }

    #[test]
    fn a_rate_that_does_not_change_is_pgbenchs() {
        let course = Course::new(&Rate::Level(Level::Constant(1000.0)), 3);
        let (mut own, mut pgbenchs) = (Prng::new(7), Prng::new(7));
        let (mut due, mut expected) = (0, 0);
        for _ in 0..1000 {
            expected += poisson(&mut pgbenchs, 3000.0) as u64 * 1000;
            assert_eq!(course.next(&mut own, due, 0), Due::At(expected));
            due = expected;
        }
    }

    #[test]
    fn steps_have_their_rates() {
        let rate = steps(&[
            (0.0, Some(100.0)),
            (10.0, Some(4000.0)),
            (20.0, Some(500.0)),
        ]);
        for clients in [1, 4] {
            let counts = counts(&rate, clients, 30);
            for (part, expected) in counts.chunks(10).zip([1000.0, 40_000.0, 5000.0_f64]) {
                let sum: f64 = part.iter().sum();
                let tolerance = 4.0 * (expected * clients as f64).sqrt();
                assert!((sum - expected).abs() < tolerance, "{sum} of {expected}");
            }
        }
        let text = serde_json::to_string(&rate).unwrap();
        assert_eq!(serde_json::from_str::<Rate>(&text).unwrap(), rate);
    }

    #[test]
    fn a_long_gap_is_cut_short_by_a_higher_rate() {
        // One transaction in a hundred hours: the next step does not wait for it.
        let rate = steps(&[(0.0, Some(1.0 / 360_000.0)), (2.0, Some(1000.0))]);
        let course = Course::new(&rate, 1);
        for seed in 0..50 {
            let Due::At(at) = course.next(&mut Prng::new(seed), 0, 0) else {
                panic!("there is a rate");
            };
            assert!((2 * SECOND..2 * SECOND + SECOND / 20).contains(&at), "{at}");
        }
    }

    #[test]
    fn a_wave_swings() {
        let wave = Wave {
            low: 100.0,
            high: 900.0,
            period_s: 40.0,
            shift_s: 0.0,
        };
        let rate = Rate::Level(Level::Wave(wave));
        assert_eq!(rate.at(0.0).map(f64::round), Some(100.0));
        assert_eq!(rate.at(10.0).map(f64::round), Some(500.0));
        assert_eq!(rate.at(20.0).map(f64::round), Some(900.0));
        let counts = counts(&rate, 1, 80);
        for (second, pair) in (0..80).step_by(8).zip(counts.chunks(8)) {
            let (from, to) = (f64::from(second), f64::from(second) + 8.0);
            let expected = wave.until(to) - wave.until(from);
            let sum: f64 = pair.iter().sum();
            assert!(
                (sum - expected).abs() < 4.0 * expected.sqrt(),
                "{sum} of {expected}"
            );
        }
        // At night nothing happens; the wave is still passed.
        let night = Wave { low: 0.0, ..wave };
        let gap = night.after(0.0, 1e-9);
        assert!(gap > 0.0 && gap < 1.0, "{gap}");
        let late = Wave {
            shift_s: 20.0,
            ..wave
        };
        assert_eq!(late.at(0.0).round(), 900.0);
    }

    #[test]
    fn without_a_rate_transactions_are_due_at_once_until_the_next_step() {
        let rate = steps(&[(0.0, Some(1000.0)), (1.0, None), (2.0, Some(1000.0))]);
        let course = Course::new(&rate, 1);
        let mut prng = Prng::new(3);
        let (mut due, mut now) = (0, 0);
        while let Due::At(at) = course.next(&mut prng, due, now) {
            due = at;
            now = now.max(at);
            assert!(at <= SECOND);
        }
        assert_eq!(due, SECOND);
        assert_eq!(course.next(&mut prng, due, SECOND + 5), Due::Now(SECOND));
        let Due::At(at) = course.next(&mut prng, due, 2 * SECOND + 5) else {
            panic!("there is a rate again");
        };
        assert!((2 * SECOND..3 * SECOND).contains(&at), "{at}");
    }

    #[test]
    fn an_altered_rate_has_what_was_before() {
        let constant = |rate| Rate::Level(Level::Constant(rate));
        assert_eq!(
            Rate::altered(Some(&constant(5.0)), 0.0, Some(7.0)),
            Some(constant(7.0))
        );
        assert_eq!(Rate::altered(Some(&constant(5.0)), 0.0, None), None);
        let altered = Rate::altered(None, 3.0, Some(7.0)).unwrap();
        assert_eq!(altered, steps(&[(0.0, None), (3.0, Some(7.0))]));
        assert_eq!((altered.at(2.9), altered.at(3.0)), (None, Some(7.0)));
        // Steps that were to come do not come any more.
        let planned = steps(&[(0.0, Some(1.0)), (3.0, Some(2.0)), (9.0, Some(3.0))]);
        assert_eq!(
            Rate::altered(Some(&planned), 4.0, Some(8.0)).unwrap(),
            steps(&[(0.0, Some(1.0)), (3.0, Some(2.0)), (4.0, Some(8.0))])
        );
        assert_eq!(
            (constant(5.0).constant(), planned.constant()),
            (Some(5.0), None)
        );
    }
}
