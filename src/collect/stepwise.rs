//! A sample of many transactions: between two steps it holds neither lock, snapshot nor transaction id, so that it
//! may take as long as it takes.

use super::bloat;
use super::collector::{Collector, Depth};
use super::sample::{Draft, Sample};
use crate::error::Result;
use crate::pg::procedure::NonAtomic;
use crate::pg::role::as_owner;
use std::time::{Duration, Instant};

/// How the steps are run.
pub trait Steps {
    /// With a snapshot and as the extension's owner; committed afterwards.
    fn in_transaction<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T>;

    /// In a transaction without a snapshot: looking at a relation's pages.
    fn without_snapshot<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T>;
}

impl Steps for NonAtomic {
    fn in_transaction<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.with_snapshot(|| as_owner(body))
    }

    /// The procedure is always in a transaction.
    fn without_snapshot<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        body()
    }
}

/// One collector of a sample.
pub struct Part {
    pub collector: &'static Collector,
    pub depth: Depth,
    /// What its outcome is to tell besides.
    pub note: Option<String>,
}

/// What is asked of a sample.
pub struct Request {
    /// A number that was drawn for it already.
    pub sample_id: Option<i64>,
    /// The interval at which such samples are due.
    pub cadence_s: Option<f64>,
    /// How long relations may be measured; None: all of them, each when its turn comes.
    pub bloat_limit: Option<Duration>,
    pub parts: Vec<Part>,
}

/// Takes one sample, each collector in a transaction of its own, and relations one by one.
///
/// # Errors
/// As [`super::take_sample`]; what was stored until then stays.
pub fn take_stepwise(steps: &impl Steps, request: Request) -> Result<Sample> {
    let Request {
        sample_id,
        cadence_s,
        bloat_limit,
        parts,
    } = request;
    let mut draft = steps.in_transaction(|| Draft::begin(None, cadence_s, sample_id))?;
    for part in parts {
        let collector = part.collector;
        draft.look_at(part.depth);
        if collector.name == bloat::COLLECTOR.name {
            let started = Instant::now();
            let result = bloat::step_by_step(
                &draft.scope().node_id,
                &Prepared {
                    steps,
                    draft: &draft,
                },
                bloat_limit,
                |table, rows| draft.store_rows(vec![(table, rows)]),
            );
            draft.remember(collector.name, started, result);
        } else {
            steps.in_transaction(|| {
                draft.enter_transaction()?;
                draft.collect(collector.name, collector.read);
                Ok(())
            })?;
        }
        if let Some(note) = part.note {
            draft.note(note);
        }
    }
    steps.in_transaction(|| draft.store())
}

/// Steps whose transactions have the settings of a sample.
struct Prepared<'a, S> {
    steps: &'a S,
    draft: &'a Draft,
}

impl<S: Steps> Steps for Prepared<'_, S> {
    fn in_transaction<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.steps.in_transaction(|| {
            self.draft.enter_transaction()?;
            body()
        })
    }

    fn without_snapshot<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.steps.without_snapshot(body)
    }
}
