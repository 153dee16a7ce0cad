//! The WAL of the whole server during the run.

use super::samples::{Between, Samples, rate};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// WAL over time and by resource manager.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wal {
    pub rates: Vec<WalRate>,
    /// Empty: pg_walinspect is not installed.
    pub resource_managers: Vec<ResourceManager>,
    /// The share of the WAL's range that `resource_managers` was read from; null: nothing was.
    pub sampled_percent: Option<f64>,
}

/// What the server wrote in a stretch; null: the counters began again in between.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WalRate {
    #[serde(flatten)]
    pub between: Between,
    pub bytes_per_s: Option<f64>,
    pub records_per_s: Option<f64>,
    pub full_page_images_per_s: Option<f64>,
}

/// What a resource manager wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceManager {
    pub resource_manager: String,
    /// In the part that was read.
    pub records: i64,
    /// Without full-page images.
    pub record_bytes: i64,
    pub fpi_bytes: i64,
    /// Its share of all bytes.
    pub bytes_percent: f64,
}

#[derive(Deserialize)]
struct Counters {
    wal_records: Option<i64>,
    wal_fpi: Option<i64>,
    wal_bytes: Option<i64>,
}

pub fn load(samples: &Samples) -> Result<Option<Wal>> {
    let rows = samples.rows::<Counters>(
        "wal_history",
        "h.wal_records, h.wal_fpi, h.wal_bytes",
        "true",
    )?;
    let rates: Vec<WalRate> = rows
        .windows(2)
        .filter_map(|pair| match pair {
            [before, after] => {
                let between = Between::of(before, after);
                let same = before.epoch == after.epoch;
                let rate = |counter: fn(&Counters) -> Option<i64>| {
                    rate(counter(&before.row), counter(&after.row), between.seconds)
                        .filter(|_| same)
                };
                Some(WalRate {
                    between,
                    bytes_per_s: rate(|row| row.wal_bytes),
                    records_per_s: rate(|row| row.wal_records),
                    full_page_images_per_s: rate(|row| row.wal_fpi),
                })
            }
            _ => None,
        })
        .collect();
    if rates.is_empty() {
        return Ok(None);
    }
    #[derive(Deserialize)]
    struct Row {
        sampled_percent: Option<f64>,
        #[serde(flatten)]
        manager: ResourceManager,
    }
    let managers: Vec<Row> = samples.over_all(
        "SELECT h.resource_manager, pg_catalog.sum(h.records)::pg_catalog.int8 AS records, \
                pg_catalog.sum(h.record_bytes)::pg_catalog.int8 AS record_bytes, pg_catalog.sum(h.fpi_bytes)::pg_catalog.int8 AS fpi_bytes, \
                (100 * pg_catalog.sum(h.record_bytes + h.fpi_bytes) \
                    / NULLIF(pg_catalog.sum(pg_catalog.sum(h.record_bytes + h.fpi_bytes)) OVER (), 0))::pg_catalog.float8 AS bytes_percent, \
                pg_catalog.sum(pg_catalog.sum((h.record_bytes + h.fpi_bytes) * h.sampled_percent)) OVER () \
                    / NULLIF(pg_catalog.sum(pg_catalog.sum(h.record_bytes + h.fpi_bytes)) OVER (), 0)::pg_catalog.float8 AS sampled_percent \
         FROM pgperf.wal_rmgr_history h WHERE {run} \
         GROUP BY 1 HAVING pg_catalog.sum(h.record_bytes + h.fpi_bytes) > 0 ORDER BY 5 DESC, 1",
    )?;
    Ok(Some(Wal {
        rates,
        sampled_percent: managers
            .first()
            .and_then(|row| row.sampled_percent)
            .map(|percent| percent * samples.looked_at_share()),
        resource_managers: managers.into_iter().map(|row| row.manager).collect(),
    }))
}
