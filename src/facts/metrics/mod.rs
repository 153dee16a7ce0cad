//! What happened in the server and the machine between a run's start and its end: `pgperf.run_metrics`.
//!
//! Differences of the counters that the samples at both ends have stored. A counter that began again in between has
//! no difference, and one that this server does not have no metric.
//!
//! * [`ends`]: the rows at both ends; [`counters`]: the counters that are metrics as they are;
//! * [`derived`]: shares, and what pgperf's own part is taken off; [`sums`]: over relations and resource managers.

mod counters;
mod derived;
mod ends;
mod sums;

pub use ends::Counted;

use super::{Sizes, Span, store_rows};
use crate::error::Result;
use counters::COUNTERS;
use derived::{derived, of_devices};
use ends::ends;
use serde::Serialize;
use sums::{of_relations, of_resource_managers};

/// A row of `pgperf.run_metrics`, without the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metric {
    #[serde(rename = "metric")]
    pub name: String,
    /// None: the counters began again, or this server does not know.
    pub value: Option<f64>,
    pub unit: &'static str,
    /// Which is better; None: neither by itself.
    pub direction: Option<&'static str>,
    pub category: &'static str,
}

impl Metric {
    pub fn new(category: &'static str, name: &str, unit: &'static str, value: f64) -> Metric {
        Metric::with(category, name, unit, None, Some(value))
    }

    fn with(
        category: &'static str,
        name: &str,
        unit: &'static str,
        direction: Option<&'static str>,
        value: Option<f64>,
    ) -> Metric {
        Metric {
            name: name.to_owned(),
            value,
            unit,
            direction,
            category,
        }
    }
}

impl Metric {
    /// Makes it unknown where it would have to count what was done to tables.
    pub fn forget_if_of_tables(&mut self) {
        if matches!(self.category, "size" | "wal" | "vacuum" | "database") {
            self.value = None;
        }
    }
}

/// Stores metrics of a run.
pub fn store(node_id: &str, run_id: i64, metrics: Vec<Metric>) -> Result<()> {
    store_rows("pgperf.run_metrics", node_id, run_id, metrics)
}

/// Growth of the database without pgperf's own history, and of that.
pub fn growth(before: Sizes, after: Sizes) -> Vec<Metric> {
    let pgperf = after.pgperf - before.pgperf;
    let database = after.database - before.database - pgperf;
    vec![
        Metric::new("size", "database_growth_bytes", "bytes", database as f64),
        Metric::new("pgperf", "pgperf_history_bytes", "bytes", pgperf as f64),
    ]
}

/// All metrics that come from the samples.
pub fn of_samples(span: &Span) -> Result<Vec<Metric>> {
    let mut metrics = Vec::new();
    let after = Counted::read(span.node_id, span.end)?;
    for (table, counters) in COUNTERS {
        if let Some(ends) = ends(span, &after, table) {
            metrics.extend(counters.iter().filter_map(|counter| counter.metric(&ends)));
            metrics.extend(derived(table, &ends, span));
        }
    }
    let devices = "device_history";
    metrics.extend(of_devices(span.counted.of(devices), after.of(devices)));
    metrics.extend(of_relations(span)?);
    metrics.extend(of_resource_managers(span)?);
    Ok(metrics)
}
