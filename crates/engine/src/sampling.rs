//! The sampling of transactions for the log, and the logged data of each.

use crate::failure::FailureKind;
use crate::spec::RunSpec;
use script::Prng;

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggedOutcome {
    Done,
    Skipped,
    Failed(FailureKind),
}

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Of this client, from 1.
    pub transaction_no: u64,
    pub script_no: u32,
    pub outcome: LoggedOutcome,
    /// On the monotonic clock, ns.
    pub ended_at: u64,
    pub latency_ns: u64,
    pub lag_ns: u64,
    pub retries: u32,
}

/// The choice of the transactions that are logged.
pub struct Sampling {
    /// The part of them.
    rate: f64,
    /// pgbench's third stream of a thread.
    pub prng: Prng,
}

impl Sampling {
    /// A client's; None if there is no log.
    pub fn new(spec: &RunSpec, client: usize) -> Option<Sampling> {
        Some(Sampling {
            rate: spec.sampling_rate?,
            prng: spec.streams(spec.random_seed).threads.get(client)?.sampling,
        })
    }

    /// Whether the next transaction is one of the sample (pgbench.c doLog).
    #[inline]
    pub fn takes(&mut self) -> bool {
        self.rate >= 1.0 || self.prng.next_double() <= self.rate
    }
}

impl LoggedOutcome {
    /// As a number, which `log_store` turns into a name.
    pub fn code(self) -> u64 {
        match self {
            LoggedOutcome::Done => 0,
            LoggedOutcome::Skipped => 1,
            LoggedOutcome::Failed(FailureKind::Serialization) => 2,
            LoggedOutcome::Failed(FailureKind::Deadlock) => 3,
            LoggedOutcome::Failed(FailureKind::Other) => 4,
        }
    }

    /// The outcome with that number.
    pub fn of_code(code: u64) -> LoggedOutcome {
        match code {
            0 => LoggedOutcome::Done,
            1 => LoggedOutcome::Skipped,
            2 => LoggedOutcome::Failed(FailureKind::Serialization),
            3 => LoggedOutcome::Failed(FailureKind::Deadlock),
            _ => LoggedOutcome::Failed(FailureKind::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_code() {
        use FailureKind::{Deadlock, Other, Serialization};
        let outcomes = [
            LoggedOutcome::Done,
            LoggedOutcome::Skipped,
            LoggedOutcome::Failed(Serialization),
            LoggedOutcome::Failed(Deadlock),
            LoggedOutcome::Failed(Other),
        ];
        for (code, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome.code(), code as u64);
            assert_eq!(LoggedOutcome::of_code(outcome.code()), outcome);
        }
    }
}
