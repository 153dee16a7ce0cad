//! The schedule of a run with a rate: pgbench's Poisson process, each client its own thread.

use super::handover::ThrottleState;
use super::spec::Spec;
use crate::pg::clock;
use crate::script::{Prng, poisson};

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
    pub fn new(spec: &Spec, client: usize) -> Throttle {
        let prng = spec
            .streams()
            .threads
            .get(client)
            .map_or(Prng::new(0), |thread| thread.throttle);
        Throttle {
            // All clients share the rate evenly.
            mean_us: spec.rate.map(|rate| 1e6 / rate * spec.clients as f64),
            latency_limit_ns: spec.latency_limit_ns(),
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

    /// Schedules the next transaction.
    #[inline]
    pub fn next(&mut self) -> Start {
        let Some(mean_us) = self.mean_us else {
            return Start::Now;
        };
        let now = clock::now();
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
