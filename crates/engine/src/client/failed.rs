//! The reaction to a failed transaction: a retry, the next transaction, or the client's end.

use super::{Client, TransactionOutcome};
use crate::error::{ClientError, QUERY_CANCELED};
use crate::failure::FailureKind;
use crate::script_runner::Failure;
use crate::sink::Sink;
use crate::surroundings::{Phase, Surroundings};
use crate::transport::Transport;
use std::time::Duration;

/// How often a client says in the log that its transactions fail; a new kind of error it tells at once.
const LOG_INTERVAL_NS: u64 = 10_000_000_000;
/// How long a client waits before it tries again after a deadlock: over a network the other one gets so long to
/// take the locks that were in its way. Without it the next try takes them back before the other has woken up.
const DEADLOCK_PAUSE: Duration = Duration::from_millis(1);
/// How often a client that must not begin another transaction looks at that again.
const FAILURES_INTERVAL_NS: u64 = 1_000_000_000;

/// What follows an error of a statement.
pub(super) enum AfterError {
    TryAgain,
    End(TransactionOutcome),
}

/// What decides whether a transaction is tried again; times in monotonic ns.
struct Rules {
    /// 0: without limit.
    max_tries: u32,
    /// After the moment that the transaction was due.
    latency_limit_ns: Option<u64>,
    /// When the run ends, or 0: it is being stopped.
    deadline: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    TryAgain,
    Failed,
    /// The run's time is over: as in pgbench the transaction counts as nothing.
    Over,
}

impl Rules {
    /// pgbench's rules: up to max_tries, neither past the latency limit nor past the run's end.
    fn verdict(&self, kind: FailureKind, tries: u32, scheduled: u64, now: u64) -> Verdict {
        if now >= self.deadline {
            return Verdict::Over;
        }
        let in_time =
            (self.latency_limit_ns).is_none_or(|limit| now.saturating_sub(scheduled) <= limit);
        let has_tries = self.max_tries == 0 || tries < self.max_tries;
        if kind.is_retryable() && has_tries && in_time {
            Verdict::TryAgain
        } else {
            Verdict::Failed
        }
    }
}

impl<T: Transport, S: Surroundings, K: Sink> Client<T, S, K> {
    /// What follows a failure; an error ends the client. pgbench's rules: only what a statement failed with
    /// can be survived, a meta-command's error never, nor, unless the run wants it, the loss of the session.
    #[cold]
    pub(super) fn answer(
        &mut self,
        failure: Failure,
        scheduled: u64,
        tries: u32,
        measured: bool,
    ) -> Result<AfterError, ClientError> {
        let sqlstate = failure.error.sqlstate.as_str();
        let stopping = self.around.phase() == Phase::Stopping;
        if sqlstate == QUERY_CANCELED && stopping {
            return Ok(AfterError::End(TransactionOutcome::Unfinished));
        }
        let is_lost = self.runner.session.is_lost();
        let kind = match is_lost {
            // Whatever it was: the session cannot try again.
            true => FailureKind::Other,
            false => FailureKind::of(sqlstate),
        };
        let is_survived = match is_lost {
            true => self.spec.reconnect_on_loss,
            false => {
                kind.is_retryable() || self.spec.continue_on_error || self.runner.survives(sqlstate)
            }
        };
        if !(failure.of_statement && is_survived) {
            self.runner.count_failure(&failure);
            return Err(self.client_error(failure));
        }
        let rules = Rules {
            max_tries: self.spec.max_tries,
            latency_limit_ns: self.spec.latency_limit_ns(),
            deadline: if stopping { 0 } else { self.around.deadline() },
        };
        match rules.verdict(kind, tries, scheduled, self.runner.now) {
            Verdict::Over => Ok(AfterError::End(TransactionOutcome::Unfinished)),
            Verdict::TryAgain => {
                self.runner.count_retry(&failure);
                if kind == FailureKind::Deadlock {
                    self.around.sleep(DEADLOCK_PAUSE);
                    self.runner.now = self.around.now();
                }
                self.runner.again();
                Ok(AfterError::TryAgain)
            }
            Verdict::Failed => {
                if measured {
                    self.runner.count_failure(&failure);
                    let error = self.client_error(failure);
                    self.keep(error, kind);
                }
                Ok(AfterError::End(TransactionOutcome::Failed(kind)))
            }
        }
    }

    fn client_error(&self, failure: Failure) -> ClientError {
        ClientError::new(failure.error, failure.command, self.around.timestamp())
    }

    /// Keeps the error of a failed transaction for the leader, and reports one in the log now and then.
    fn keep(&mut self, error: ClientError, kind: FailureKind) {
        let before = self.sink.error(&error);
        let due = self.runner.now > self.logged_at + LOG_INTERVAL_NS;
        if kind == FailureKind::Other && (before == 0 || due) {
            self.logged_at = self.runner.now;
            self.around.log(&format!(
                "{}: transaction failed with {}: {} ({} so far)",
                self.name,
                error.sqlstate,
                error.message,
                before + 1
            ));
        }
    }

    /// Where the run has had as many failures as it may, waits for its leader to end it, which looks now and then only.
    #[cold]
    pub(super) fn await_end_of_failures(&mut self) {
        while self.around.has_failed_enough() {
            self.around.wake_leader();
            if !self.wait_until(self.around.now() + FAILURES_INTERVAL_NS) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIALIZATION: FailureKind = FailureKind::Serialization;

    fn rules(max_tries: u32) -> Rules {
        Rules {
            max_tries,
            latency_limit_ns: Some(500),
            deadline: 10_000,
        }
    }

    #[test]
    fn a_transaction_is_tried_up_to_max_tries() {
        assert_eq!(
            rules(3).verdict(SERIALIZATION, 2, 1_000, 1_100),
            Verdict::TryAgain
        );
        assert_eq!(
            rules(3).verdict(SERIALIZATION, 3, 1_000, 1_100),
            Verdict::Failed
        );
        assert_eq!(
            rules(1).verdict(SERIALIZATION, 1, 1_000, 1_100),
            Verdict::Failed
        );
        assert_eq!(
            rules(0).verdict(FailureKind::Deadlock, 1_000_000, 1_000, 1_100),
            Verdict::TryAgain
        );
        assert_eq!(
            rules(0).verdict(FailureKind::Other, 1, 1_000, 1_100),
            Verdict::Failed
        );
    }

    #[test]
    fn not_past_the_latency_limit() {
        assert_eq!(
            rules(0).verdict(SERIALIZATION, 1, 1_000, 1_500),
            Verdict::TryAgain
        );
        assert_eq!(
            rules(0).verdict(SERIALIZATION, 1, 1_000, 1_501),
            Verdict::Failed
        );
        let unlimited = Rules {
            latency_limit_ns: None,
            ..rules(0)
        };
        assert_eq!(
            unlimited.verdict(SERIALIZATION, 1, 1_000, 9_999),
            Verdict::TryAgain
        );
    }

    #[test]
    fn not_past_the_end_of_the_run() {
        for kind in [SERIALIZATION, FailureKind::Other] {
            assert_eq!(rules(0).verdict(kind, 1, 9_900, 10_000), Verdict::Over);
            let stopping = Rules {
                deadline: 0,
                ..rules(0)
            };
            assert_eq!(stopping.verdict(kind, 1, 1_000, 1_100), Verdict::Over);
        }
        assert_eq!(
            rules(0).verdict(SERIALIZATION, 1, 9_900, 9_999),
            Verdict::TryAgain
        );
    }
}
