//! The WAL of the whole server during the run.

use super::samples::{Between, rows};
use crate::error::Result;
use crate::show::span::samples::Samples;
use crate::subject::wal::SECTION;
use serde::{Deserialize, Deserializer, Serialize};

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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceManager {
    pub resource_manager: String,
    /// Counts and sizes are estimated for all of the WAL where only a part was read.
    #[serde(deserialize_with = "rounded")]
    pub records: i64,
    /// Without full-page images.
    #[serde(deserialize_with = "rounded")]
    pub record_bytes: i64,
    #[serde(rename(deserialize = "image_bytes"), deserialize_with = "rounded")]
    pub fpi_bytes: i64,
    /// Its share of all bytes.
    #[serde(rename(deserialize = "percent"))]
    pub bytes_percent: f64,
}

fn rounded<'de, D: Deserializer<'de>>(count: D) -> std::result::Result<i64, D::Error> {
    Ok(f64::deserialize(count)?.round() as i64)
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
    let totals: Vec<Totals> = rows(samples, &SECTION, "totals")?;
    Ok(Some(Wal {
        rates,
        counts: rows(samples, &SECTION, "records")?,
        resource_managers: rows(samples, &SECTION, "managers")?,
        sampled_percent: totals.first().and_then(|totals| totals.contents_percent),
    }))
}
