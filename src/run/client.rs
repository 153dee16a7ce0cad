//! A client of a run: one background worker, one session of the role that called `start_run`.
//!
//! It connects, prepares, waits at the barrier, and runs one script after the other until its leader, the
//! deadline or its count of transactions ends it. What it counts goes to its slot, which it alone writes.

use super::errors::ClientError;
use super::failure::FailureKind;
use super::launch::ClientLaunch;
use super::load;
use super::script_runner::{Failure, QUERY_CANCELED, ScriptRunner};
use super::shared::{Phase, Shared};
use super::slot::{ClientState, Counter, Slot};
use super::spec::Spec;
use super::throttle::{Start, Throttle};
use crate::pg::dsm::Segment;
use crate::pg::error::SqlError;
use crate::pg::session::Session;
use crate::pg::worker::{self, OnCancel};
use crate::pg::{clock, latch, server, setting, xact};
use std::time::Duration;

/// How often a session reports its statistics, as a backend does between statements.
const STATISTICS_INTERVAL_NS: u64 = 1_000_000_000;
/// How often a client says in the server's log that its transactions fail; a new kind of error it tells at once.
const LOG_INTERVAL_NS: u64 = 10_000_000_000;

/// The main function of the worker.
pub fn main() {
    let launch = ClientLaunch::decode(&worker::extra());
    worker::start(launch.database, launch.role, OnCancel::CancelStatement);
    worker::load_session_libraries();
    let segment = Segment::attach(launch.segment);
    let Some(shared) = segment.and_then(|segment| Shared::open(&segment, launch.run_id)) else {
        // The leader has ended meanwhile.
        return;
    };
    let slot = shared.slot(launch.client as usize);
    slot.set(Counter::Pid, u64::from(std::process::id()));
    slot.set(Counter::Proc, latch::my_proc_number());
    slot.set_state(ClientState::Connecting);
    let end = match serde_json::from_slice::<Spec>(&shared.spec()) {
        Ok(spec) => live(&launch, &shared, slot, &spec),
        Err(error) => Err(client_error(
            SqlError::new("XX000", &error.to_string()),
            None,
        )),
    };
    slot.set(Counter::FinishedAt, clock::now());
    slot.set_state(match end {
        Ok(()) => ClientState::Done,
        Err(error) => {
            server::log(&format!("{} aborted: {}", session_name(&launch), error.message));
            let (kind, _) = slot.errors().store(&error);
            slot.set(Counter::EndedBy, kind as u64 + 1);
            ClientState::Aborted
        }
    });
    latch::wake(shared.leader());
}

/// Everything between connecting and leaving.
fn live(
    launch: &ClientLaunch,
    shared: &Shared,
    slot: Slot,
    spec: &Spec,
) -> Result<(), ClientError> {
    let failed = |error| client_error(error, None);
    configure(launch, spec).map_err(failed)?;
    let session = Session::new(spec.result_mode);
    let mut runner = match &spec.load {
        Some(_) => None,
        None => Some(
            ScriptRunner::new(spec, launch.client as usize, session)
                .map_err(|error| failed(SqlError::new("42601", &error.to_string())))?,
        ),
    };
    if let Some(runner) = &mut runner {
        runner.prepare();
    }
    slot.set_state(ClientState::Ready);
    latch::wake(shared.leader());
    while shared.phase() == Phase::Preparing {
        latch::report_idle();
        latch::wait(Duration::from_secs(1));
    }
    slot.set_state(ClientState::Working);
    let (Some(runner), None) = (runner, &spec.load) else {
        return load::run(
            shared,
            slot,
            spec,
            launch.run_id,
            Session::new(spec.result_mode),
        );
    };
    let throttle = Throttle::new(spec, launch.client as usize);
    let mut client = Client {
        name: session_name(launch),
        shared: *shared,
        slot,
        spec,
        runner,
        throttle,
        ended: 0,
        logged_at: 0,
    };
    let result = client.work();
    client.runner.publish(shared);
    result
}

/// The session's settings: the run's, then those that pgperf itself decides.
fn configure(launch: &ClientLaunch, spec: &Spec) -> Result<(), SqlError> {
    let name = session_name(launch);
    xact::bare_transaction(|| {
        setting::set("application_name", &name);
        setting::set("search_path", &spec.search_path);
        for (name, value) in &spec.settings {
            setting::set(name, value);
        }
    })
}

fn session_name(launch: &ClientLaunch) -> String {
    format!("pgperf run {} client {}", launch.run_id, launch.client)
}

fn client_error(error: SqlError, command: Option<usize>) -> ClientError {
    ClientError {
        sqlstate: error.sqlstate,
        message: error.message,
        detail: error.detail,
        command,
        at: server::timestamp_now(),
    }
}

