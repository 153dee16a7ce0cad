//! All data about a run, in the form that `pgperf.report_json` returns and the page shows.
//!
//! Long runs are condensed in the SQL that reads them: [`timeline`] to at most [`POINTS`] stretches, the rows of the
//! collectors, which are those of the sections ([`samples`]), by their span. `docs/report.schema.json` describes the document; a unit
//! test checks that both agree.

pub mod alternation;
mod autovacuum;
mod baseline;
mod buffers;
pub mod circumstances;
pub mod disturbances;
pub mod hit_curve;
mod host;
mod observer;
pub mod rate_search;
pub mod receivers;
mod relations;
pub mod replay;
mod samples;
#[cfg(test)]
mod schema_test;
pub mod servers;
pub mod tables;
mod timeline;
mod waits;
mod wal;
mod wraparound;

pub use autovacuum::{Autovacuum, AutovacuumCounts};
pub use baseline::Baseline;
pub use circumstances::{Environment, Figure, Setting};
pub use observer::Observer;
pub use relations::Relation;
pub use timeline::{Interval, Latency, Timeline};

use super::{call, stored_run as stored};
use crate::catalog::runs::{self, ExistingRun};
use crate::catalog::{node, target_node};
use crate::error::Result;
use crate::show::span::Span;
use crate::show::span::samples::{self as of_span, Samples};
use measure::metrics::{self, OF_WORKLOAD};
use pgrx::pg_sys;
use serde::Serialize;

/// Stretches that a run's intervals are condensed into, at most.
pub const POINTS: i64 = 180;
/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// A run: its options, its results, and the activity of the server and the machine meanwhile. Absent values are null.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// Changes when a reader of an older document would misread a newer one.
    pub format_version: u32,
    /// The version of pgperf that wrote the document.
    pub pgperf_version: &'static str,
    /// The call that makes the same run again; null: another program made it.
    pub call: Option<String>,
    /// Further figures: those that the workload defines, and the activity of the server and the machine.
    pub metrics: Vec<Figure>,
    /// Rates and latencies over time.
    pub timeline: Option<Timeline>,
    /// The distribution of all latencies.
    pub latency: Option<Latency>,
    /// Activity of autovacuum during the run, as far as the samples show it.
    pub autovacuums: Vec<Autovacuum>,
    /// Their number by the tables' counters.
    pub autovacuum_counts: AutovacuumCounts,
    /// WAL over time and by resource manager.
    pub wal: Option<wal::Wal>,
    /// The contents of shared_buffers.
    pub buffers: Option<buffers::Buffers>,
    /// Tables and indexes that changed, with their sizes before and after.
    pub relations: Vec<Relation>,
    /// Bloat over time of the largest relations that were measured.
    pub bloat: Vec<relations::Bloat>,
    /// Age of the oldest transaction id, and when it reaches the server's limits.
    pub transaction_ids: Option<wraparound::TransactionIds>,
    /// Wait events of sessions.
    pub waits: Option<waits::Waits>,
    /// CPU and memory of the machine.
    pub host: Option<host::Host>,
    /// The block devices under the server's files.
    pub devices: Vec<host::Device>,
    /// Settings that were not at their defaults.
    pub settings: Vec<Setting>,
    /// The server and the machine.
    pub environment: Vec<Environment>,
    /// The cost of measuring.
    pub observer: Option<Observer>,
    /// The named baseline of such runs that was set last, where the run has several scripts and does not belong to it; else null.
    pub baseline: Option<Baseline>,
    /// What the text of the report has, too.
    #[serde(flatten)]
    pub facts: stored::Facts,
}

/// Reads all but what its samples tell of the server, and these samples; the current user must be able to read pgperf's tables.
/// `caller`: the role that wants to see it.
pub fn load(found: &ExistingRun, caller: pg_sys::Oid) -> Result<(Report, Option<Samples>)> {
    let facts = stored::load(found)?;
    let key = Key {
        node_id: &found.node_id,
        run_id: found.run_id,
    };
    let (timeline, latency) = match timeline::load(&key)? {
        Some((timeline, latency)) => (Some(timeline), latency),
        None => (None, None),
    };
    let since = timeline
        .as_ref()
        .map(|timeline| timeline.started_at.as_str())
        .or(facts.run.measured_at.as_deref())
        .or(facts.run.started_at.as_deref());
    let span = match since {
        Some(since) => {
            let for_monitors = runs::may_see_all(caller)?;
            let sampled = target_node::sampled_in(key.node_id, key.run_id)?;
            Span::of_run(&sampled, key.run_id, since, for_monitors)?
        }
        None => None,
    };
    let samples = span.map(of_span::load).transpose()?;
    let mut report = Report {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        call: call::statement(&facts.run),
        facts,
        metrics: circumstances::metrics(&key)?,
        timeline,
        latency,
        autovacuums: Vec::new(),
        autovacuum_counts: autovacuum::counts(&key)?,
        wal: None,
        buffers: None,
        relations: relations::load(&key)?,
        bloat: Vec::new(),
        transaction_ids: None,
        waits: None,
        host: None,
        devices: Vec::new(),
        settings: circumstances::settings(&key)?,
        environment: circumstances::environment(&key)?,
        observer: None,
        baseline: None,
    };
    if report.facts.scripts.len() > 1 {
        report.baseline = baseline::load(found, caller)?;
    }
    if let Some(samples) = &samples {
        report.autovacuums = autovacuum::load(samples)?;
        report.observer = observer::load(samples)?;
    }
    Ok((report, samples))
}

impl Report {
    /// Adds what its samples tell of the server.
    pub fn add(&mut self, samples: &Samples) -> Result<()> {
        let database_name = node::database_name(&samples.span.node_id)?;
        self.wal = wal::load(samples)?;
        self.buffers = buffers::load(samples)?;
        self.bloat = relations::bloat(samples)?;
        let per_s = self.ids_per_s(samples);
        self.transaction_ids = wraparound::load(samples, &database_name, per_s)?;
        self.waits = waits::load(samples)?;
        self.host = host::load(samples)?;
        self.devices = host::devices(samples)?;
        Ok(())
    }

    fn ids_per_s(&self, samples: &Samples) -> Option<f64> {
        let xids = self.metrics.iter().find(|figure| figure.metric == "xids");
        let warmed_up = self.facts.run.warmup_transactions.unwrap_or(0) > 0;
        wraparound::ids_per_s(
            xids.and_then(|figure| figure.value),
            self.facts.run.duration_s,
            if warmed_up {
                samples.span.zero_s()
            } else {
                0.0
            },
        )
    }

    /// The metrics of the run's workloads that one looks at first: their rates, and all that authors of workloads have defined.
    pub fn of_the_workload(&self) -> impl Iterator<Item = (&Figure, f64)> {
        let figures = self.metrics.iter().filter(|figure| {
            figure.category == OF_WORKLOAD && metrics::is_headline(&figure.metric)
        });
        figures.filter_map(|figure| Some((figure, figure.value?)))
    }
}

/// Which run.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    /// uuid as text.
    pub node_id: &'a str,
    pub run_id: i64,
}
