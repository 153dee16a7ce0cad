//! The surroundings of an in-process client: the run's segment, the clock and the latch of its process.

use crate::pg::process::{clock, latch};
use crate::pg::server;
use crate::pg::session::interrupts;
use crate::run::shared::{Phase, Shared};
use engine::{Altered, Surroundings};
use std::time::Duration;

/// The surroundings of a client worker.
#[derive(Clone, Copy)]
pub struct Worker {
    pub shared: Shared,
}

impl Surroundings for Worker {
    #[inline]
    fn now(&self) -> u64 {
        clock::now()
    }

    fn timestamp(&self) -> i64 {
        server::timestamp_now()
    }

    #[inline]
    fn phase(&self) -> Phase {
        self.shared.phase()
    }

    fn began_at(&self) -> u64 {
        self.shared.began_at()
    }

    #[inline]
    fn deadline(&self) -> u64 {
        self.shared.deadline()
    }

    #[inline]
    fn rate_revision(&self) -> u64 {
        self.shared.rate_revision()
    }

    /// From now on there are moments to wait for.
    fn altered(&self) -> Altered {
        latch::sleep_precisely();
        self.shared.altered()
    }

    #[inline]
    fn turn(&self) -> u64 {
        self.shared.turn()
    }

    fn has_failed_enough(&self) -> bool {
        self.shared.has_failed_enough()
    }

    fn wake_leader(&self) {
        latch::wake(self.shared.leader());
    }

    fn pause(&self, ns: u64) {
        interrupts::wait(Duration::from_nanos(ns));
    }

    fn log(&self, text: &str) {
        interrupts::between_messages(|| server::log(text));
    }
}
