//! Sequences, and how many of their values are used.

use crate::collect::collector::{Collector, Cost, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::Parts;
use crate::collect::walk::{SLICE, walk};
use crate::error::Result;
use serde::Deserialize;
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "sequences",
    cost: Cost::Medium,
    sample_interval_s: 600,
    keeps_interval: false,
    in_runs: InRuns::IfNamed,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["sequence_history"],
    description: "sequences with the share of their values, or of their column's type, that is used",
    of_target: None,
    read: Read::InParts(read),
};

/// Most rows that one sample stores.
const MAX_ROWS: usize = 100;

/// The sequences of a part.
#[derive(Default, Deserialize)]
struct Sequences {
    sequences: Vec<Row>,
}

fn read(_: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let sql = include_str!("sequences.sql").replace("{slice}", SLICE);
    let mut found: Vec<Row> = Vec::new();
    walk(parts, &sql, Vec::new, |part: Sequences| {
        found.extend(part.sequences);
    })?;
    let used = |row: &Row| {
        row.get("used_percent")
            .and_then(Value::as_f64)
            .unwrap_or(0.0)
    };
    found.sort_by(|a, b| used(b).total_cmp(&used(a)));
    let left_out = found.len().saturating_sub(MAX_ROWS);
    found.truncate(MAX_ROWS);
    Ok(Reading {
        note: (left_out > 0)
            .then(|| format!("{left_out} sequences with fewer used values are left out")),
        ..Reading::of("sequence_history", rows::values(found))
    })
}
