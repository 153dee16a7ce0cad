//! The stored row of a run, as its leader keeps it up to date.

mod circumstances;
mod losses;
mod of_target;

use crate::collect::{
    self, Collector, Depth, Part, Request, Sample, SamplerNotes, Steps, Watched, take_stepwise,
};
use crate::error::Result;
use crate::facts::Footprint;
use crate::facts::target::identity::Identity;
use crate::pg::error::SqlError;
use crate::pg::process::usage::{self, Usage};
use crate::pg::process::{latch, lock};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use crate::run::request::spec::Spec;
use crate::run::resume::points::{begin_segment, forget};
use crate::run::resume::state::{Carried, Details};
use crate::service::permission::Reason;
use crate::service::store::{Unstored, store};
use crate::subject;
use circumstances::Beginning;
use losses::Losses;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use std::time::Duration;

/// A run's row, and how to write to it.
pub struct StoredRun {
    pub node_id: String,
    pub run_id: i64,
    pub spec: Spec,
    /// The sums of the run's earlier segments.
    pub carried: Carried,
    pub details: Details,
    /// Observations since the previous sample.
    pub watched: Watched,
    extension: Oid,
    gone: bool,
    updated: bool,
    /// Whether the last attempt to store failed because of somebody's lock.
    busy: bool,
    losses: Losses,
    /// Why the last attempt to store failed.
    failure: String,
    /// Transaction ids taken so far.
    xids: u64,
    usage_at_start: Usage,
    /// Its own share when the last sample had read relations.
    own_after_reading: Option<Footprint>,
    beginning: Beginning,
    /// What is known of each server of a run on several.
    pub identities: Vec<Identity>,
    /// Whether effects of its statements are partly on other servers, unknown to this one.
    is_distributed: bool,
    /// Whether the server has standbys or replication slots.
    pub has_receivers: bool,
}

/// Points in a run's life that its row records.
pub enum Milestone {
    Preparing,
    /// Its clients wait for the moment at which they are to begin.
    Ready,
    WarmingUp,
    Running {
        warmed_up: bool,
    },
    Draining,
}

/// Whether a milestone was stored.
#[derive(PartialEq, Eq)]
pub enum Told {
    Yes,
    /// Somebody locks the tables.
    NotYet,
    Failed,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum End {
    Finished,
    /// By somebody, or for this reason.
    Stopped(Option<Reason>),
    Failed {
        sqlstate: String,
        message: String,
    },
}

#[derive(Deserialize)]
struct RunRow {
    node_id: String,
    spec: Spec,
    state: Option<Carried>,
    details: Option<Details>,
}

/// Number of retries of a failed write at the end of a run, and the pause between them. A write blocked by somebody's
/// lock is retried until the lock is gone.
const RETRIES: usize = 50;
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

impl StoredRun {
    /// Whether the clients' own counts of buffers and WAL are all of what their statements have used.
    pub fn knows_usage(&self) -> bool {
        !self.is_distributed && self.spec.transport.tells_usage()
    }

    /// Reads the row; None if it does not exist, since its transaction was rolled back.
    pub fn read(extension: Oid, run_id: i64) -> Option<StoredRun> {
        let read = || {
            let node_id = crate::catalog::node::local_node()?;
            spi::select_one::<RunRow>(
                "SELECT node_id, spec, state, details \
                 FROM pgperf_internal.stored_runs LEFT JOIN pgperf_internal.resume_points USING (node_id, run_id) \
                 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[node_id.into(), run_id.into()],
            )
        };
        let row = loop {
            match store(extension, read) {
                Ok(row) => break row?,
                Err(Unstored::Failed(error)) => {
                    server::log(&format!(
                        "pgperf run {run_id} did not start: {}",
                        error.message
                    ));
                    return None;
                }
                Err(Unstored::Busy) if !lock::database_is_being_dropped() => {
                    latch::wait(RETRY_INTERVAL);
                }
                Err(Unstored::Busy | Unstored::Gone) => return None,
            }
        };
        Some(StoredRun {
            node_id: row.node_id,
            run_id,
            spec: row.spec,
            carried: row.state.unwrap_or_default(),
            details: row.details.unwrap_or_default(),
            watched: Watched::default(),
            extension,
            gone: false,
            updated: false,
            busy: false,
            losses: Losses::default(),
            failure: String::new(),
            xids: 0,
            usage_at_start: usage::now(),
            own_after_reading: None,
            beginning: Beginning::default(),
            identities: Vec::new(),
            is_distributed: false,
            has_receivers: false,
        })
    }

    pub fn extension_is_gone(&self) -> bool {
        self.gone
    }

    pub fn extension_was_updated(&self) -> bool {
        self.updated
    }

    /// Checks whether the extension still exists, in a transaction that does nothing else.
    pub fn check_extension(&mut self) {
        let extension = self.extension;
        let seen = xact::bare_transaction(|| lock::try_lock_extension(extension));
        self.gone |= matches!(seen, Ok(lock::Extension::Gone));
        self.updated |= matches!(seen, Ok(lock::Extension::Updated));
    }

