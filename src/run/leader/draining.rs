//! The drain: after the clients' end, standbys and subscribers catch up. The leader polls their positions in short
//! transactions and holds no snapshot in between, so that it does not hold back what they wait for.

use super::{EXIT_GRACE_NS, Leader, WATCH_INTERVAL, log};
use crate::collect::Depth;
use crate::pg::process::clock::{self, nanoseconds};
use crate::pg::process::latch;
use crate::pg::process::worker::{Worker, WorkerStatus};
use crate::pg::server::wal;
use crate::run::drain::receivers::Ended;
use crate::run::drain::rows::{LagRow, ReceiverRow, Status, store, store_lag, store_metrics};
use crate::run::leader::ticks::Ticks;
use crate::run::own_metrics::Measured;
use crate::run::record::run_row::{End, Milestone};
use crate::run::record::totals::Closing;
use crate::run::shared::Phase;
use crate::run::shared::slot::{ClientState, Counter};
use crate::run::side_sql::{Job, SideError};
use crate::subject::Schedule;
use std::time::Duration;

/// How often it looks at the receivers in the drain.
const LOOK_NS: u64 = 50_000_000;
/// How often, at least, it stores their lag in the drain.
const STORE_S: f64 = 1.0;

/// The session of `drain_sql`.
struct Asking {
    job: Job,
    worker: Worker,
}

impl Leader {
    /// The measured part has begun.
    pub(super) fn begin_receivers(&mut self, began_at: u64) {
        if let Some(receivers) = &mut self.receivers {
            receivers.begin(began_at, self.stored.carried.seconds);
        }
        self.look_at_receivers();
    }

    /// Looks where the receivers are and stores it.
    pub(super) fn look_at_receivers(&mut self) {
        let rows = self.look(clock::now());
        self.store_lag(rows);
    }

    /// In one short transaction, which writes nothing.
    fn look(&mut self, now: u64) -> Vec<LagRow> {
        let Some(receivers) = &mut self.receivers else {
            return Vec::new();
        };
        self.receivers_seen_at = now;
        let mut rows = Vec::new();
        self.stored.try_store(|_| {
            rows = receivers.look(now)?;
            Ok(())
        });
        rows
    }

    fn store_lag(&mut self, rows: Vec<LagRow>) {
        if !rows.is_empty() {
            self.stored
                .try_store(|run| store_lag(&run.node_id, run.run_id, rows));
        }
    }

    /// Remembers how far the server has written; in the drain looks at the receivers, where that is due.
    pub(super) fn follow_receivers(&mut self, now: u64) {
        let Some(receivers) = &mut self.receivers else {
            return;
        };
        receivers.note(now);
        let drains = receivers.end().is_some() && !receivers.positions_caught_up();
        if drains && now >= self.receivers_seen_at + LOOK_NS {
            self.look(now);
        }
    }

    /// The clients have ended by themselves: what they have written is what receivers have to reach.
    pub(super) fn end_for_receivers(&mut self) {
        if self.end.is_some() || self.receivers.is_none() {
            return;
        }
        let slots = self.shared.slots();
        let last = slots.map(|slot| slot.get(Counter::FinishedAt)).max();
        // With synchronous_commit off, standbys get WAL only when it is on disk.
        match wal::flush_all() {
            Ok(position) => {
                let at = last.filter(|&at| at > 0).unwrap_or_else(clock::now);
                if let Some(receivers) = &mut self.receivers {
                    receivers.end_at(Ended { at, position });
                }
                self.look_at_receivers();
            }
            Err(error) => self.fail(&error.sqlstate, error.message),
        }
    }

    /// Waits until all receivers have caught up, until the timeout, or until somebody stops the run, whose results are stored by
    /// now. Then stores what has become of them.
    pub(super) fn drain(&mut self, closing: &mut Closing) {
        let Some(receivers) = &self.receivers else {
            return;
        };
        let (drain, ended) = (receivers.drain().clone(), receivers.end());
        let Some(ended) = ended.filter(|_| matches!(closing.end, End::Finished)) else {
            self.store_receivers(closing.measured, Status::Stopped);
            return;
        };
        self.stored.milestone(&Milestone::Draining);
        self.store_receivers(closing.measured, Status::Waiting);
        // However the drain ends, the results of the run are on disk; otherwise the next attempt, or the server itself, writes them.
        if let Err(error) = wal::flush_all() {
            log(&format!(
                "pgperf run {}: {}",
                self.launch.run_id, error.message
            ));
        }
        let mut asking = None;
        let mut failure = None;
        if let Some(query) = &drain.sql {
            let job = Job::drain(&self.spec, self.launch.run_id, query.clone());
            match self.start_side(&job) {
                Ok(worker) => asking = Some(Asking { job, worker }),
                Err(error) => failure = Some(error),
            }
        }
        let until = ended.at.saturating_add(nanoseconds(drain.timeout_s));
        let mut schedule = Schedule::new(self.spec.collectors.as_deref());
        schedule.watch_receivers(self.spec.collectors.is_none());
        let interval_s = self.spec.sample_interval_s;
        let mut samples = Ticks::new(nanoseconds(interval_s));
        let mut lags = Ticks::new(nanoseconds(interval_s.min(STORE_S)));
        for ticks in [&mut samples, &mut lags] {
            ticks.begin(clock::now(), u64::MAX);
        }
        let is_over = |leader: &Leader| {
            let receivers = leader.receivers.as_ref();
            leader.end.is_some() || receivers.is_none_or(|all| all.all_caught_up())
        };
        while failure.is_none() && !is_over(self) && clock::now() < until {
            self.watch(Duration::from_nanos(LOOK_NS));
            let now = clock::now();
            if asking
                .as_ref()
                .is_some_and(|asking| asking.worker.status() == WorkerStatus::Stopped)
            {
                failure = self.answered(asking.take());
            }
            if now >= lags.next_at() {
                lags.advance(now);
                self.look_at_receivers();
            }
            if now >= samples.next_at() {
                samples.advance(now);
                self.sample_in_drain(&mut schedule, interval_s);
                self.leave_if_gone();
            }
        }
        self.look_at_receivers();
        if let Some(asking) = asking.take() {
            self.stop_asking(asking);
        }
        self.conclude(closing, failure, drain.timeout_s);
    }

