//! A client's work: one transaction after the other, by its schedule, with retries, pauses, and what is
//! counted of each.

mod beginning;
mod failed;
mod turns;

use crate::error::ClientError;
use crate::explain::Explained;
use crate::failure::FailureKind;
use crate::handover::Handover;
use crate::per_script::ScriptStats;
use crate::sampling::{Entry, LoggedOutcome, Sampling};
use crate::script_runner::ScriptRunner;
use crate::sink::Sink;
use crate::spec::RunSpec;
use crate::surroundings::{Phase, Surroundings};
use crate::terminals::Terminals;
use crate::throttle::Throttle;
use crate::transport::Transport;
use failed::AfterError;
use script::ParseError;
use std::mem::take;

/// How often a session reports its statistics, as a backend does between statements.
const STATISTICS_INTERVAL_NS: u64 = 1_000_000_000;

/// Which client of a run it is.
#[derive(Debug, Clone)]
pub struct ClientStart {
    /// Its number, from 0: its random streams and :client_id go by it.
    pub number: usize,
    /// What it is called in the log.
    pub name: String,
    /// Measured transactions that it has ended in earlier segments of the run.
    pub ended: u64,
    /// The turn whose settings its session has.
    pub turn: u64,
}

/// A client of a run, with its session, its surroundings and the place where its counts go.
pub struct Client<T: Transport, S, K> {
    /// In the log.
    name: String,
    around: S,
    sink: K,
    spec: RunSpec,
    runner: ScriptRunner<T>,
    throttle: Throttle,
    /// Whether transactions are due at moments that do not depend on when the client is ready.
    scheduled: bool,
    /// Those that it serves, in a run with terminals.
    terminals: Option<Terminals>,
    think_ns: u64,
    /// What each script did, where there are several.
    scripts: Vec<ScriptStats>,
    /// Where there is a transaction log.
    log: Option<Sampling>,
    /// Measured transactions that have ended, in whatever way, those of earlier segments among them.
    ended: u64,
    /// After how many it is done.
    transactions: Option<u64>,
    /// Whether the measured part has begun.
    measuring: bool,
    /// When a failed transaction was last logged.
    logged_at: u64,
    /// Transactions that this session may still run; None: as many as come.
    session_left: Option<u64>,
    /// The turn whose settings the session has.
    turn: u64,
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
enum TransactionOutcome {
    Done,
    Failed(FailureKind),
    /// An error came when its time was over: as in pgbench it counts as nothing.
    Unfinished,
}

impl TransactionOutcome {
    /// Whether the transaction succeeded, but took longer than the limit. One that failed has no latency to judge.
    #[inline]
    fn is_late(self, latency_ns: u64, limit_ns: Option<u64>) -> bool {
        self == TransactionOutcome::Done && limit_ns.is_some_and(|limit| latency_ns > limit)
    }
}

impl<T: Transport, S: Surroundings, K: Sink> Client<T, S, K> {
    /// A client that has not begun to work.
    ///
    /// # Errors
    /// A script that cannot be parsed.
    pub fn new(
        spec: RunSpec,
        start: ClientStart,
        session: T,
        around: S,
        sink: K,
    ) -> Result<Client<T, S, K>, ParseError> {
        let runner = ScriptRunner::new(&spec, start.number, start.ended, session, around.now())?;
        let scripts = match spec.scripts.len() {
            1 => 0,
            several => several,
        };
        let mut client = Client {
            name: start.name,
            runner,
            throttle: Throttle::new(&spec, start.number),
            scheduled: spec.is_scheduled(),
            terminals: Terminals::new(&spec, start.number),
            think_ns: (spec.think_time_s * 1e9) as u64,
            scripts: (0..scripts).map(|_| ScriptStats::default()).collect(),
            log: Sampling::new(&spec, start.number),
            ended: start.ended,
            transactions: spec.transactions(start.number),
            measuring: false,
            logged_at: 0,
            session_left: spec.reconnect,
            turn: start.turn,
            around,
            sink,
            spec,
        };
        client.weigh();
        Ok(client)
    }

    /// Prepares what can be prepared before the work begins.
    ///
    /// # Errors
    /// A statement whose values can never fit.
    pub fn prepare(&mut self) -> Result<(), ClientError> {
        let at = self.around.timestamp();
        let prepared = self.runner.prepare();
        prepared.map_err(|(command, error)| ClientError::new(error, Some(command), at))
    }

