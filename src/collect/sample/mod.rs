//! One sample of the collectors. Each collector reads in a subtransaction, so that a failing one does not affect the others.
//! Their rows are stored, and their outcomes are in the sample's row.
//!
//! [`beginning`]: the beginning of a sample; [`history`]: the storing of rows; [`outcome`]: the outcome of a collector;
//! [`stepwise`]: a sample in many transactions; [`parts`]: the reading of a collector in several transactions; [`of_target`]: the sample of
//! a target.

pub mod beginning;
pub mod history;
pub mod of_target;
mod outcome;
pub mod parts;
pub mod stepwise;

use super::collector::{Collector, Depth, Reading, Scope, Timing};
use super::error::CollectorFailed;
use super::watched::Watched;
use crate::error::{Error, Result, failure, sqlstate_code};
use crate::pg::process::usage::{self, Usage};
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::pg::sql::text::Json;
use beginning::{Header, Settings, begin};
use history::Rows;
use outcome::{Outcome, Status, Stopwatch};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepwise::SamplerNotes;

/// A sample that was stored.
#[derive(Debug)]
pub struct Sample {
    pub node_id: String,
    pub sample_id: i64,
    /// As text.
    pub taken_at: String,
    /// As `pgperf.samples.epoch`.
    pub epoch: i64,
    pub outcomes: Vec<Outcome>,
}

impl Sample {
    /// The collectors that failed although they can run here, and why.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let failed = |outcome: &&Outcome| outcome.status == Status::Failed;
        (self.outcomes.iter().filter(failed))
            .map(|outcome| (outcome.collector, outcome.reason.as_deref().unwrap_or("")))
    }
}

