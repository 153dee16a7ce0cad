//! The counters whose differences are metrics as they are.

use super::Metric;
use super::ends::Ends;

/// A column whose difference is a metric, and the metric's name.
pub type Counter = (&'static str, &'static str);

/// By history table, which has one row of a kind a sample.
pub const COUNTERS: [(&str, &[Counter]); 4] = [
    (
        "wal_history",
        &[
            ("wal_buffers_full", "wal_buffers_full"),
            ("wal_write", "wal_writes"),
            ("wal_sync", "wal_syncs"),
            ("wal_sync_time_ms", "wal_sync_ms"),
        ],
    ),
    (
        "database_history",
        &[
            ("xact_rollback", "rollbacks"),
            ("temp_files", "temp_files"),
            ("temp_bytes", "temp_bytes"),
            ("deadlocks", "deadlocks"),
        ],
    ),
    (
        "checkpoint_history",
        &[
            ("num_timed", "checkpoints_timed"),
            ("num_requested", "checkpoints_requested"),
            ("buffers_written", "checkpoint_buffers"),
            ("write_time", "checkpoint_write_ms"),
            ("sync_time", "checkpoint_sync_ms"),
            ("buffers_clean", "bgwriter_buffers"),
            ("buffers_backend", "backend_buffers"),
            ("buffers_backend_fsync", "backend_fsyncs"),
        ],
    ),
    (
        "host_history",
        &[
            ("context_switches", "context_switches"),
            ("swap_out_pages", "swap_out_pages"),
        ],
    ),
];

/// What a counter came to; None: this server has none.
pub fn of_counter(ends: &Ends, (column, metric): &Counter) -> Option<Metric> {
    Some(Metric::new(metric, ends.difference(column)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::metrics::{Source, named};

    #[test]
    fn each_counter_is_in_the_table_of_metrics() {
        let all = COUNTERS.iter().flat_map(|(_, counters)| counters.iter());
        let mut names: Vec<_> = all.map(|(_, metric)| metric).collect();
        assert!(
            names
                .iter()
                .all(|name| named(Source::Facts, name).is_some())
        );
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
