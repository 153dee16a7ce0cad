//! Waits of more than deadlock_timeout for heavyweight locks, by type of lock: pg_stat_lock.

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, ReportTable, Scope,
};
use crate::collect::rows;
use crate::error::Result;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "locks",
    cost: Cost::Light,
    sample_interval_s: 60,
    keeps_interval: false,
    in_runs: InRuns::Ends,
    in_visits: InVisits::Never,
    since_major: Some(19),
    needs: None,
    watches_clients: false,
    report: Some(ReportTable {
        title: "Waits for locks",
        history_table: "lock_history",
        object: ("lock_type", "lock"),
        counters: &[
            ("waits", "long waits"),
            ("wait_time", "ms"),
            ("fastpath_exceeded", "past the fast path"),
        ],
    }),
    history_tables: &["lock_history"],
    description: "waits for locks that were longer than deadlock_timeout, by type of lock, and locks for which the fast path had no room",
    of_target: None,
    read: Read::AtOnce(read),
};

fn read(_: &Scope) -> Result<Reading> {
    let locks = rows::select(
        "SELECT l.locktype AS lock_type, l.waits, l.wait_time, l.fastpath_exceeded, l.stats_reset FROM pg_catalog.pg_stat_lock l",
        &[],
    )?;
    Ok(Reading::of("lock_history", rows::values(locks)))
}
