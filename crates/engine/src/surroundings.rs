//! The surroundings of a client: clock, waiting, the run that it belongs to.

use script::Value;
use std::time::Duration;

/// Where a run is. Its leader advances it; clients follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum Phase {
    /// Clients connect, prepare and wait for the barrier.
    Preparing,
    /// Clients work, and nothing is counted.
    WarmingUp,
    /// The measured part.
    Running,
    /// Clients finish their transaction and end.
    Stopping,
}

/// How the rate of a run was altered last.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Altered {
    /// How often it was altered; 0: never.
    pub revision: u64,
    /// Transactions per second over all clients; None: as fast as they go.
    pub rate: Option<f64>,
    /// When.
    pub at: u64,
}

/// What a client sees of its run, and how it waits. Moments are ns of a clock that is never set back.
pub trait Surroundings {
    /// The clock.
    fn now(&self) -> u64;

    /// The clock of the server, microseconds since 2000-01-01.
    fn timestamp(&self) -> i64;

    /// Where the run is.
    fn phase(&self) -> Phase;

    /// Whether the client has to leave at once, whatever it waits for.
    fn is_given_up(&self) -> bool {
        false
    }

    /// When the phase began.
    fn began_at(&self) -> u64;

    /// When clients are to begin no further transaction.
    fn deadline(&self) -> u64;

    /// How often the rate was altered: looked at before each transaction, so it has to be cheap.
    fn rate_revision(&self) -> u64;

    /// How it was altered last.
    fn altered(&self) -> Altered;

    /// Which turn the run is in, from 0: looked at before each transaction, so it has to be cheap.
    fn turn(&self) -> u64;

    /// Whether as many transactions have failed, over all clients, as may.
    fn has_failed_enough(&self) -> bool;

    /// Has the leader look at the run at once.
    fn wake_leader(&self);

    /// Waits for at most so many ns; it may return earlier, so that the caller looks at the run.
    fn pause(&self, ns: u64);

    /// Says something in the log.
    fn log(&self, text: &str);

    /// debug() in a script, both numbered from 0: reports a value, in pgbench's words. It counts scripts from 0, and commands from 1.
    fn debug(&self, script: usize, command: usize, value: &Value) {
        self.log(&format!(
            "pgperf debug(script={script},command={}): {}",
            command + 1,
            value.describe()
        ));
    }

    /// Sleeps for so long, unless the run is stopped meanwhile.
    fn sleep(&self, duration: Duration) {
        let until = self.now() + duration.as_nanos() as u64;
        loop {
            let now = self.now();
            if now >= until || self.phase() == Phase::Stopping {
                return;
            }
            self.pause(until - now);
        }
    }
}