/// Takes one sample with everything the collectors can read, on demand, and stores it.
///
/// Runs as the extension's owner inside a transaction with an active snapshot.
///
/// # Errors
/// Only what concerns the sample as a whole; a collector's failure is in its outcome.
pub fn take_sample(collectors: &[&'static Collector]) -> Result<Sample> {
    let mut sample = Draft::begin(None, None)?;
    for collector in collectors {
        sample.collect(collector.name, |scope| collector.read_here(scope));
    }
    sample.store()
}

/// Takes a sample of a run: at its start, its end or after an interval of `cadence_s` seconds.
///
/// # Errors
/// As [`take_sample`].
pub fn take_run_sample(
    run_id: i64,
    cadence_s: Option<f64>,
    collectors: &[(&'static Collector, Depth)],
    watched: &Watched,
) -> Result<Sample> {
    let mut sample = Draft::begin(Some(run_id), cadence_s)?.with_watched(watched.clone());
    for (collector, depth) in collectors {
        sample.scope.depth = *depth;
        sample.collect(collector.name, |scope| collector.read_here(scope));
    }
    sample.store()
}

/// Takes a sample of one collector whose reading the caller directs.
///
/// # Errors
/// Also that the collector did not run, with its own SQLSTATE and reason; then nothing is stored.
pub fn take_one(
    collector: &'static str,
    read: impl FnOnce(&Scope) -> Result<Reading>,
) -> Result<Sample> {
    let mut sample = Draft::begin(None, None)?;
    let outcome = sample.collect(collector, read);
    if outcome.status != Status::Ok {
        return Err(CollectorFailed {
            collector,
            sqlstate: outcome
                .sqlstate
                .unwrap_or(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR),
            reason: outcome.reason.clone().unwrap_or_default(),
        }
        .into());
    }
    sample.store()
}

/// A sample in the making.
pub(super) struct Draft {
    header: Header,
    scope: Scope,
    cadence_s: Option<f64>,
    notes: SamplerNotes,
    callers: Settings,
    started: Stopwatch,
    used_before: Usage,
    outcomes: Vec<Outcome>,
}

impl Draft {
    pub(super) fn begin(run_id: Option<i64>, cadence_s: Option<f64>) -> Result<Self> {
        Draft::begin_since(Stopwatch::start(), cadence_s, Timing::here(), || {
            begin(run_id)
        })
    }

    /// The same of one that began then, whose server times this.
    pub(super) fn begin_since(
        started: Stopwatch,
        cadence_s: Option<f64>,
        timing: Timing,
        begin: impl FnOnce() -> Result<(Header, Settings)>,
    ) -> Result<Self> {
        let used_before = usage::now();
        let (header, callers) = begin()?;
        Ok(Draft {
            scope: Scope {
                node_id: header.node_id.clone(),
                run_id: header.run_id,
                began: started.started_at(),
                depth: Depth::Full,
                sampler_cadence_s: cadence_s.filter(|_| header.run_id.is_none()),
                watched: Watched::default(),
                counting_since: header.counting_since(),
                timing,
            },
            header,
            cadence_s,
            notes: SamplerNotes::default(),
            callers,
            started,
            used_before,
            outcomes: Vec::new(),
        })
    }

    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// How much the next collector looks at.
    pub(super) fn look_at(&mut self, depth: Depth) {
        self.scope.depth = depth;
    }

    pub(super) fn with_watched(mut self, watched: Watched) -> Self {
        self.scope.watched = watched;
        self
    }

    pub(super) fn with_notes(mut self, notes: SamplerNotes) -> Self {
        self.notes = notes;
        self
    }

    /// Adds a remark on its interval, if there is one, to the outcome of the last collector.
    pub(super) fn stretch(&mut self, note: Option<String>) {
        if let (Some(outcome), Some(note)) = (self.outcomes.last_mut(), note) {
            outcome.stretch(note);
        }
    }

    /// For a sample of several transactions: the settings that [`Draft::begin`] made for the first.
    pub(super) fn enter_transaction(&self) -> Result<()> {
        Settings::of_samples().set()
    }

    /// Reads and stores one collector's rows, or undoes that and remembers why.
    pub(super) fn collect(
        &mut self,
        collector: &'static str,
        read: impl FnOnce(&Scope) -> Result<Reading>,
    ) -> &Outcome {
        self.collect_since(Stopwatch::start(), 0, collector, read)
    }

    /// The same for a collector that reads in parts, began then, and has stored that many rows already.
    pub(super) fn collect_since(
        &mut self,
        started: Stopwatch,
        before: u64,
        collector: &'static str,
        read: impl FnOnce(&Scope) -> Result<Reading>,
    ) -> &Outcome {
        let read_and_store = || {
            let reading = read(&self.scope)?;
            let rows = self.store_rows(reading.tables)?;
            Ok((rows, reading.note))
        };
        let (stored, result) = match guarded(collector, read_and_store) {
            Ok((rows, note)) => (rows, Ok(note)),
            Err(error) => (0, Err(error)),
        };
        self.remember(collector, started, before + stored, result)
    }

    /// Adds rows to the history; their number.
    pub(super) fn store_rows(&self, tables: Vec<(&'static str, Rows)>) -> Result<u64> {
        tables
            .into_iter()
            .map(|(table, new)| history::insert(table, &self.header, new))
            .sum()
    }

    /// The outcome of a collector that stored that many rows: a remark, or an error.
    pub(super) fn remember(
        &mut self,
        collector: &'static str,
        started: Stopwatch,
        rows: u64,
        result: Result<Option<String>>,
    ) -> &Outcome {
        self.outcomes
            .push(Outcome::new(collector, started, rows, result));
        &self.outcomes[self.outcomes.len() - 1]
    }

    /// Stores the sample's own row, the last thing: all in one transaction, or nothing.
    pub(super) fn store(self) -> Result<Sample> {
        self.insert(true)?;
        self.callers.set()?;
        Ok(self.done())
    }

    /// For a sample of several transactions, the first step: so all its rows belong to a sample, even if it is broken
    /// off.
    pub(super) fn announce(self) -> Result<Self> {
        self.insert(false)?;
        Ok(self)
    }

    /// Brings that row up to date, in the transaction that stores a collector's rows; `under_way`: the outcome of the
    /// collector so far, if it stores its rows in several transactions.
    ///
    /// # Errors
    /// Somebody deleted the sample meanwhile.
    pub(super) fn save(&self, under_way: Option<&Outcome>) -> Result<()> {
        self.update(self.row(under_way, false)?)
    }

    /// Stores that it is complete.
    ///
    /// # Errors
    /// As [`Draft::save`].
    pub(super) fn complete(&self) -> Result<()> {
        self.update(self.row(None, true)?)
    }

    /// The rows of the last collector are lost, for this reason: its transaction was rolled back.
    pub(super) fn lose(&mut self, collector: &'static str, started: Stopwatch, error: Error) {
        self.outcomes
            .retain(|outcome| outcome.collector != collector);
        self.outcomes.push(Outcome::lost(collector, started, error));
    }

    /// If the announced row cannot be updated: stores the outcome as another sample, so that the history shows why it
    /// lacks this one.
    pub(super) fn store_apart(&mut self) -> Result<()> {
        let next: Option<Next> = spi::select_one(
            "SELECT pgperf_internal.next_number('pgperf_internal.sample_id_seq') AS sample_id",
            &[],
        )?;
        self.header.sample_id = next.ok_or(Error::NotInstalled)?.sample_id;
        self.insert(true)
    }

    pub(super) fn done(self) -> Sample {
        Sample {
            node_id: self.header.node_id,
            sample_id: self.header.sample_id,
            taken_at: self.header.taken_at,
            epoch: self.header.epoch,
            outcomes: self.outcomes,
        }
    }

    fn insert(&self, complete: bool) -> Result<()> {
        let row = self.row(None, complete)?;
        history::write(&self.header, || spi::insert(TABLE, &row))
    }

    fn update(&self, row: SampleRow) -> Result<()> {
        let updated = spi::execute(
            "UPDATE pgperf.samples s \
                SET (elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes, complete) \
                  = (r.elapsed_ms, r.cpu_ms, r.rows, r.pages, r.wal_bytes, r.outcomes, r.complete) \
               FROM pg_catalog.jsonb_populate_record(NULL::pgperf.samples, $1) r \
              WHERE s.node_id = r.node_id AND s.sample_id = r.sample_id \
                AND s.taken_at = $2::pg_catalog.timestamptz",
            &[
                Json(serde_json::to_value(row)?).into(),
                self.header.taken_at.as_str().into(),
            ],
        )?;
        match updated {
            0 => Err(failure(
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!(
                    "sample {} was deleted while it was taken",
                    self.header.sample_id
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The sample's own row, as things stand.
    fn row(&self, under_way: Option<&Outcome>, complete: bool) -> Result<SampleRow<'_>> {
        let used = usage::now().since(&self.used_before);
        let outcomes = || self.outcomes.iter().chain(under_way);
        Ok(SampleRow {
            header: &self.header,
            epoch: self.header.epoch,
            counting: &self.header.counting,
            cadence: self.cadence_s.map(|seconds| format!("{seconds} seconds")),
            elapsed_ms: self.started.elapsed_ms(),
            cpu_ms: self.started.cpu_ms(),
            rows: outcomes().map(|outcome| outcome.rows).sum(),
            pages: used.shared_blks_hit + used.shared_blks_read,
            wal_bytes: used.wal_bytes,
            outcomes: outcomes()
                .map(|outcome| Ok((outcome.collector.to_owned(), serde_json::to_value(outcome)?)))
                .collect::<Result<_>>()?,
            complete,
            home: self.notes.home.as_deref(),
            short_of_workers: self.notes.short_of_workers.then_some(true),
        })
    }
}

/// Runs a collector's part in a subtransaction: failures there are its own errors.
pub(super) fn guarded<T>(collector: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    subtransaction(body).unwrap_or_else(|caught| {
        Err(CollectorFailed {
            collector,
            sqlstate: sqlstate_code(&caught.sqlstate),
            reason: caught.message,
        }
        .into())
    })
}

const TABLE: &str = "pgperf.samples";

#[derive(Deserialize)]
struct Next {
    sample_id: i64,
}

/// A row of [`TABLE`].
#[derive(Serialize)]
struct SampleRow<'a> {
    #[serde(flatten)]
    header: &'a Header,
    epoch: i64,
    counting: &'a Value,
    cadence: Option<String>,
    elapsed_ms: f64,
    cpu_ms: f64,
    rows: u64,
    pages: u64,
    wal_bytes: u64,
    outcomes: Map<String, Value>,
    complete: bool,
    home: Option<&'a str>,
    short_of_workers: Option<bool>,
}
