//! The sessions that the sampler looks at every second, between its samples and between the steps of one.

use super::timetable::Micros;
use crate::collect::lock_queues::LockQueues;
use crate::collect::watched::WatchedSessions;
use crate::error::Result;
use crate::pg::process::clock;
use crate::pg::server;
use crate::subject::sessions::COLLECTOR;
use std::time::Duration;

/// The time between two looks, at full seconds of the clock.
const PERIOD: Micros = 1_000_000;
/// The part of the sampler's budget that looks at the queues for locks may take: with many thousands of locks they are taken less often.
const QUEUES_SHARE: f64 = 0.5;
/// The longest pause between two of them.
const LONGEST: Duration = Duration::from_secs(10);

/// Looks at the sessions while the collector is wanted.
#[derive(Default)]
pub struct Sessions {
    watched: Option<WatchedSessions>,
    /// The last tick of [`PERIOD`] that was seen.
    tick: i64,
    /// Before this moment nobody looks at queues, monotonic ns.
    queues_at: u64,
    /// The time on a CPU since the last sample, in nanoseconds.
    spent_ns: u64,
}

impl Sessions {
    /// Whether a collector is the one that needs this.
    pub fn are_for(name: &str) -> bool {
        name == COLLECTOR.name
    }

    /// Begins or ends looking.
    pub fn follow(&mut self, wanted: bool) {
        if !wanted {
            *self = Sessions::default();
        } else if self.watched.is_none() {
            self.watched = Some(WatchedSessions::default());
        }
    }

    /// How long until the next look.
    pub fn due_in(&self) -> Duration {
        if self.watched.is_none() {
            return Duration::MAX;
        }
        let now = server::timestamp_now();
        if now.div_euclid(PERIOD) != self.tick {
            return Duration::ZERO;
        }
        Duration::from_micros((PERIOD - now.rem_euclid(PERIOD)) as u64)
    }

    /// Looks if it is time to. `in_transaction` looks at the queues for locks. `budget`: the sampler's, as a part of one CPU.
    ///
    /// # Errors
    /// Those of `in_transaction`.
    pub fn look_if_due(
        &mut self,
        budget: f64,
        in_transaction: impl FnOnce(&mut LockQueues) -> Result<()>,
    ) -> Result<()> {
        if self.due_in() > Duration::ZERO {
            return Ok(());
        }
        let Some(watched) = &mut self.watched else {
            return Ok(());
        };
        let before = clock::cpu_time();
        self.tick = server::timestamp_now().div_euclid(PERIOD);
        let mut looked = Ok(());
        if watched.look() && clock::now() >= self.queues_at {
            let before = clock::cpu_time();
            looked = in_transaction(&mut watched.queues);
            let cost = clock::cpu_time().saturating_sub(before);
            let pause = cost as f64 / (budget * QUEUES_SHARE);
            self.queues_at = clock::now() + pause.min(LONGEST.as_nanos() as f64) as u64;
        }
        self.spent_ns += clock::cpu_time().saturating_sub(before);
        looked
    }

    /// What was seen since the last call, and the microseconds on a CPU that it took.
    pub fn take(&mut self) -> (Option<WatchedSessions>, f64) {
        let spent = std::mem::take(&mut self.spent_ns);
        let seen = (self.watched.as_mut()).map(WatchedSessions::take);
        (
            seen.filter(|seen| seen.looks.looks() > 0),
            spent as f64 / 1e3,
        )
    }
}
