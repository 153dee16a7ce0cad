//! Metrics of checkpoints.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Checkpoints",
    sql: include_str!("metrics/checkpoints.sql"),
    labels: &[],
    families: &[
        counter(
            "checkpoints_timed",
            "Checkpoints because of checkpoint_timeout",
        ),
        counter(
            "checkpoints_requested",
            "Checkpoints for any other reason, such as max_wal_size",
        ),
        counter("checkpoints_done", "Checkpoints completed; PostgreSQL 18"),
        counter(
            "restartpoints_done",
            "Restartpoints completed on a standby; PostgreSQL 17",
        ),
        counter(
            "checkpoint_write_seconds",
            "Time spent in the writing phase of checkpoints",
        ),
        counter(
            "checkpoint_sync_seconds",
            "Time spent in the syncing phase of checkpoints",
        ),
        counter("checkpoint_written_bytes", "Data written by checkpoints"),
        counter(
            "background_writer_written_bytes",
            "Data written by the background writer",
        ),
        counter(
            "background_writer_stops",
            "Times that the background writer stopped at bgwriter_lru_maxpages",
        ),
        counter(
            "backends_written_bytes",
            "Data written by backends themselves; before PostgreSQL 17",
        ),
        counter("buffers_allocated", "Buffers allocated"),
        gauge(
            "checkpoint_in_progress",
            "Whether a checkpoint was being written",
        ),
        gauge(
            "checkpoint_age_seconds",
            "Time from the newest checkpoint to the sample",
        ),
    ],
}];
