//! The WAL of the whole server during the run.

use super::samples::{Between, rows};
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::wal::SECTION;
use serde::{Deserialize, Serialize};

/// WAL over time and by resource manager, of the whole server: pgperf's own is part of it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wal {
    pub rates: Vec<WalRate>,
    /// Over stretches of ten seconds at least, since the server learns these counts late; empty: the run was shorter.
    pub counts: Vec<WalCounts>,
    /// Of the WAL between the run's first and last sample. Empty: it was not read, because pg_walinspect is not installed.
    pub resource_managers: Vec<ResourceManager>,
    /// The share of the WAL's range that was read for `resource_managers`; null: nothing was read.
    pub sampled_percent: Option<f64>,
}

/// The growth of the WAL in a stretch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WalRate {
    #[serde(flatten)]
    pub between: Between,
    /// By its position, which is exact; with page headers and alignment.
    pub bytes_per_s: Option<f64>,
}

/// The server's counts in a stretch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WalCounts {
    #[serde(flatten)]
    pub between: Between,
    #[serde(rename(deserialize = "records"))]
    pub records_per_s: Option<f64>,
    #[serde(rename(deserialize = "images"))]
    pub full_page_images_per_s: Option<f64>,
}

/// The WAL of a resource manager.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceManager {
    pub resource_manager: String,
    /// Counts and sizes are estimated for all of the WAL where only a part was read.
    pub records: i64,
    /// Without full-page images.
    pub record_bytes: i64,
    pub fpi_bytes: i64,
    /// Its share of all bytes.
    pub bytes_percent: f64,
}

/// A row of the section's table.
#[derive(Deserialize)]
struct Manager {
    resource_manager: String,
    records: f64,
    record_bytes: f64,
    image_bytes: f64,
    percent: f64,
}

#[derive(Deserialize)]
struct Totals {
    contents_percent: Option<f64>,
}

pub fn load(samples: &Samples) -> Result<Option<Wal>> {
    let rates: Vec<WalRate> = rows(samples, &SECTION, "volume")?;
    if rates.is_empty() {
        return Ok(None);
    }
    let managers: Vec<Manager> = rows(samples, &SECTION, "managers")?;
    let totals: Vec<Totals> = rows(samples, &SECTION, "totals")?;
    Ok(Some(Wal {
        rates,
        counts: rows(samples, &SECTION, "records")?,
        resource_managers: (managers.into_iter())
            .map(|manager| ResourceManager {
                resource_manager: manager.resource_manager,
                records: manager.records.round() as i64,
                record_bytes: manager.record_bytes.round() as i64,
                fpi_bytes: manager.image_bytes.round() as i64,
                bytes_percent: manager.percent,
            })
            .collect(),
        sampled_percent: totals.first().and_then(|totals| totals.contents_percent),
    }))
}