    /// The session of `drain_sql` has ended: its receiver has caught up, or an error.
    fn answered(&mut self, asking: Option<Asking>) -> Option<SideError> {
        let Asking { job, worker } = asking?;
        let at = self.side.map(|side| side.slot(0).get(Counter::FinishedAt));
        match self.end_of_side(&job, worker) {
            Ok(()) => {
                if let (Some(receivers), Some(at)) = (&mut self.receivers, at) {
                    receivers.sql_caught_up(at);
                }
                None
            }
            Err(error) => Some(error),
        }
    }

    /// The light collectors go on in the drain; one transaction, as at the intervals of the run.
    fn sample_in_drain(&mut self, schedule: &mut Schedule, interval_s: f64) {
        let elapsed_s = self
            .receivers
            .as_ref()
            .map_or(0.0, |all| all.elapsed_s(clock::now()));
        let mut due = schedule.due(elapsed_s);
        due.retain(|(_, depth)| *depth == Depth::Tick);
        if !self
            .stored
            .try_store(|run| run.take_sample(Some(interval_s), &due).map(drop))
        {
            self.stored.lose_sample();
        }
    }

    /// Ends the session of `drain_sql`, whose answer nobody waits for any more.
    fn stop_asking(&mut self, asking: Asking) {
        let Asking { job, worker } = asking;
        let slot = self.side.map(|side| {
            side.set_phase(Phase::Stopping);
            side.slot(0)
        });
        let deadline = clock::now() + EXIT_GRACE_NS;
        while worker.status() != WorkerStatus::Stopped {
            if let Some(slot) = slot.filter(|slot| slot.state() > ClientState::Absent) {
                latch::wake(slot.get(Counter::Proc));
            }
            self.cancel_statements();
            if clock::now() > deadline {
                worker.terminate();
            }
            self.watch(WATCH_INTERVAL);
        }
        // It has been interrupted, which is no error of its own.
        let _ = self.end_of_side(&job, worker);
    }

    /// Stores the end of the drain, and makes it that of the run unless all have caught up.
    fn conclude(&mut self, closing: &mut Closing, failure: Option<SideError>, timeout_s: f64) {
        let otherwise = match (&self.end, &failure) {
            (Some(_), _) => Status::Stopped,
            (None, Some(_)) => Status::Failed,
            (None, None) => Status::Behind,
        };
        let rows = self.store_receivers(closing.measured, otherwise);
        self.stored
            .store(|run| store_metrics(&run.node_id, run.run_id, &rows));
        let late: Vec<String> = rows.iter().filter_map(ReceiverRow::why).collect();
        if let Some(end) = &self.end {
            closing.end = end.clone();
        } else if let Some(error) = failure {
            log(&format!("pgperf run {}: {error}", self.launch.run_id));
            closing.end = End::Failed {
                sqlstate: error.error.sqlstate.clone(),
                message: error.to_string(),
            };
            self.side_errors.push(error);
        } else if !late.is_empty() {
            closing.end = End::Failed {
                sqlstate: "57014".to_owned(),
                message: format!("drain_timeout ({timeout_s} s): {}", late.join(", ")),
            };
        }
        self.receivers = None;
    }

    fn store_receivers(
        &mut self,
        measured: Option<Measured>,
        otherwise: Status,
    ) -> Vec<ReceiverRow> {
        let Some(receivers) = &self.receivers else {
            return Vec::new();
        };
        let (until, end) = (receivers.drain().until, receivers.end());
        let all = receivers.all().iter().enumerate();
        let rows: Vec<ReceiverRow> = all
            .map(|(number, watched)| {
                ReceiverRow::new(number, watched, until, end, measured, otherwise)
            })
            .collect();
        self.stored
            .store(|run| store(&run.node_id, run.run_id, &rows));
        rows
    }
}