    /// The plans of the statements of its scripts.
    pub fn explain(&mut self) -> Vec<Explained> {
        self.runner.explain(&self.around)
    }

    /// Runs transactions until the run ends or an error ends the client, and reports what they did.
    ///
    /// # Errors
    /// What ended the client.
    pub fn run(&mut self) -> Result<SessionEnd, ClientError> {
        let result = self.work();
        self.publish();
        result
    }

    /// Reports what they did since the last time.
    fn publish(&mut self) {
        self.runner.publish(&mut self.sink);
        for (number, stats) in self.scripts.iter_mut().enumerate() {
            self.sink.script(number, &take(stats));
        }
    }

    /// Where the client is, for its next session.
    pub fn state(&self) -> Handover {
        Handover {
            left_at: self.around.now(),
            lost: self.runner.session.is_lost(),
            ended: self.ended,
            measuring: self.measuring,
            received: self.runner.received,
            throttle: self.throttle.state(),
            sampling: self.log.as_ref().map(|log| log.prng),
            logged_at: self.logged_at,
            terminals: self.terminals.as_ref().map(Terminals::state),
            scripts: self.runner.state(),
        }
    }

    /// Goes on where another session has left off.
    pub fn resume(&mut self, state: Handover) {
        self.ended = state.ended;
        self.measuring = state.measuring;
        self.logged_at = state.logged_at;
        self.throttle.resume(state.throttle, self.around.altered());
        self.scheduled |= state.throttle.revision > 0;
        if let (Some(log), Some(prng)) = (&mut self.log, state.sampling) {
            log.prng = prng;
        }
        if let (Some(terminals), Some(state)) = (&mut self.terminals, state.terminals) {
            terminals.resume(state);
        }
        if state.measuring {
            self.runner.begin_measuring();
        }
        self.runner.resume(state.scripts);
        self.runner.received = state.received;
        // That of a session that was lost is no part of the work.
        if !state.lost {
            let took = self.around.now().saturating_sub(state.left_at);
            self.sink.reconnected(took);
        }
    }

    fn work(&mut self) -> Result<SessionEnd, ClientError> {
        self.runner.now = self.around.now();
        let mut reported_at = self.runner.now;
        loop {
            self.runner.session.idle_checks();
            let now = self.runner.now;
            match self.around.phase() {
                Phase::Stopping | Phase::Preparing => return Ok(SessionEnd::Done),
                Phase::WarmingUp => {}
                Phase::Running if self.is_over(now) => return Ok(SessionEnd::Done),
                Phase::Running => {
                    if !self.measuring {
                        self.measuring = true;
                        self.throttle.begin(self.around.began_at());
                        self.runner.begin_measuring();
                        self.begin_terminals();
                    }
                }
            }
            if now > reported_at + STATISTICS_INTERVAL_NS {
                self.runner.session.report_statistics();
                if self.spec.resume {
                    self.publish();
                }
                reported_at = self.around.now();
                self.runner.now = reported_at;
            }
            if self.session_left == Some(0) || self.has_lost_its_session() {
                return Ok(SessionEnd::Reconnect);
            }
            match self.follow_turn() {
                // The next session has the settings of the turn.
                Err(_) if self.has_lost_its_session() => continue,
                followed => followed?,
            };
            self.transaction(self.measuring)?;
            self.session_left = self.session_left.map(|left| left - 1);
            if self.think_ns > 0 && !self.is_over(self.runner.now) {
                let until = self.runner.now.saturating_add(self.think_ns);
                self.wait_until(until.min(self.around.deadline()));
            }
        }
    }

    /// Whether its session is lost, and it is to get another one.
    fn has_lost_its_session(&self) -> bool {
        self.spec.reconnect_on_loss && self.runner.session.is_lost()
    }

    /// Whether no further measured transaction is to begin.
    fn is_over(&self, now: u64) -> bool {
        now >= self.around.deadline() || self.transactions.is_some_and(|limit| self.ended >= limit)
    }

