//! The samples of a run in its document: the rows of the sections' tables and charts, under the document's names.

use crate::error::{Result, invalid};
use crate::show::section::Section;
use crate::show::span::samples::Samples;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A stretch between two samples.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Between {
    /// Seconds since the measured part began; below 0: before it.
    pub at_s: f64,
    pub seconds: f64,
}

/// The rows of a table or chart of a section.
pub fn rows<T: DeserializeOwned>(
    samples: &Samples,
    section: &Section,
    name: &str,
) -> Result<Vec<T>> {
    let source = section.source_of(name);
    let (sql, collector) =
        source.ok_or_else(|| invalid(format!("section {} has no \"{name}\"", section.name)))?;
    select(samples, sql, Some(collector))
}

/// The rows of a statement of that kind. Their times, `at_s`, count from the start of the measured part.
pub fn select<T: DeserializeOwned>(
    samples: &Samples,
    sql: &str,
    collector: Option<&str>,
) -> Result<Vec<T>> {
    let rows: Vec<Map<String, Value>> = samples.select(sql, collector)?;
    let zero_s = samples.span.zero_s();
    let shifted = rows.into_iter().map(|mut row| {
        if let Some(at_s) = row.get_mut("at_s") {
            *at_s = json!(at_s.as_f64().map(|at_s| at_s - zero_s));
        }
        serde_json::from_value(Value::Object(row))
    });
    Ok(shifted.collect::<std::result::Result<_, _>>()?)
}