    /// Stores something, and returns whether that succeeded. A failure is logged and may be retried.
    pub fn try_store(&mut self, body: impl FnOnce(&StoredRun) -> Result<()>) -> bool {
        match self.in_store(body) {
            Ok(()) => true,
            Err(Unstored::Busy | Unstored::Gone) => false,
            Err(Unstored::Failed(error)) => {
                self.log_loss(&error.message);
                self.failure = error.message;
                false
            }
        }
    }

    /// Whether the last attempt to store failed because of somebody's lock.
    pub fn was_busy(&self) -> bool {
        self.busy
    }

    /// Why the last attempt to store failed.
    pub fn failure(&self) -> &str {
        &self.failure
    }

    /// Rows of the run are not to be had, for this reason.
    pub fn lose_rows_because(&mut self, reason: &str) {
        self.losses.rows(reason);
    }

    /// A sample that should have been stored with the last attempt is lost: it is not taken again.
    pub fn lose_sample(&mut self) {
        let reason = match self.busy {
            true => "a table of the extension was locked by another session",
            false => &self.failure,
        };
        self.losses.sample(reason);
    }

    /// The same of one that was not to be had, for this reason.
    pub fn lose_sample_because(&mut self, reason: &str) {
        self.losses.sample(reason);
    }

    /// Collectors of a stored sample may have failed.
    pub fn note_failures(&mut self, sample: &Sample) {
        self.losses.within(sample);
    }

    fn in_store<T>(
        &mut self,
        body: impl FnOnce(&StoredRun) -> Result<T>,
    ) -> std::result::Result<T, Unstored> {
        let result = store(self.extension, || Ok((body(self)?, xact::ids_taken())));
        self.gone |= matches!(result, Err(Unstored::Gone));
        self.busy = matches!(result, Err(Unstored::Busy));
        let (value, ids) = result?;
        self.xids += ids;
        Ok(value)
    }

    fn log_loss(&self, message: &str) {
        server::log(&format!(
            "pgperf run {} could not store its history: {message}",
            self.run_id
        ));
    }

    /// Stores something that must not be lost: tries again for a while.
    pub fn store(&mut self, body: impl Fn(&StoredRun) -> Result<()>) -> bool {
        let stored = self.keep_trying(|run| run.try_store(&body));
        if !stored {
            self.losses.rows(&self.failure);
        }
        stored
    }

    /// Repeats an attempt to store data that must not be lost, until everything is stored, or for a while.
    pub fn keep_trying(&mut self, attempt: impl FnMut(&mut StoredRun) -> bool) -> bool {
        self.try_times(RETRIES, attempt)
    }

    /// Stores something that is dispensable if it fails, but not if it only has to wait for somebody's lock.
    fn store_once_free(&mut self, mut body: impl FnMut(&StoredRun) -> Result<()>) {
        if !self.try_times(1, |run| run.try_store(&mut body)) {
            self.losses.rows(&self.failure);
        }
    }

    /// An attempt prevented by a lock does not count.
    fn try_times(&mut self, times: usize, mut attempt: impl FnMut(&mut StoredRun) -> bool) -> bool {
        let mut failures = 0;
        while failures < times {
            if attempt(self) {
                return true;
            }
            if self.gone || lock::database_is_being_dropped() {
                return false;
            }
            failures += usize::from(!self.busy);
            if failures < times {
                latch::wait(RETRY_INTERVAL);
            }
        }
        false
    }

    /// Records a point in the run's life in its row; the one for the measured part begins its segment. One attempt.
    pub fn milestone(&mut self, milestone: &Milestone) -> Told {
        let (status, column) = match milestone {
            Milestone::Preparing => ("preparing", None),
            Milestone::Ready => ("waiting", None),
            Milestone::WarmingUp => ("warming up", Some("started_at")),
            Milestone::Running { warmed_up: true } => ("running", Some("measured_at")),
            Milestone::Running { warmed_up: false } => ("running", Some("started_at")),
            Milestone::Draining => ("draining", None),
        };
        let measured = matches!(milestone, Milestone::Running { .. });
        let told = self.try_store(|run| {
            let is_ready = matches!(milestone, Milestone::Ready);
            let ready_at = is_ready.then(|| server::timestamp_text(server::timestamp_now()));
            let later_s = if measured { run.spec.warmup_s } else { 0.0 };
            let planned = run.spec.start_at.as_ref().map(|it| it.timestamp(later_s));
            let now = server::timestamp_text(planned.unwrap_or_else(server::timestamp_now));
            // This server's positions say nothing of a target.
            let is_here = measured && run.spec.targets.is_here() && run.spec.nodes.is_empty();
            let lsn = is_here.then(server::insert_lsn);
            let xid = is_here.then(server::next_full_xid);
            let stamp = column.map(|_| now.as_str());
            let started = stamp.filter(|_| column == Some("started_at"));
            let measured_at = stamp.filter(|_| measured);
            spi::execute(
                "UPDATE pgperf_internal.stored_runs SET stored_status = $3, \
                    started_at = coalesce(started_at, $4::pg_catalog.timestamptz), \
                    measured_at = coalesce(measured_at, $5::pg_catalog.timestamptz), \
                    start_lsn = coalesce(start_lsn, $6::pg_catalog.pg_lsn), \
                    start_full_xid = coalesce(start_full_xid, $7::pg_catalog.xid8), \
                    spec = CASE WHEN $8 IS NULL THEN spec \
                                ELSE spec OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('ready_at', $8) END \
                 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[
                    run.node_id.as_str().into(),
                    run.run_id.into(),
                    status.into(),
                    started.into(),
                    measured_at.into(),
                    lsn.as_deref().into(),
                    xid.as_deref().into(),
                    ready_at.as_deref().into(),
                ],
            )?;
            if measured && run.spec.resume {
                begin_segment(run)?;
            }
            Ok(())
        });
        match told {
            true => Told::Yes,
            false if self.busy => Told::NotYet,
            false => Told::Failed,
        }
    }

