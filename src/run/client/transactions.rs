//! A client's work: one transaction after the other, by its schedule, with retries, pauses, and what is
//! counted of each.

mod failed;

use super::launch::ClientLaunch;
use super::script_runner::ScriptRunner;
use super::session_name;
use super::throttle::{Start, Throttle};
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::process::latch;
use crate::run::request::spec::Spec;
use crate::run::shared::errors::ClientError;
use crate::run::shared::failure::FailureKind;
use crate::run::shared::log_ring::{Entry, LogWriter, LoggedOutcome};
use crate::run::shared::per_script::ScriptStats;
use crate::run::shared::reconnect::Handover;
use crate::run::shared::slot::{Counter, Slot};
use crate::run::shared::{Phase, Shared};
use failed::Answer;
use std::time::Duration;

/// How often a session reports its statistics, as a backend does between statements.
const STATISTICS_INTERVAL_NS: u64 = 1_000_000_000;

/// The transactions of a client.
pub struct Transactions<'a> {
    /// Of the client, in the server's log.
    name: String,
    shared: Shared,
    slot: Slot,
    spec: &'a Spec,
    runner: ScriptRunner,
    throttle: Throttle,
    think_ns: u64,
    latency_limit_ns: Option<u64>,
    /// What each script did, where there are several.
    scripts: Vec<ScriptStats>,
    /// Where there is a transaction log.
    log: Option<LogWriter>,
    /// Measured transactions that have ended, in whatever way, those of earlier segments among them.
    ended: u64,
    /// Whether the measured part has begun.
    measuring: bool,
    /// When a failed transaction was last logged.
    logged_at: u64,
    /// Transactions that this session may still run; None: as many as come.
    session_left: Option<u64>,
}

/// When a transaction was due, and how long after that it began, ns.
#[derive(Debug, Clone, Copy)]
struct Begun {
    scheduled: u64,
    lag: u64,
}

/// Why a session ended in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client has nothing more to do.
    Done,
    /// The client is to get a new session.
    Reconnect,
}

/// What a transaction came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Failed(FailureKind),
    /// An error came when its time was over: as in pgbench it counts as nothing.
    Unfinished,
}

impl Outcome {
    /// Whether the transaction succeeded, but took longer than the limit. One that failed has no latency to judge.
    #[inline]
    fn is_late(self, latency_ns: u64, limit_ns: Option<u64>) -> bool {
        self == Outcome::Done && limit_ns.is_some_and(|limit| latency_ns > limit)
    }
}

