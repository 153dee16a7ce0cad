//! Metrics of tablespaces.

use crate::show::metric::{Source, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Tablespaces",
    sql: include_str!("metrics/tablespaces.sql"),
    labels: &["tablespace", "file_system"],
    families: &[
        gauge(
            "tablespace_size_bytes",
            "Size of the files of the tablespace, or of pg_wal",
        ),
        gauge(
            "tablespace_free_bytes",
            "Room on its file system; the same for all on one file_system",
        ),
        gauge("tablespace_file_system_bytes", "Size of its file system"),
    ],
}];
