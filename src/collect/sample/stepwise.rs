//! A sample in many transactions: between two steps it holds no lock, snapshot or transaction id, so that its duration does
//! not matter.

use super::beginning::hardly_waiting;
use super::outcome::{Outcome, Stopwatch};
use super::parts::{Parts, Steps, Transactions};
use super::{Draft, Sample, guarded};
use crate::collect::collector::{Collector, Depth, Read, Scope, Store};
use crate::collect::watched::Watched;
use crate::error::{Error, Result};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::raise;
use crate::pg::sql::procedure::NonAtomic;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde_json::Value;
use std::cell::Cell;

impl Steps for NonAtomic {
    fn in_transaction<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let as_owner = || as_owner(|| body().unwrap_or_else(|error| raise(error)));
        Ok(self.with_snapshot(|| hardly_waiting(as_owner)))
    }

    /// The procedure is always in a transaction.
    fn without_snapshot<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        body()
    }
}

/// One collector of a sample.
#[derive(Debug, Clone)]
pub struct Part {
    pub collector: &'static Collector,
    pub depth: Depth,
    /// That it is taken less often than asked, and why.
    pub stretched: Option<String>,
}

impl Part {
    /// One that is taken as often as asked.
    pub fn new((collector, depth): (&'static Collector, Depth)) -> Part {
        Part {
            collector,
            depth,
            stretched: None,
        }
    }
}

/// What the continuous sampler has to say of its samples.
#[derive(Debug, Clone, Default)]
pub struct SamplerNotes {
    /// The database with the figures of the server, if that is another one.
    pub home: Option<String>,
    /// A sampler could not be started for want of a worker slot.
    pub short_of_workers: bool,
}

/// The request for a sample.
pub struct Request {
    pub run_id: Option<i64>,
    /// The interval at which such samples are due.
    pub cadence_s: Option<f64>,
    /// Whether collectors that have a budget may exceed it, and look at everything there is.
    pub whole: bool,
    /// Since the previous sample.
    pub watched: Watched,
    pub notes: SamplerNotes,
    pub parts: Vec<Part>,
}

/// Takes one sample, each collector in a transaction of its own or, if it reads much, in several, and relations one
/// by one.
///
/// # Errors As [`super::take_sample`]; rows stored until then stay, as an incomplete sample. If only the rows of one
/// collector could not be stored, that is the collector's outcome.
pub fn take_stepwise(steps: &mut impl Steps, request: Request) -> Result<Sample> {
    let mut draft = steps.in_transaction(|| {
        Draft::begin(request.run_id, request.cadence_s)?
            .with_watched(request.watched)
            .with_notes(request.notes)
            .announce()
    })?;
    for part in request.parts {
        let (collector, started) = (part.collector, Stopwatch::start());
        match take_part(steps, &mut draft, part, request.whole) {
            Ok(()) => {}
            // The whole sample can be taken later.
            Err(error) if is_passing(&error) => return Err(error),
            Err(error) => draft.lose(collector.name, started, error),
        }
        steps.after(collector);
    }
    let completed = steps.in_transaction(|| {
        draft.enter_transaction()?;
        draft.complete()
    });
    if let Err(error) = completed {
        if !is_passing(&error) {
            steps.in_transaction(|| {
                draft.enter_transaction()?;
                draft.store_apart()
            })?;
        }
        return Err(error);
    }
    Ok(draft.done())
}

/// Whether the extension is gone, or only locked by somebody.
fn is_passing(error: &Error) -> bool {
    matches!(error, Error::NotInstalled)
        || error.sqlstate() == PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE
}

/// Reads and stores the rows of one collector.
fn take_part(steps: &mut impl Steps, draft: &mut Draft, part: Part, whole: bool) -> Result<()> {
    let collector = part.collector;
    draft.look_at(part.depth);
    if let Read::InTurn {
        budget,
        step_by_step,
        ..
    } = collector.read
    {
        let limit = (!whole).then_some(budget);
        read_in_turn(steps, draft, collector.name, |scope, parts, store| {
            step_by_step(scope, parts, limit, store)
        });
        draft.stretch(part.stretched);
        steps.in_transaction(|| {
            draft.enter_transaction()?;
            draft.save(None)
        })
    } else {
        let started = Stopwatch::start();
        // Interval samples read little.
        let (read, stored) = match (collector.read, part.depth) {
            (Read::InParts(read), Depth::Full) => {
                let mut prepared = Prepared {
                    steps,
                    draft,
                    collector: collector.name,
                };
                let read = read(draft.scope(), &mut Transactions(&mut prepared));
                let stored = Cell::new(0);
                let read = read.and_then(|mut reading| {
                    while let Some(some) = reading.take_some() {
                        prepared.in_transaction(|| {
                            let rows = draft.store_rows(vec![some])? + stored.get();
                            let so_far = Outcome::under_way(collector.name, started, rows);
                            draft.save(Some(&so_far))?;
                            stored.set(rows);
                            Ok(())
                        })?;
                    }
                    Ok(reading)
                });
                (Some(read), stored.get())
            }
            _ => (None, 0),
        };
        steps.in_transaction(|| {
            draft.enter_transaction()?;
            draft.collect_since(started, stored, collector.name, |scope| match read {
                Some(read) => read,
                None => collector.read_here(scope),
            });
            draft.stretch(part.stretched);
            draft.save(None)
        })
    }
}

/// A collector that stores its rows as it goes on.
fn read_in_turn(
    steps: &mut impl Steps,
    draft: &mut Draft,
    name: &'static str,
    read: impl FnOnce(&Scope, &mut dyn Parts, Store) -> Result<Option<String>>,
) {
    let (started, stored) = (Stopwatch::start(), Cell::new(0));
    let store = |table, rows: Vec<Value>| {
        let rows = draft.store_rows(vec![(table, rows.into())])? + stored.get();
        draft.save(Some(&Outcome::under_way(name, started, rows)))?;
        stored.set(rows);
        Ok(())
    };
    let mut prepared = Prepared {
        steps,
        draft,
        collector: name,
    };
    let result = read(draft.scope(), &mut Transactions(&mut prepared), &store);
    draft.remember(name, started, stored.get(), result);
}

/// Steps whose transactions have the settings of a sample, and whose errors are the collector's.
struct Prepared<'a, S> {
    steps: &'a mut S,
    draft: &'a Draft,
    collector: &'static str,
}

impl<S: Steps> Steps for Prepared<'_, S> {
    fn in_transaction<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let (draft, collector) = (self.draft, self.collector);
        self.steps.in_transaction(|| {
            draft.enter_transaction()?;
            Ok(guarded(collector, body))
        })?
    }

    fn without_snapshot<T>(&mut self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.steps.without_snapshot(body)
    }
}
