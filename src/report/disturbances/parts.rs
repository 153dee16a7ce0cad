//! The intervals of a run inside the occurrences of a disturbance, after them, and outside of all disturbances.

use serde::Deserialize;

/// Intervals after an occurrence that are looked at in any case.
const AFTER: f64 = 3.0;

/// An occurrence between two moments, seconds since the first interval began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occurred {
    /// Number of its disturbance.
    pub disturbance: usize,
    pub from_s: f64,
    pub to_s: f64,
}

/// An interval of the run.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Interval {
    pub interval_no: i64,
    pub at_s: f64,
    pub seconds: f64,
    pub transactions: f64,
    pub latency_p50_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    pub latency_p99_ms: Option<f64>,
    /// Of the clients' own statements and commits.
    pub wal_bytes: Option<f64>,
}

/// Where an interval lies, as one disturbance sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Inside,
    After,
    /// Outside of all disturbances, and not after one.
    Outside,
}

pub const PARTS: [Part; 3] = [Part::Inside, Part::After, Part::Outside];

/// The part of each interval for a disturbance; None: in none, since another one goes on, or a little of its own.
pub fn parts(
    disturbance: usize,
    occurred: &[Occurred],
    intervals: &[Interval],
) -> Vec<Option<Part>> {
    let after = after(occurred, intervals);
    let part = |(interval, after): (&Interval, &Option<usize>)| {
        let touching = || occurred.iter().filter(|one| touches(one, interval));
        let mut own = touching().filter(|one| one.disturbance == disturbance);
        if own.any(|one| fills(one, interval)) {
            Some(Part::Inside)
        } else if touching().next().is_some() {
            None
        } else {
            match after {
                None => Some(Part::Outside),
                Some(of) => (*of == disturbance).then_some(Part::After),
            }
        }
    };
    intervals.iter().zip(&after).map(part).collect()
}

/// The disturbance whose occurrence ended shortly before each interval.
fn after(occurred: &[Occurred], intervals: &[Interval]) -> Vec<Option<usize>> {
    let of = |interval: &Interval| {
        let before = occurred
            .iter()
            .filter(|one| one.to_s <= interval.at_s)
            .max_by(|a, b| a.to_s.total_cmp(&b.to_s))?;
        let window = (before.to_s - before.from_s).max(AFTER * interval.seconds);
        (interval.at_s < before.to_s + window).then_some(before.disturbance)
    };
    intervals.iter().map(of).collect()
}

fn end_s(interval: &Interval) -> f64 {
    interval.at_s + interval.seconds
}

/// Whether some of the occurrence lies in the interval.
pub fn touches(one: &Occurred, interval: &Interval) -> bool {
    one.from_s < end_s(interval) && one.to_s > interval.at_s
        || (interval.at_s..end_s(interval)).contains(&one.from_s)
}

/// Whether it covers half of the interval, or half of it lies there.
fn fills(one: &Occurred, interval: &Interval) -> bool {
    let common = one.to_s.min(end_s(interval)) - one.from_s.max(interval.at_s);
    touches(one, interval) && common >= (one.to_s - one.from_s).min(interval.seconds) / 2.0
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A minute of 100 tps with a little noise; from 20 s to 30 s half of that, then 70 for 3 s.
    pub fn intervals() -> Vec<Interval> {
        let tps = |second: i64| match second {
            20..30 => 50.0,
            30..33 => 70.0,
            _ => 100.0,
        };
        (0..60)
            .map(|second| Interval {
                interval_no: second,
                at_s: second as f64,
                seconds: 1.0,
                transactions: tps(second) + (second % 3) as f64,
                latency_p50_ms: Some(1000.0 / tps(second)),
                wal_bytes: Some(tps(second) * 500.0),
                ..Interval::default()
            })
            .collect()
    }

    pub const ONE: Occurred = Occurred {
        disturbance: 0,
        from_s: 20.1,
        to_s: 30.0,
    };

    #[test]
    fn an_interval_is_inside_after_or_outside() {
        let parts = parts(0, &[ONE], &intervals());
        let count = |part| parts.iter().filter(|found| **found == part).count();
        assert_eq!(count(Some(Part::Inside)), 10);
        assert_eq!(count(Some(Part::After)), 10);
        assert_eq!(count(Some(Part::Outside)), 40);
        assert_eq!(parts[20], Some(Part::Inside));
        assert_eq!(
            (parts[30], parts[40]),
            (Some(Part::After), Some(Part::Outside))
        );
    }

    #[test]
    fn others_count_neither_as_inside_nor_as_outside() {
        let other = Occurred {
            disturbance: 1,
            from_s: 32.5,
            to_s: 32.9,
        };
        let occurred = [ONE, other];
        let own = parts(0, &occurred, &intervals());
        assert_eq!((own[31], own[32]), (Some(Part::After), None));
        // A short one is where half of it is.
        let short = Occurred {
            disturbance: 0,
            from_s: 9.9,
            to_s: 10.3,
        };
        let own_short = parts(0, &[short], &intervals());
        assert_eq!((own_short[9], own_short[10]), (None, Some(Part::Inside)));
        // After the other one, for three intervals.
        assert_eq!((own[34], own[40]), (None, Some(Part::Outside)));
        let others = parts(1, &occurred, &intervals());
        assert_eq!(
            (others[32], others[33]),
            (Some(Part::Inside), Some(Part::After))
        );
        assert_eq!((others[25], others[31]), (None, None));
    }
}