    /// One transaction, with its wait before and its retries.
    fn transaction(&mut self, measured: bool) -> Result<(), ClientError> {
        let turn = self.next_turn();
        let script = turn.map_or_else(|| self.runner.choose(), |turn| turn.script);
        self.runner.begin(script, measured);
        let due = match turn {
            Some(turn) => {
                self.runner.set_terminal(turn.terminal);
                self.begins_at(turn.due)
            }
            None => self.await_start(measured),
        };
        let Some(scheduled) = due else {
            return Ok(());
        };
        // The next turn may have begun while the client waited. Terminals know their scripts before, and are not there with sides of scripts.
        if self.follow_turn()? {
            let script = self.runner.choose();
            self.runner.begin(script, measured);
        }
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
            let Err(failure) = self.runner.run(&self.around) else {
                break TransactionOutcome::Done;
            };
            if measured {
                self.sink.lost(&self.runner.spent);
            }
            match self.answer(failure, scheduled, tries, measured)? {
                AfterError::TryAgain => {
                    tries += 1;
                    lost += self.runner.now.saturating_sub(try_began);
                    try_began = self.runner.now;
                }
                AfterError::End(outcome) => break outcome,
            }
        };
        if measured {
            if lost > 0 && matches!(outcome, TransactionOutcome::Done) {
                self.sink.retry_time(lost);
            }
            self.ended += 1;
            self.sink.usage(&self.runner.used.since(&used));
            self.record(outcome, begun, tries);
        } else {
            self.sink.warmup_transaction();
        }
        if let TransactionOutcome::Failed(_) = outcome {
            self.await_end_of_failures();
        }
        if let (Some(terminals), Some(turn)) = (&mut self.terminals, turn) {
            terminals.ended(turn, self.runner.now, self.runner.choose());
        }
        Ok(())
    }

    fn record(&mut self, outcome: TransactionOutcome, begun: Begun, tries: u32) {
        let (rows, bytes) = self.runner.received;
        self.sink.received(rows, bytes);
        if outcome == TransactionOutcome::Unfinished {
            return;
        }
        if tries > 1 {
            self.sink.retried(u64::from(tries - 1));
        }
        let latency = self.runner.now.saturating_sub(begun.scheduled);
        let late = outcome.is_late(latency, self.spec.latency_limit_ns());
        match outcome {
            TransactionOutcome::Failed(kind) => self.sink.failed(kind),
            _ => {
                if self.scheduled {
                    self.sink.lag(begun.lag);
                }
                self.sink.transaction(latency);
                if late {
                    self.sink.late();
                }
            }
        }
        if self.log.is_some() {
            let logged = match outcome {
                TransactionOutcome::Failed(kind) => LoggedOutcome::Failed(kind),
                _ => LoggedOutcome::Done,
            };
            self.write_log(logged, latency, begun.lag, tries);
        }
        if let Some(script) = self.scripts.get_mut(self.runner.script()) {
            script.outcomes.retried += u64::from(tries > 1);
            script.outcomes.retries += u64::from(tries - 1);
            script.outcomes.late += u64::from(late);
            match outcome {
                TransactionOutcome::Failed(kind) => script.outcomes.count_failure(kind),
                _ => script.latencies.record(latency),
            }
        }
    }

    /// Logs the transaction that has just ended. What it waits for the leader is not part of any transaction.
    fn write_log(&mut self, outcome: LoggedOutcome, latency_ns: u64, lag_ns: u64, tries: u32) {
        if !self.log.as_mut().is_some_and(Sampling::takes) {
            return;
        }
        let waited = self.sink.log(&Entry {
            transaction_no: self.ended,
            script_no: self.runner.script() as u32,
            outcome,
            ended_at: self.runner.now,
            latency_ns,
            lag_ns,
            retries: tries - 1,
        });
        if waited > 0 {
            self.runner.now = self.around.now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_succeeded_can_be_late() {
        assert!(TransactionOutcome::Done.is_late(501, Some(500)));
        assert!(!TransactionOutcome::Done.is_late(500, Some(500)));
        assert!(!TransactionOutcome::Done.is_late(u64::MAX, None));
        for outcome in [
            TransactionOutcome::Failed(FailureKind::Serialization),
            TransactionOutcome::Failed(FailureKind::Deadlock),
            TransactionOutcome::Failed(FailureKind::Other),
            TransactionOutcome::Unfinished,
        ] {
            assert!(!outcome.is_late(501, Some(500)), "{outcome:?}");
        }
    }
}
