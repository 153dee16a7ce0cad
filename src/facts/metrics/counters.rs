//! The counters whose differences are metrics as they are.

use super::Metric;
use super::ends::Ends;

/// A column whose difference is a metric.
pub struct Counter {
    column: &'static str,
    category: &'static str,
    metric: &'static str,
    unit: &'static str,
    direction: Option<&'static str>,
}

const fn counter(
    column: &'static str,
    category: &'static str,
    metric: &'static str,
    unit: &'static str,
    direction: Option<&'static str>,
) -> Counter {
    Counter {
        column,
        category,
        metric,
        unit,
        direction,
    }
}

pub const LOWER: Option<&str> = Some("lower");
pub const HIGHER: Option<&str> = Some("higher");

/// By history table, which has one row of a kind a sample.
pub const COUNTERS: [(&str, &[Counter]); 4] = [
    (
        "wal_history",
        &[
            counter(
                "wal_buffers_full",
                "wal",
                "wal_buffers_full",
                "times",
                LOWER,
            ),
            counter("wal_write", "wal", "wal_writes", "writes", None),
            counter("wal_sync", "wal", "wal_syncs", "syncs", None),
            counter("wal_sync_time_ms", "wal", "wal_sync_ms", "ms", None),
        ],
    ),
    (
        "database_history",
        &[
            counter(
                "xact_rollback",
                "database",
                "rollbacks",
                "transactions",
                None,
            ),
            counter("temp_files", "database", "temp_files", "files", None),
            counter("temp_bytes", "database", "temp_bytes", "bytes", None),
            counter("deadlocks", "database", "deadlocks", "deadlocks", LOWER),
        ],
    ),
    (
        "checkpoint_history",
        &[
            counter(
                "num_timed",
                "checkpoint",
                "checkpoints_timed",
                "checkpoints",
                None,
            ),
            counter(
                "num_requested",
                "checkpoint",
                "checkpoints_requested",
                "checkpoints",
                None,
            ),
            counter(
                "buffers_written",
                "checkpoint",
                "checkpoint_buffers",
                "buffers",
                None,
            ),
            counter(
                "write_time",
                "checkpoint",
                "checkpoint_write_ms",
                "ms",
                None,
            ),
            counter("sync_time", "checkpoint", "checkpoint_sync_ms", "ms", None),
            counter(
                "buffers_clean",
                "checkpoint",
                "bgwriter_buffers",
                "buffers",
                None,
            ),
            counter(
                "buffers_backend",
                "checkpoint",
                "backend_buffers",
                "buffers",
                None,
            ),
            counter(
                "buffers_backend_fsync",
                "checkpoint",
                "backend_fsyncs",
                "syncs",
                LOWER,
            ),
        ],
    ),
    (
        "host_history",
        &[
            counter(
                "context_switches",
                "host",
                "context_switches",
                "switches",
                None,
            ),
            counter("swap_out_pages", "host", "swap_out_pages", "pages", LOWER),
        ],
    ),
];

impl Counter {
    pub fn metric(&self, ends: &Ends) -> Option<Metric> {
        let value = ends.difference(self.column)?;
        Some(Metric::with(
            self.category,
            self.metric,
            self.unit,
            self.direction,
            value,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_has_a_name_of_its_own() {
        let all = COUNTERS.iter().flat_map(|(_, counters)| counters.iter());
        let mut names: Vec<_> = all.map(|counter| counter.metric).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