struct Client<'a> {
    /// In the server's log.
    name: String,
    shared: Shared,
    slot: Slot,
    spec: &'a Spec,
    runner: ScriptRunner,
    throttle: Throttle,
    /// Measured transactions that have ended, in whatever way.
    ended: u64,
    /// When a failed transaction was last logged.
    logged_at: u64,
}

/// What a transaction came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Failed(FailureKind),
    /// An error came when its time was over: as in pgbench it counts as nothing.
    Unfinished,
}

/// What follows an error of a statement.
enum Answer {
    TryAgain,
    End(Outcome),
}

impl Client<'_> {
    fn work(&mut self) -> Result<(), ClientError> {
        self.runner.now = clock::now();
        let mut reported_at = self.runner.now;
        let mut measuring = false;
        loop {
            self.runner.session.idle_checks();
            let now = self.runner.now;
            match self.shared.phase() {
                Phase::Stopping | Phase::Preparing => return Ok(()),
                Phase::WarmingUp => {}
                Phase::Running if self.is_over(now) => return Ok(()),
                Phase::Running => {
                    if !measuring {
                        measuring = true;
                        self.throttle.begin(self.shared.began_at());
                    }
                }
            }
            if now > reported_at + STATISTICS_INTERVAL_NS {
                latch::report_statistics(false);
                reported_at = clock::now();
                self.runner.now = reported_at;
            }
            self.transaction(measuring)?;
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
        let scheduled = match self.throttle.next() {
            // The end of one transaction is the start of the next.
            Start::Now => self.runner.now,
            Start::At(due) => {
                if !self.wait_until(due) {
                    return Ok(());
                }
                due
            }
            Start::Skip => {
                self.runner.now = clock::now();
                self.ended += u64::from(measured);
                if measured {
                    self.slot.add(Counter::Skipped, 1);
                }
                return Ok(());
            }
        };
        let lag = self.runner.now.saturating_sub(scheduled);
        self.runner.begin(measured);
        let used = self.runner.used;
        let mut tries: u32 = 1;
        let outcome = loop {
            let Err(failure) = self.runner.run() else {
                break Outcome::Done;
            };
            match self.answer(failure, scheduled, tries, measured)? {
                Answer::TryAgain => tries += 1,
                Answer::End(outcome) => break outcome,
            }
        };
        if measured {
            self.ended += 1;
            self.slot.record_usage(&self.runner.used.since(&used));
            self.record(outcome, scheduled, lag, tries);
        } else {
            self.slot.add(Counter::WarmupTransactions, 1);
        }
        Ok(())
    }

    /// What follows a failure; an error ends the client. pgbench's rules: only what a statement failed with
    /// can be survived, a meta-command's error never.
    #[cold]
    fn answer(
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
        let survives =
            failure.of_statement && (kind.is_retryable() || self.spec.continue_on_error);
        if !survives {
            self.runner.count_failure(&failure);
            return Err(client_error(failure.error, failure.command));
        }
        if stopping || self.runner.now >= self.shared.deadline() {
            return Ok(Answer::End(Outcome::Unfinished));
        }
        if kind.is_retryable() && self.may_retry(tries, scheduled) {
            self.runner.count_retry(&failure);
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
        let limit = self.spec.latency_limit_ms.map(|ms| (ms * 1e6) as u64);
        limit.is_none_or(|limit| self.runner.now.saturating_sub(scheduled) <= limit)
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

    fn record(&self, outcome: Outcome, scheduled: u64, lag: u64, tries: u32) {
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
        if let Outcome::Failed(kind) = outcome {
            slot.add(kind.counter(), 1);
            return;
        }
        if self.spec.rate.is_some() {
            slot.add(Counter::LagSumNs, lag);
            slot.raise(Counter::LagMaxNs, lag);
        }
        let latency = self.runner.now.saturating_sub(scheduled);
        slot.record_transaction(latency);
        if self
            .spec
            .latency_limit_ms
            .is_some_and(|limit| latency as f64 > limit * 1e6)
        {
            slot.add(Counter::Late, 1);
        }
    }

    /// Waits for a moment of the schedule; false if the run ended meanwhile.
    fn wait_until(&mut self, due: u64) -> bool {
        latch::report_idle();
        loop {
            let now = clock::now();
            self.runner.now = now;
            if self.shared.phase() == Phase::Stopping || due >= self.shared.deadline() {
                // Nothing more will begin; the main loop sees why.
                self.runner.now = self.runner.now.max(self.shared.deadline().min(due));
                return false;
            }
            if now >= due {
                return true;
            }
            latch::wait_precisely(Duration::from_nanos(due - now));
        }
    }
}
