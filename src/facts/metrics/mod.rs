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
use crate::workload::own::query::Figure;
use counters::{COUNTERS, of_counter};
use derived::{derived, of_devices};
use ends::ends;
use measure::metrics::{self as table, Better};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use sums::{of_relations, of_resource_managers};

/// A row of `pgperf.run_metrics`, without the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metric {
    #[serde(rename = "metric")]
    pub name: String,
    /// None: the counters began again, or this server does not know.
    pub value: Option<f64>,
    pub unit: Cow<'static, str>,
    /// Which is better; None: neither by itself.
    pub direction: Option<&'static str>,
    pub category: &'static str,
}

impl Metric {
    /// The metric of this name, with the part that it is of behind a dot; what else it is, the table of metrics says.
    pub fn new(name: &str, value: Option<f64>) -> Metric {
        let whole = name.split_once('.').map_or(name, |(whole, _)| whole);
        let known = table::named(table::Source::Facts, whole);
        Metric {
            name: name.to_owned(),
            value,
            unit: known.map_or("", |known| known.unit).into(),
            direction: known.and_then(|known| known.better).map(Better::name),
            category: known.map_or(table::OF_WORKLOAD, |known| known.category),
        }
    }

    /// One that a stored workload defines.
    pub fn own(figure: Figure) -> Metric {
        Metric {
            name: figure.name,
            value: figure.value,
            unit: figure.unit.into(),
            direction: figure.better.map(Better::name),
            category: table::OF_WORKLOAD,
        }
    }
}

impl Metric {
    /// Where this server has only a part of the tables: takes its value from these figures of all servers; None: it is not known.
    pub fn take_from(&mut self, figures: Option<&BTreeMap<String, f64>>) {
        if matches!(
            self.category,
            "size" | "wal" | "checkpoint" | "vacuum" | "database"
        ) {
            self.value = figures.and_then(|figures| figures.get(&self.name).copied());
        }
    }
}

/// Stores metrics of a run.
pub fn store(node_id: &str, run_id: i64, metrics: Vec<Metric>) -> Result<()> {
    store_rows("pgperf.run_metrics", node_id, run_id, metrics)
}

/// Stores whether the run's WAL records and images were counted in its WAL; `why` not.
pub fn store_wal_counts(node_id: &str, run_id: i64, why: Option<&str>) -> Result<()> {
    #[derive(Serialize)]
    struct Fact {
        category: &'static str,
        name: &'static str,
        value: &'static str,
        note: Option<String>,
    }
    let fact = Fact {
        category: "server",
        name: "wal_counts",
        value: if why.is_none() { "exact" } else { "reported" },
        note: why.map(|why| {
            format!(
                "wal_records and wal_fpi are the server's counts, of which its sessions tell it late, and not before the end of a \
                 transaction: {why}"
            )
        }),
    };
    store_rows("pgperf.run_environment", node_id, run_id, vec![fact])
}

/// Growth of the database without pgperf's own history, and of that.
pub fn growth(before: Sizes, after: Sizes) -> Vec<Metric> {
    let pgperf = after.pgperf - before.pgperf;
    let database = after.database - before.database - pgperf;
    vec![
        Metric::new("database_growth_bytes", Some(database as f64)),
        Metric::new("pgperf_history_bytes", Some(pgperf as f64)),
    ]
}

/// All metrics that come from the samples.
pub fn of_samples(span: &Span) -> Result<Vec<Metric>> {
    let mut metrics = Vec::new();
    let after = Counted::read(span.node_id, span.end)?;
    for (table, counters) in COUNTERS {
        if let Some(ends) = ends(span, &after, table) {
            metrics.extend(
                counters
                    .iter()
                    .filter_map(|counter| of_counter(&ends, counter)),
            );
            metrics.extend(derived(table, &ends, span));
        }
    }
    let devices = "device_history";
    metrics.extend(of_devices(span.counted.of(devices), after.of(devices)));
    metrics.extend(of_relations(span)?);
    metrics.extend(of_resource_managers(span)?);
    Ok(metrics)
}
