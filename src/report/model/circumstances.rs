//! The circumstances of a run: its settings, and the server and machine.

use super::Key;
use crate::error::Result;
use crate::pg::sql::spi;
use serde::{Deserialize, Serialize};

/// A row of `pgperf.run_metrics`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figure {
    /// Followed by a dot and the part it covers, if any.
    pub metric: String,
    /// Null: the counters began again in between.
    pub value: Option<f64>,
    pub unit: String,
    /// The better direction, `higher` or `lower`; null: neither by itself.
    pub direction: Option<String>,
    pub category: String,
}

/// A setting of the clients' sessions that was not at its default.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Setting {
    pub name: String,
    pub setting: Option<String>,
    pub unit: Option<String>,
    /// As in pg_settings; `run`: given by the call.
    pub source: String,
    pub default_setting: Option<String>,
}

/// A fact of the server or the machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Environment {
    pub category: String,
    pub name: String,
    /// Null: it could not be read, for the reason in `note`.
    pub value: Option<String>,
    pub unit: Option<String>,
    pub note: Option<String>,
}

pub fn metrics(key: &Key) -> Result<Vec<Figure>> {
    rows(
        key,
        "m.metric, m.value, m.unit, m.direction, m.category FROM pgperf.run_metrics m",
        "m.category, m.metric",
    )
}

pub fn settings(key: &Key) -> Result<Vec<Setting>> {
    rows(
        key,
        "m.name, m.setting, m.unit, m.source, m.default_setting FROM pgperf.run_settings m",
        "m.name",
    )
}

pub fn environment(key: &Key) -> Result<Vec<Environment>> {
    rows(
        key,
        "m.category, m.name, m.value, m.unit, m.note FROM pgperf.run_environment m",
        "pg_catalog.array_position('{server,extension,system,cpu,memory,file system,device}', m.category), m.name",
    )
}

fn rows<T: serde::de::DeserializeOwned>(key: &Key, columns: &str, order: &str) -> Result<Vec<T>> {
    spi::select(
        &format!(
            "SELECT {columns} WHERE m.node_id = $1::pg_catalog.uuid AND m.run_id = $2 ORDER BY {order}"
        ),
        &[key.node_id.into(), key.run_id.into()],
    )
}
