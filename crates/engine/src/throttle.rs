//! The schedule of a run with a rate: pgbench's Poisson process, each client its own thread.

use crate::handover::ThrottleState;
use crate::rate::{Course, Due, Rate};
use crate::spec::RunSpec;
use crate::surroundings::Altered;
use script::{Prng, poisson};

/// When the next transaction is to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Now,
    /// At this moment of the monotonic clock, ns; it may have passed.
    At(u64),
    /// Not at all: it could not end within the latency limit any more.
    Skip,
}

/// What the schedule goes by.
enum Pace {
    /// There is no schedule.
    Free,
    /// Mean time between two transactions of this client, µs.
    Constant(f64),
    /// A rate that changes, by the time of the measured part.
    Course(Box<Course>),
}

impl Pace {
    /// All clients share the rate evenly.
    fn constant(rate: Option<f64>, clients: usize) -> Pace {
        match rate {
            None => Pace::Free,
            Some(rate) => Pace::Constant(1e6 / rate * clients as f64),
        }
    }
}

/// A client's schedule.
pub struct Throttle {
    pace: Pace,
    clients: usize,
    /// The rate of the measured part, and how much of that part came before this segment of the run, ns.
    rate: Option<Rate>,
    elapsed_ns: u64,
    latency_limit_ns: Option<u64>,
    /// Where the schedule of the measured part starts from, whatever the warm-up has drawn.
    start: Prng,
    state: ThrottleState,
}

impl Throttle {
    pub fn new(spec: &RunSpec, client: usize) -> Throttle {
        let prng = spec
            .streams(spec.random_seed)
            .threads
            .get(client)
            .map_or(Prng::new(0), |thread| thread.throttle);
        // A warm-up has the rate that the measured part begins with.
        let first = spec.rate.as_ref().and_then(|rate| rate.at(spec.elapsed_s));
        Throttle {
            pace: Pace::constant(first, spec.clients),
            clients: spec.clients,
            rate: spec.rate.clone(),
            elapsed_ns: (spec.elapsed_s * 1e9) as u64,
            latency_limit_ns: spec.latency_limit_ns(),
            start: prng,
            state: ThrottleState {
                prng,
                due: 0,
                origin: 0,
                revision: 0,
            },
        }
    }

    /// Starts the schedule anew: the warm-up's backlog does not burden the measured part.
    pub fn begin(&mut self, at: u64) {
        self.state.prng = self.start;
        self.state.due = at;
        self.state.origin = at.saturating_sub(self.elapsed_ns);
        self.follow();
    }

    /// Where the schedule is, for the client's next session.
    pub fn state(&self) -> ThrottleState {
        self.state
    }

    /// Goes on where another session has left off, `altered` being how the run's rate was changed last.
    pub fn resume(&mut self, state: ThrottleState, altered: Altered) {
        self.state = state;
        if state.revision > 0 {
            self.pace = Pace::constant(altered.rate, self.clients);
        } else if state.origin > 0 {
            self.follow();
        }
    }

    /// Follows a rate that changes, from the beginning of the measured part on, unless somebody has altered it.
    fn follow(&mut self) {
        if let Some(rate) = &self.rate
            && rate.constant().is_none()
            && self.state.revision == 0
        {
            self.pace = Pace::Course(Box::new(Course::new(rate, self.clients)));
        }
    }

