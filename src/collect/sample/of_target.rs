//! The sample of a target: it is read elsewhere, over a connection, and stored here.

use super::beginning::begin_of_target;
use super::outcome::Stopwatch;
use super::{Draft, Sample};
use crate::catalog::node::local_node;
use crate::catalog::target_node::{Identity, of_target};
use crate::collect::collector::{Collector, Depth, Timing};
use crate::error::Result;
use crate::target::inquiry::Row;
use serde_json::Value;
use std::time::Duration;

/// What a target has told for a sample.
pub struct TargetSample {
    /// The foreign server that leads to it, and where that is.
    pub server: String,
    pub host: Option<String>,
    pub identity: Identity,
    pub timing: Timing,
    /// What its epoch is made of: [`counting_columns`](super::beginning::counting_columns).
    pub counting: Value,
    /// When it was asked, and how long it took to answer.
    pub at: String,
    pub took: Duration,
    /// How long the target has worked for that.
    pub worked: Duration,
    /// How often such samples are due, in seconds.
    pub cadence_s: Option<f64>,
    pub parts: Vec<TargetPart>,
}

/// What it has told for a collector: the rows of each query, or why there are none.
pub struct TargetPart {
    pub collector: &'static Collector,
    pub depth: Depth,
    /// That it is taken less often than asked, and why.
    pub stretched: Option<String>,
    pub answers: Result<Vec<Vec<Row>>>,
}

/// Stores a sample, as one of a run if it is one's; and since when its counters count.
///
/// # Errors
/// As [`super::take_sample`].
pub fn store(sample: TargetSample, run_id: Option<i64>) -> Result<(Sample, String)> {
    let started = Stopwatch::started_before(sample.took);
    let mut draft = Draft::begin_since(started, sample.cadence_s, sample.timing, || {
        let host = sample.host.as_deref();
        let node = of_target(&local_node()?, &sample.server, host, &sample.identity)?;
        begin_of_target(node, run_id, &sample.at, sample.counting)
    })?;
    for part in sample.parts {
        draft.look_at(part.depth);
        let Some(source) = part.collector.of_target else {
            continue;
        };
        draft.collect(part.collector.name, |scope| {
            (source.reading)(scope, part.answers?)
        });
        draft.stretch(part.stretched);
    }
    let counting_since = draft.scope().counting_since.clone();
    Ok((draft.store()?, counting_since))
}
