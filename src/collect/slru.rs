//! The caches of transaction status and the like (SLRUs), which shared_buffers does not hold: pg_stat_slru.

use super::collector::{Collector, Cost, InRuns, Read, Reading, ReportTable, Scope};
use super::rows;
use crate::error::Result;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "slru",
    cost: Cost::Light,
    sample_interval_s: 60,
    in_runs: InRuns::Ends,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: Some(ReportTable {
        title: "SLRU caches",
        history_table: "slru_history",
        object: ("name", "SLRU"),
        counters: &[
            ("blks_hit", "hits"),
            ("blks_read", "read"),
            ("blks_written", "written"),
            ("blks_zeroed", "zeroed"),
            ("blks_exists", "looked up"),
            ("truncates", "truncates"),
        ],
    }),
    history_tables: &["slru_history"],
    description: "hits, reads and writes of the caches of transaction status, subtransactions, multixacts and notifications",
    read: Read::AtOnce(read),
};

fn read(_: &Scope) -> Result<Reading> {
    let slrus = rows::select(
        "SELECT s.name, s.blks_zeroed, s.blks_hit, s.blks_read, s.blks_written, s.blks_exists, s.flushes, s.truncates, \
                s.stats_reset \
         FROM pg_catalog.pg_stat_slru s",
        &[],
    )?;
    Ok(Reading::of("slru_history", rows::values(slrus)))
}
