//! What measuring cost.

use super::samples::rows;
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::observer::SECTION;
use serde::{Deserialize, Deserializer, Serialize};

/// The cost of the run's samples.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Observer {
    pub samples: i64,
    /// Time that taking and storing them took; one worker at a time.
    pub elapsed_ms: f64,
    /// Of that, time on a CPU; null: not known.
    pub cpu_ms: Option<f64>,
    /// Rows that they wrote to the history.
    pub rows: i64,
    /// Pages that they accessed in shared_buffers, or read.
    pub pages: i64,
    pub wal_bytes: i64,
    pub stretches: Vec<Cost>,
    pub collectors: Vec<CollectorCost>,
}

/// The samples of a stretch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// Seconds since the measured part began, of the last of them.
    pub at_s: f64,
    pub samples: i64,
    pub elapsed_ms: f64,
    pub wal_bytes: i64,
}

/// One collector's part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectorCost {
    pub collector: String,
    /// Samples in which it took part, or should have.
    pub samples: i64,
    #[serde(rename(deserialize = "mean_ms"))]
    pub elapsed_avg_ms: Option<f64>,
    #[serde(rename(deserialize = "longest_ms"))]
    pub elapsed_max_ms: Option<f64>,
    pub rows: Option<i64>,
    /// Samples in which it could not run, or failed.
    #[serde(deserialize_with = "or_none")]
    pub missed: i64,
    /// The reason, the last time.
    pub reason: Option<String>,
}

/// Null is 0.
fn or_none<'de, D: Deserializer<'de>>(missed: D) -> std::result::Result<i64, D::Error> {
    Ok(Option::deserialize(missed)?.unwrap_or(0))
}

/// A row of the section's totals.
#[derive(Deserialize)]
struct Totals {
    samples: i64,
    cpu_s: Option<f64>,
    elapsed_s: f64,
    rows: i64,
    pages: i64,
    wal_bytes: i64,
}

pub fn load(samples: &Samples) -> Result<Option<Observer>> {
    let totals: Vec<Totals> = rows(samples, &SECTION, "totals")?;
    let Some(totals) = totals.into_iter().next() else {
        return Ok(None);
    };
    Ok(Some(Observer {
        samples: totals.samples,
        elapsed_ms: 1_000.0 * totals.elapsed_s,
        cpu_ms: totals.cpu_s.map(|seconds| 1_000.0 * seconds),
        rows: totals.rows,
        pages: totals.pages,
        wal_bytes: totals.wal_bytes,
        stretches: rows(samples, &SECTION, "time")?,
        collectors: rows(samples, &SECTION, "cost")?,
    }))
}