impl<'a> Transactions<'a> {
    pub fn new(
        launch: &ClientLaunch,
        shared: &Shared,
        slot: Slot,
        spec: &'a Spec,
        runner: ScriptRunner,
    ) -> Transactions<'a> {
        let think_ns = nanoseconds(spec.think_time_s);
        if spec.rate.is_some() || spec.round_trip_s > 0.0 || think_ns > 0 {
            latch::sleep_precisely();
        }
        Transactions {
            name: session_name(launch),
            shared: *shared,
            slot,
            spec,
            runner,
            throttle: Throttle::new(spec, launch.client as usize),
            think_ns,
            latency_limit_ns: spec.latency_limit_ns(),
            scripts: (0..shared.scripts())
                .map(|_| ScriptStats::default())
                .collect(),
            log: LogWriter::new(launch.client as usize, shared, spec),
            ended: slot.get(Counter::EndedBefore),
            measuring: false,
            logged_at: 0,
            session_left: spec.reconnect,
        }
    }

    /// Runs them until the run ends or an error ends the client, and adds up what they did.
    pub fn run(&mut self) -> Result<SessionEnd, ClientError> {
        let result = self.work();
        self.publish();
        result
    }

    /// Adds up what they did since the last time.
    fn publish(&mut self) {
        self.runner.publish();
        for (number, stats) in self.scripts.iter_mut().enumerate() {
            if let Some(words) = self.shared.script(number) {
                std::mem::take(stats).publish(words);
            }
        }
    }

    /// Where the client is, for its next session.
    pub fn state(&self) -> Handover {
        Handover {
            left_at: clock::now(),
            ended: self.ended,
            measuring: self.measuring,
            throttle: self.throttle.state(),
            sampling: self.log.as_ref().map(|log| log.sampling),
            scripts: self.runner.state(),
        }
    }

    /// Goes on where another session has left off.
    pub fn resume(&mut self, state: Handover) {
        self.ended = state.ended;
        self.measuring = state.measuring;
        self.throttle.resume(state.throttle);
        if let (Some(log), Some(sampling)) = (&mut self.log, state.sampling) {
            log.sampling = sampling;
        }
        if state.measuring {
            self.runner.begin_measuring();
        }
        self.runner.resume(state.scripts);
        self.runner.received = (self.slot.get(Counter::Rows), self.slot.get(Counter::Bytes));
        self.slot.add(Counter::Reconnects, 1);
        let took = clock::now().saturating_sub(state.left_at);
        self.slot.add(Counter::ReconnectNs, took);
    }

    fn work(&mut self) -> Result<SessionEnd, ClientError> {
        self.runner.now = clock::now();
        let mut reported_at = self.runner.now;
        loop {
            self.runner.session.idle_checks();
            let now = self.runner.now;
            match self.shared.phase() {
                Phase::Stopping | Phase::Preparing => return Ok(SessionEnd::Done),
                Phase::WarmingUp => {}
                Phase::Running if self.is_over(now) => return Ok(SessionEnd::Done),
                Phase::Running => {
                    if !self.measuring {
                        self.measuring = true;
                        self.throttle.begin(self.shared.began_at());
                        self.runner.begin_measuring();
                    }
                }
            }
            if now > reported_at + STATISTICS_INTERVAL_NS {
                latch::report_statistics(false);
                if self.spec.resume {
                    self.publish();
                }
                reported_at = clock::now();
                self.runner.now = reported_at;
            }
            if self.session_left == Some(0) {
                return Ok(SessionEnd::Reconnect);
            }
            self.transaction(self.measuring)?;
            self.session_left = self.session_left.map(|left| left - 1);
            if self.think_ns > 0 && !self.is_over(self.runner.now) {
                let until = self.runner.now.saturating_add(self.think_ns);
                self.wait_until(until.min(self.shared.deadline()));
            }
        }
    }

    /// Whether no further measured transaction is to begin.
    fn is_over(&self, now: u64) -> bool {
        now >= self.shared.deadline()
            || self
                .spec
                .transactions_per_client
                .is_some_and(|limit| self.ended >= limit)
    }

    /// One transaction, with its wait before and its retries.
    fn transaction(&mut self, measured: bool) -> Result<(), ClientError> {
        self.runner.begin(measured);
        let Some(scheduled) = self.await_start(measured) else {
            return Ok(());
        };
        let begun = Begun {
            scheduled,
            lag: self.runner.now.saturating_sub(scheduled),
        };
        let used = self.runner.used;
        let mut tries: u32 = 1;
        let mut try_began = self.runner.now;
        // In tries that another one followed. Of transactions that are done: only those have a latency that it is a part of.
        let mut lost = 0;
        let outcome = loop {
            let Err(failure) = self.runner.run() else {
                break Outcome::Done;
            };
            if measured {
                self.slot.record_lost(&self.runner.spent);
            }
            match self.answer(failure, scheduled, tries, measured)? {
                Answer::TryAgain => {
                    tries += 1;
                    lost += self.runner.now.saturating_sub(try_began);
                    try_began = self.runner.now;
                }
                Answer::End(outcome) => break outcome,
            }
        };
        if measured {
            if lost > 0 && matches!(outcome, Outcome::Done) {
                self.slot.add(Counter::RetryNs, lost);
            }
            self.ended += 1;
            self.slot.record_usage(&self.runner.used.since(&used));
            self.record(outcome, begun, tries);
        } else {
            self.slot.add(Counter::WarmupTransactions, 1);
        }
        if let Outcome::Failed(_) = outcome {
            self.await_end_of_failures();
        }
        Ok(())
    }

    /// Waits for the start of the next transaction; returns when it was due. None: it does not come any more.
    #[inline]
    fn await_start(&mut self, measured: bool) -> Option<u64> {
        match self.throttle.next() {
            // The end of one transaction is the start of the next.
            Start::Now => Some(self.runner.now),
            Start::At(due) => self.begins_at(due),
            Start::Skip => self.skip(measured),
        }
    }

    /// Waits for a moment of the schedule. None: it lies behind the end of the run.
    fn begins_at(&mut self, due: u64) -> Option<u64> {
        if due >= self.shared.deadline() {
            // Nothing more will begin; the main loop sees why.
            self.runner.now = self.shared.deadline();
            return None;
        }
        self.wait_until(due).then_some(due)
    }

    /// Leaves out what is too late already: the script that was chosen is run at a later moment of the
    /// schedule.
    fn skip(&mut self, measured: bool) -> Option<u64> {
        let phase = self.shared.phase();
        loop {
            self.runner.now = clock::now();
            if measured {
                self.ended += 1;
                self.slot.add(Counter::Skipped, 1);
                if let Some(script) = self.scripts.get_mut(self.runner.script()) {
                    script.outcomes.skipped += 1;
                }
                self.write_log(LoggedOutcome::Skipped, 0, 0, 1);
                if self.is_over(self.runner.now) {
                    return None;
                }
            }
            if self.shared.phase() != phase {
                return None;
            }
            match self.throttle.next() {
                Start::Now => return Some(self.runner.now),
                Start::At(due) => return self.begins_at(due),
                Start::Skip => {}
            }
        }
    }

    fn record(&mut self, outcome: Outcome, begun: Begun, tries: u32) {
        let slot = &self.slot;
        let (rows, bytes) = self.runner.received;
        slot.set(Counter::Rows, rows);
        slot.set(Counter::Bytes, bytes);
        if outcome == Outcome::Unfinished {
            return;
        }
        if tries > 1 {
            slot.add(Counter::Retried, 1);
            slot.add(Counter::Retries, u64::from(tries - 1));
        }
        let latency = self.runner.now.saturating_sub(begun.scheduled);
        let late = outcome.is_late(latency, self.latency_limit_ns);
        match outcome {
            Outcome::Failed(kind) => slot.add(kind.counter(), 1),
            _ => {
                if self.spec.rate.is_some() {
                    slot.record_lag(begun.lag, self.shared.interval());
                }
                slot.record_transaction(latency);
                if late {
                    slot.add(Counter::Late, 1);
                }
            }
        }
        if self.log.is_some() {
            let logged = match outcome {
                Outcome::Failed(kind) => LoggedOutcome::Failed(kind),
                _ => LoggedOutcome::Done,
            };
            self.write_log(logged, latency, begun.lag, tries);
        }
        if let Some(script) = self.scripts.get_mut(self.runner.script()) {
            script.outcomes.retried += u64::from(tries > 1);
            script.outcomes.retries += u64::from(tries - 1);
            script.outcomes.late += u64::from(late);
            match outcome {
                Outcome::Failed(kind) => script.outcomes.count_failure(kind),
                _ => script.latencies.record(latency),
            }
        }
    }

    /// Logs the transaction that has just ended. What it waits for the leader is not part of any transaction.
    fn write_log(&mut self, outcome: LoggedOutcome, latency_ns: u64, lag_ns: u64, tries: u32) {
        let Some(log) = &mut self.log else { return };
        let waited = log.write(
            &Entry {
                transaction_no: self.ended,
                script_no: self.runner.script() as u32,
                outcome,
                ended_at: self.runner.now,
                latency_ns,
                lag_ns,
                retries: tries - 1,
            },
            self.shared.leader(),
        );
        if waited > 0 {
            self.slot.add(Counter::LogWaitNs, waited);
            self.runner.now = clock::now();
        }
    }

    /// Waits for a moment; false if the run was stopped meanwhile.
    fn wait_until(&mut self, moment: u64) -> bool {
        latch::report_idle();
        let phase = self.shared.phase();
        loop {
            let now = clock::now();
            self.runner.now = now;
            // What was due in the warm-up does not come in the measured part.
            if phase == Phase::Stopping || self.shared.phase() != phase {
                return false;
            }
            if now >= moment {
                return true;
            }
            latch::wait_precisely(Duration::from_nanos(moment - now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_succeeded_can_be_late() {
        assert!(Outcome::Done.is_late(501, Some(500)));
        assert!(!Outcome::Done.is_late(500, Some(500)));
        assert!(!Outcome::Done.is_late(u64::MAX, None));
        for outcome in [
            Outcome::Failed(FailureKind::Serialization),
            Outcome::Failed(FailureKind::Deadlock),
            Outcome::Failed(FailureKind::Other),
            Outcome::Unfinished,
        ] {
            assert!(!outcome.is_late(501, Some(500)), "{outcome:?}");
        }
    }
}
