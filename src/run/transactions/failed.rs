//! What follows when a transaction fails: another try, the next transaction, or the client's end.

use super::{Outcome, Transactions};
use crate::pg::{clock, latch, server};
use crate::run::client::client_error;
use crate::run::errors::ClientError;
use crate::run::failure::FailureKind;
use crate::run::script_runner::{Failure, QUERY_CANCELED};
use crate::run::shared::Phase;
use std::time::Duration;

/// How often a client says in the server's log that its transactions fail; a new kind of error it tells at once.
const LOG_INTERVAL_NS: u64 = 10_000_000_000;
/// How long a client waits before it tries again after a deadlock: over a network the other one gets so long to
/// take the locks that were in its way. Without it the next try takes them back before the other has woken up.
const DEADLOCK_PAUSE: Duration = Duration::from_millis(1);
/// How often a client that must not begin another transaction looks at that again.
const FAILURES_INTERVAL_NS: u64 = 1_000_000_000;

/// What follows an error of a statement.
pub(super) enum Answer {
    TryAgain,
    End(Outcome),
}

impl Transactions<'_> {
    /// What follows a failure; an error ends the client. pgbench's rules: only what a statement failed with
    /// can be survived, a meta-command's error never.
    #[cold]
    pub(super) fn answer(
        &mut self,
        failure: Failure,
        scheduled: u64,
        tries: u32,
        measured: bool,
    ) -> Result<Answer, ClientError> {
        let sqlstate = failure.error.sqlstate.as_str();
        let stopping = self.shared.phase() == Phase::Stopping;
        if sqlstate == QUERY_CANCELED && stopping {
            return Ok(Answer::End(Outcome::Unfinished));
        }
        let kind = FailureKind::of(sqlstate);
        let survives = failure.of_statement && (kind.is_retryable() || self.spec.continue_on_error);
        if !survives {
            self.runner.count_failure(&failure);
            return Err(client_error(failure.error, failure.command));
        }
        if stopping || self.runner.now >= self.shared.deadline() {
            return Ok(Answer::End(Outcome::Unfinished));
        }
        if kind.is_retryable() && self.may_retry(tries, scheduled) {
            self.runner.count_retry(&failure);
            if kind == FailureKind::Deadlock {
                latch::sleep(DEADLOCK_PAUSE, || self.shared.phase() == Phase::Stopping);
                self.runner.now = clock::now();
            }
            self.runner.again();
            return Ok(Answer::TryAgain);
        }
        if measured {
            self.runner.count_failure(&failure);
            self.keep(client_error(failure.error, failure.command), kind);
        }
        Ok(Answer::End(Outcome::Failed(kind)))
    }

    /// pgbench's rule: up to max_tries, not past the latency limit.
    fn may_retry(&self, tries: u32, scheduled: u64) -> bool {
        if self.spec.max_tries != 0 && tries >= self.spec.max_tries {
            return false;
        }
        self.latency_limit_ns
            .is_none_or(|limit| self.runner.now.saturating_sub(scheduled) <= limit)
    }

    /// Keeps the error of a failed transaction for the leader, and tells the server's log now and then.
    fn keep(&mut self, error: ClientError, kind: FailureKind) {
        let (_, before) = self.slot.errors().store(&error);
        let due = self.runner.now > self.logged_at + LOG_INTERVAL_NS;
        if kind == FailureKind::Other && (before == 0 || due) {
            self.logged_at = self.runner.now;
            server::log(&format!(
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
        while self.shared.has_failed_enough() {
            latch::wake(self.shared.leader());
            if !self.wait_until(clock::now() + FAILURES_INTERVAL_NS) {
                return;
            }
        }
    }
}
