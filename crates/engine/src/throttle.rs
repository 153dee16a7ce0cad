//! The schedule of a run with a rate: pgbench's Poisson process, each client its own thread.

use crate::handover::ThrottleState;
use crate::spec::RunSpec;
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

/// A client's schedule.
pub struct Throttle {
    /// Mean time between two transactions of this client, µs.
    mean_us: Option<f64>,
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
        // All clients share the rate evenly.
        let mean_us = spec.rate.map(|rate| 1e6 / rate * spec.clients as f64);
        Throttle::of(mean_us, spec.latency_limit_ns, prng)
    }

    fn of(mean_us: Option<f64>, latency_limit_ns: Option<u64>, prng: Prng) -> Throttle {
        Throttle {
            mean_us,
            latency_limit_ns,
            start: prng,
            state: ThrottleState { prng, due: 0 },
        }
    }

    /// Starts the schedule anew: the warm-up's backlog does not burden the measured part.
    pub fn begin(&mut self, at: u64) {
        self.state = ThrottleState {
            prng: self.start,
            due: at,
        };
    }

    /// Where the schedule is, for the client's next session.
    pub fn state(&self) -> ThrottleState {
        self.state
    }

    /// Goes on where another session has left off.
    pub fn resume(&mut self, state: ThrottleState) {
        self.state = state;
    }

    /// Schedules the next transaction. The clock is read where there is a schedule.
    #[inline]
    pub fn next(&mut self, now: impl FnOnce() -> u64) -> Start {
        match self.mean_us {
            None => Start::Now,
            Some(mean_us) => self.next_at(mean_us, now()),
        }
    }

    #[inline]
    fn next_at(&mut self, mean_us: f64, now: u64) -> Start {
        if self.state.due == 0 {
            self.state.due = now;
        }
        let gap_us = poisson(&mut self.state.prng, mean_us).max(0) as u64;
        self.state.due = self.state.due.saturating_add(gap_us.saturating_mul(1000));
        match self.latency_limit_ns {
            Some(limit) if self.state.due.saturating_add(limit) < now => Start::Skip,
            _ => Start::At(self.state.due),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEAN_US: f64 = 1000.0;

    fn drawn(throttle: &mut Throttle, count: usize, now: u64) -> Vec<Start> {
        (0..count).map(|_| throttle.next_at(MEAN_US, now)).collect()
    }

    #[test]
    fn the_measured_part_begins_without_the_backlog_of_the_warm_up() {
        let began = 60_000_000_000;
        let unburdened = {
            let mut throttle = Throttle::of(Some(MEAN_US), None, Prng::new(7));
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
            let mut throttle = Throttle::of(Some(MEAN_US), None, Prng::new(7));
            drawn(&mut throttle, draws, start);
            throttle.begin(began);
            assert_eq!(drawn(&mut throttle, 20, began), unburdened);
        }
    }

    #[test]
    fn what_could_not_end_within_the_latency_limit_is_skipped() {
        let mut throttle = Throttle::of(Some(MEAN_US), Some(500), Prng::new(7));
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
            let mut copy = Throttle::of(self.mean_us, self.latency_limit_ns, self.start);
            copy.resume(self.state);
            copy.next_at(MEAN_US, now)
        }
    }
}
