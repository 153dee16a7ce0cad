//! The WAL of the whole server during the run.

use super::samples::{At, Between, Samples, neighbours, rate};
use crate::collect::wal::contents::{self, Manager};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Sessions report their counts at most once a second, and may hold them back longer: over a stretch of this length
/// that is a tenth at most.
const COUNTED_S: f64 = 10.0;

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
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WalRate {
    #[serde(flatten)]
    pub between: Between,
    /// By its position, which is exact; with page headers and alignment.
    pub bytes_per_s: Option<f64>,
}

/// The server's counts in a stretch; null: the counters began again in between.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WalCounts {
    #[serde(flatten)]
    pub between: Between,
    pub records_per_s: Option<f64>,
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

#[derive(Deserialize)]
struct Counters {
    insert_lsn: Option<i64>,
    wal_records: Option<i64>,
    wal_fpi: Option<i64>,
}

pub fn load(samples: &Samples) -> Result<Option<Wal>> {
    let rows = samples.rows::<Counters>(
        "wal_history",
        "(h.insert_lsn - '0/0'::pg_catalog.pg_lsn)::pg_catalog.int8 AS insert_lsn, h.wal_records, h.wal_fpi",
        "true",
    )?;
    let rates = rates(&rows);
    if rates.is_empty() {
        return Ok(None);
    }
    let managers = match (samples.stretches.first(), samples.stretches.last()) {
        (Some(first), Some(last)) => contents::between(
            samples.node_id(),
            (first.sample_id, &first.taken_at),
            (last.sample_id, &last.taken_at),
        )?,
        _ => Vec::new(),
    };
    let all: f64 = managers.iter().map(Manager::bytes).sum();
    Ok(Some(Wal {
        rates,
        counts: counts(&rows),
        sampled_percent: managers.first().map(|manager| manager.sampled_percent),
        resource_managers: (managers.into_iter())
            .map(|manager| ResourceManager::new(manager, all))
            .collect(),
    }))
}

impl ResourceManager {
    fn new(manager: Manager, all_bytes: f64) -> ResourceManager {
        ResourceManager {
            records: manager.records.round() as i64,
            record_bytes: manager.record_bytes.round() as i64,
            fpi_bytes: manager.fpi_bytes.round() as i64,
            bytes_percent: 100.0 * manager.bytes() / all_bytes,
            resource_manager: manager.resource_manager,
        }
    }
}

/// The position continues through restarts and crashes: its differences are always right.
fn rates(rows: &[At<Counters>]) -> Vec<WalRate> {
    neighbours(rows)
        .map(|(before, after)| {
            let between = Between::of(before, after);
            WalRate {
                between,
                bytes_per_s: rate(before.row.insert_lsn, after.row.insert_lsn, between.seconds),
            }
        })
        .collect()
}

/// The rest at the end belongs to the last stretch: the last sample is taken when all clients have ended and reported.
fn counts(rows: &[At<Counters>]) -> Vec<WalCounts> {
    let mut ends: Vec<&At<Counters>> = rows.first().into_iter().collect();
    for row in rows {
        if ends
            .last()
            .is_some_and(|last| row.at_s - last.at_s >= COUNTED_S)
        {
            ends.push(row);
        }
    }
    if let (true, Some(last)) = (ends.len() > 1, rows.last()) {
        ends.pop();
        ends.push(last);
    }
    neighbours(&ends)
        .map(|(before, after)| {
            let between = Between::of(before, after);
            let same = before.epoch == after.epoch;
            let rate = |counter: fn(&Counters) -> Option<i64>| {
                rate(counter(&before.row), counter(&after.row), between.seconds).filter(|_| same)
            };
            WalCounts {
                between,
                records_per_s: rate(|row| row.wal_records),
                full_page_images_per_s: rate(|row| row.wal_fpi),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_s: f64, epoch: i64, wal_records: i64) -> At<Counters> {
        At {
            at_s,
            epoch,
            row: Counters {
                insert_lsn: Some(1_000 * at_s as i64),
                wal_records: Some(wal_records),
                wal_fpi: None,
            },
        }
    }

    #[test]
    fn what_is_told_late_is_told_of_long_stretches_only() {
        // Nothing in one second, twice as much in the next.
        let rows: Vec<_> = (0..=25)
            .map(|s| at(f64::from(s), 1, i64::from(s / 2 * 200)))
            .collect();
        assert!(rates(&rows).iter().all(|r| r.bytes_per_s == Some(1_000.0)));
        let counts_of = |rows: &[At<Counters>]| -> Vec<(f64, Option<f64>)> {
            let counts = counts(rows);
            counts
                .iter()
                .map(|c| (c.between.seconds, c.records_per_s))
                .collect()
        };
        assert_eq!(
            counts_of(&rows),
            [(10.0, Some(100.0)), (15.0, Some(1_400.0 / 15.0))]
        );
        assert_eq!(counts_of(&rows[..9]), []);
        assert_eq!(counts_of(&[]), []);
        assert_eq!(
            counts_of(&[at(0.0, 1, 0), at(20.0, 2, 50)]),
            [(20.0, None)],
            "after a crash"
        );
    }
}
