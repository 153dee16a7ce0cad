//! A client of a run: one background worker, one session of the role that called `start_run`.
//!
//! It connects, prepares, waits at the barrier, and runs one script after the other until its leader, the
//! deadline or its count of transactions ends it. What it counts goes to its slot, which it alone writes.

use super::launch::ClientLaunch;
use super::load;
use super::script_runner::{Failure, QUERY_CANCELED, ScriptRunner};
use super::shared::{ClientError, ClientState, Counter, Phase, Shared, Slot};
use super::spec::Spec;
use super::throttle::{Start, Throttle};
use super::totals::is_retryable;
use crate::pg::dsm::Segment;
use crate::pg::error::SqlError;
use crate::pg::session::Session;
use crate::pg::worker::{self, OnCancel};
use crate::pg::{clock, latch, server, setting, xact};
use std::time::Duration;

/// How often a session reports its statistics, as a backend does between statements.
const STATISTICS_INTERVAL_NS: u64 = 1_000_000_000;

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
            server::log(&format!(
                "pgperf run {} client {} aborted: {}",
                launch.run_id, launch.client, error.message
            ));
            slot.store_error(&error);
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
        shared: *shared,
        slot,
        spec,
        runner,
        throttle,
        ended: 0,
    };
    let result = client.work();
    client.runner.publish(shared);
    result
}

/// The session's settings: the run's, then those that pgperf itself decides.
fn configure(launch: &ClientLaunch, spec: &Spec) -> Result<(), SqlError> {
    let name = format!("pgperf run {} client {}", launch.run_id, launch.client);
    xact::bare_transaction(|| {
        setting::set("application_name", &name);
        setting::set("search_path", &spec.search_path);
        for (name, value) in &spec.settings {
            setting::set(name, value);
        }
    })
}

fn client_error(error: SqlError, command: Option<usize>) -> ClientError {
    ClientError {
        sqlstate: error.sqlstate,
        message: error.message,
        detail: error.detail,
        command,
        at: server::timestamp_now(),
        occurrences: 0,
    }
}

struct Client<'a> {
    shared: Shared,
    slot: Slot,
    spec: &'a Spec,
    runner: ScriptRunner,
    throttle: Throttle,
    /// Measured transactions that have ended, in whatever way.
    ended: u64,
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
        loop {
            match self.runner.run() {
                Ok(()) => break,
                Err(failure) => {
                    if !self.failed(failure, measured, scheduled, &mut tries)? {
                        break;
                    }
                }
            }
        }
        if measured {
            self.ended += 1;
            self.slot.record_usage(&self.runner.used.since(&used));
            self.record(scheduled, lag, tries);
        } else {
            self.slot.add(Counter::WarmupTransactions, 1);
        }
        Ok(())
    }

    /// What a failure leads to: true, the same transaction again; false, the next one; an error ends the
    /// client.
    fn failed(
        &mut self,
        failure: Failure,
        measured: bool,
        scheduled: u64,
        tries: &mut u32,
    ) -> Result<bool, ClientError> {
        let Failure {
            error,
            command,
            of_statement,
        } = failure;
        if error.sqlstate == QUERY_CANCELED && self.shared.phase() == Phase::Stopping {
            self.runner.outcome_failed = true;
            return Ok(false);
        }
        if !of_statement || !is_retryable(&error.sqlstate) {
            return Err(client_error(error, command));
        }
        if self.may_retry(*tries, scheduled) {
            *tries += 1;
            self.runner.again();
            return Ok(true);
        }
        if measured {
            let counter = if error.sqlstate == "40001" {
                Counter::SerializationFailures
            } else {
                Counter::DeadlockFailures
            };
            self.slot.add(counter, 1);
            self.slot.store_error(&client_error(error, command));
        }
        self.runner.outcome_failed = true;
        Ok(false)
    }

    /// pgbench's rule: up to max_tries, not past the latency limit, not past the end of the run.
    fn may_retry(&self, tries: u32, scheduled: u64) -> bool {
        if self.spec.max_tries != 0 && tries >= self.spec.max_tries {
            return false;
        }
        let now = self.runner.now;
        let limit = self.spec.latency_limit_ms.map(|ms| (ms * 1e6) as u64);
        limit.is_none_or(|limit| now.saturating_sub(scheduled) <= limit)
            && now < self.shared.deadline()
            && self.shared.phase() != Phase::Stopping
    }

    fn record(&self, scheduled: u64, lag: u64, tries: u32) {
        let slot = &self.slot;
        if tries > 1 {
            slot.add(Counter::Retried, 1);
            slot.add(Counter::Retries, u64::from(tries - 1));
        }
        if self.spec.rate.is_some() {
            slot.add(Counter::LagSumNs, lag);
            slot.raise(Counter::LagMaxNs, lag);
        }
        let (rows, bytes) = self.runner.received;
        slot.set(Counter::Rows, rows);
        slot.set(Counter::Bytes, bytes);
        if self.runner.outcome_failed {
            return;
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
