//! Metrics of I/O.

use crate::show::metric::{Source, counter};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "I/O",
    sql: include_str!("metrics/io.sql"),
    labels: &["backend_type", "object", "context"],
    families: &[
        counter("io_reads", "Reads"),
        counter("io_read_bytes", "Data read"),
        counter(
            "io_read_seconds",
            "Time spent reading, with track_io_timing",
        ),
        counter("io_writes", "Writes"),
        counter("io_write_bytes", "Data written"),
        counter(
            "io_write_seconds",
            "Time spent writing, with track_io_timing",
        ),
        counter("io_extends", "Extensions of relations"),
        counter("io_extend_bytes", "Data added by extending relations"),
        counter(
            "io_extend_seconds",
            "Time spent extending relations, with track_io_timing",
        ),
        counter("io_hits", "Blocks found in a cache"),
        counter(
            "io_evictions",
            "Blocks evicted for another use of their buffer",
        ),
        counter("io_reuses", "Buffers of a ring used again"),
        counter("io_fsyncs", "Syncs"),
        counter(
            "io_fsync_seconds",
            "Time spent syncing, with track_io_timing",
        ),
    ],
}];