    /// How often the rate had been altered when this schedule began.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.state.revision
    }

    /// Starts the schedule anew at the moment when the rate was altered: a backlog is not made up for at another rate.
    pub fn alter(&mut self, altered: Altered) {
        self.pace = Pace::constant(altered.rate, self.clients);
        self.state.due = altered.at;
        self.state.revision = altered.revision;
    }

    /// Schedules the next transaction. The clock is read where there is a schedule.
    #[inline]
    pub fn next(&mut self, now: impl FnOnce() -> u64) -> Start {
        match self.pace {
            Pace::Free => Start::Now,
            Pace::Constant(mean_us) => self.next_at(mean_us, now()),
            Pace::Course(_) => self.next_on_course(now()),
        }
    }

    #[inline]
    fn next_at(&mut self, mean_us: f64, now: u64) -> Start {
        if self.state.due == 0 {
            self.state.due = now;
        }
        let gap_us = poisson(&mut self.state.prng, mean_us).max(0) as u64;
        self.state.due = self.state.due.saturating_add(gap_us.saturating_mul(1000));
        self.start_at(self.state.due, now)
    }

    fn next_on_course(&mut self, now: u64) -> Start {
        let Pace::Course(course) = &self.pace else {
            return Start::Now;
        };
        let since = |moment: u64| moment.saturating_sub(self.state.origin);
        let (due, now_there) = (since(self.state.due), since(now));
        match course.next(&mut self.state.prng, due, now_there) {
            // What was due before is over.
            Due::Now(since) => {
                self.state.due = self.state.origin.saturating_add(since);
                Start::Now
            }
            Due::At(at) => {
                self.state.due = self.state.origin.saturating_add(at);
                self.start_at(self.state.due, now)
            }
        }
    }

    #[inline]
    fn start_at(&self, due: u64, now: u64) -> Start {
        match self.latency_limit_ns {
            Some(limit) if due.saturating_add(limit) < now => Start::Skip,
            _ => Start::At(due),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::{Level, RateStep};

    const MEAN_US: f64 = 1000.0;

    impl Throttle {
        fn of(latency_limit_ns: Option<u64>, prng: Prng) -> Throttle {
            Throttle {
                pace: Pace::Constant(MEAN_US),
                clients: 1,
                rate: None,
                elapsed_ns: 0,
                latency_limit_ns,
                start: prng,
                state: ThrottleState {
                    prng,
                    due: 0,
                    origin: 0,
                    revision: 0,
                },
            }
        }
    }

    fn drawn(throttle: &mut Throttle, count: usize, now: u64) -> Vec<Start> {
        (0..count).map(|_| throttle.next_at(MEAN_US, now)).collect()
    }

    #[test]
    fn the_measured_part_begins_without_the_backlog_of_the_warm_up() {
        let began = 60_000_000_000;
        let unburdened = {
            let mut throttle = Throttle::of(None, Prng::new(7));
            throttle.begin(began);
            drawn(&mut throttle, 20, began)
        };
        assert!(
            unburdened
                .iter()
                .all(|start| matches!(start, Start::At(due) if *due >= began))
        );
        // Warm-ups that could not keep up, and that were ahead.
        for (start, draws) in [(1_000, 10), (1_000, 0), (59_999_000_000, 5_000)] {
            let mut throttle = Throttle::of(None, Prng::new(7));
            drawn(&mut throttle, draws, start);
            throttle.begin(began);
            assert_eq!(drawn(&mut throttle, 20, began), unburdened);
        }
    }

    #[test]
    fn where_there_is_no_rate_any_more_nothing_is_due_before() {
        const SECOND: u64 = 1_000_000_000;
        let step = |at_s, rate: Option<f64>| RateStep {
            at_s,
            rate: rate.map(Level::Constant),
        };
        let rate = Rate::Steps(vec![
            step(0.0, Some(4.0)),
            step(1.0, None),
            step(3.0, Some(4.0)),
        ]);
        for seed in 0..50 {
            let mut throttle = Throttle::of(None, Prng::new(seed));
            throttle.rate = Some(rate.clone());
            throttle.begin(7 * SECOND);
            // Each transaction takes 0.2 s.
            let mut now = 7 * SECOND;
            let (mut starts, mut free) = (Vec::new(), false);
            while now < 12 * SECOND {
                let start = throttle.next(|| now);
                free |= start == Start::Now;
                if let Start::At(due) = start {
                    assert!(!free || due > 10 * SECOND, "seed {seed}: {due} at {now}");
                    now = now.max(due);
                }
                starts.push(now);
                now += SECOND / 5;
            }
            let within = starts
                .iter()
                .filter(|at| (8 * SECOND..10 * SECOND).contains(at));
            assert!(
                (9..=10).contains(&within.count()),
                "seed {seed}: {starts:?}"
            );
        }
    }

    #[test]
    fn what_could_not_end_within_the_latency_limit_is_skipped() {
        let mut throttle = Throttle::of(Some(500), Prng::new(7));
        throttle.begin(1_000);
        let Start::At(due) = throttle.peek(0) else {
            panic!("it is not late yet");
        };
        assert_eq!(throttle.peek(due + 500), Start::At(due));
        assert_eq!(throttle.peek(due + 501), Start::Skip);
    }

    impl Throttle {
        /// What would come next at this moment; nothing changes.
        fn peek(&self, now: u64) -> Start {
            let mut copy = Throttle::of(self.latency_limit_ns, self.start);
            copy.state = self.state;
            copy.next_at(MEAN_US, now)
        }
    }
}