    /// Takes a sample of the run, with the wait events of its clients; none if no collector is due.
    pub fn take_sample(
        &self,
        cadence_s: Option<f64>,
        collectors: &[(&'static Collector, Depth)],
    ) -> Result<Option<Sample>> {
        if collectors.is_empty() {
            return Ok(None);
        }
        let watched = &self.watched;
        collect::take_run_sample(self.run_id, cadence_s, collectors, watched).map(Some)
    }

    /// Takes a sample in as many transactions as it needs: looking at relations takes long, and the leader must hold
    /// no snapshot meanwhile.
    pub fn take_sample_stepwise(
        &mut self,
        cadence_s: Option<f64>,
        collectors: Vec<(&'static Collector, Depth)>,
    ) -> Option<Sample> {
        if collectors.is_empty() {
            return None;
        }
        let part = |(collector, depth)| Part {
            collector,
            depth,
            stretched: None,
        };
        let request = Request {
            run_id: Some(self.run_id),
            cadence_s,
            whole: false,
            watched: std::mem::take(&mut self.watched),
            notes: SamplerNotes::default(),
            parts: collectors.into_iter().map(part).collect(),
        };
        match take_stepwise(self, request) {
            Ok(sample) => {
                self.losses.within(&sample);
                Some(sample)
            }
            Err(error) => {
                self.failure = error.to_string();
                if !self.busy {
                    self.log_loss(&error.to_string());
                }
                None
            }
        }
    }

    /// Records why the run cannot end yet; whether that was possible.
    pub fn cannot_end(&mut self, why: &SqlError) -> bool {
        self.try_store(|run| {
            spi::execute(
                "UPDATE pgperf_internal.stored_runs SET stored_status = 'draining', sqlstate = $3, error = $4 \
                 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[
                    run.node_id.as_str().into(),
                    run.run_id.into(),
                    why.sqlstate.as_str().into(),
                    why.message.as_str().into(),
                ],
            )?;
            Ok(())
        })
    }

    /// Stores how the run ended. This is the last update of its row.
    pub fn end(&mut self, end: &End) {
        let now = server::timestamp_text(server::timestamp_now());
        let (status, sqlstate, message) = match end {
            End::Finished => ("finished", None, None),
            End::Stopped(None) => ("stopped", None, None),
            End::Stopped(Some(reason)) => (
                "stopped",
                Some(reason.sqlstate),
                Some(reason.message.as_str()),
            ),
            End::Failed { sqlstate, message } => {
                ("failed", Some(sqlstate.as_str()), Some(message.as_str()))
            }
        };
        let losses = self.losses.text();
        self.store(|run| {
            spi::execute(
                "UPDATE pgperf_internal.stored_runs SET stored_status = $3, \
                    ended_at = $4::pg_catalog.timestamptz, sqlstate = $5, error = $6, \
                    history_error = coalesce($7, history_error) \
                 WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
                &[
                    run.node_id.as_str().into(),
                    run.run_id.into(),
                    status.into(),
                    now.as_str().into(),
                    sqlstate.into(),
                    message.into(),
                    losses.as_deref().into(),
                ],
            )?;
            if run.spec.resume {
                forget(&run.node_id, run.run_id)?;
            }
            Ok(())
        });
    }
}

impl Steps for StoredRun {
    fn in_transaction<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        Ok(self.in_store(|_| body())?)
    }

    fn without_snapshot<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        xact::bare_transaction(body).map_err(Unstored::Failed)?
    }

    /// What it reads at the start is in the statistics, and in the leader's own share, before they are looked at.
    fn after(&mut self, collector: &Collector) {
        if subject::reads_relations(collector) {
            latch::report_statistics(true);
            self.own_after_reading = Some(self.footprint());
        }
    }
}
