//! Metrics of the WAL and its archive.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "WAL",
        sql: include_str!("metrics/wal.sql"),
        labels: &[],
        families: &[
            counter(
                "wal_position_bytes",
                "Position in the WAL at which the server inserts",
            ),
            counter("wal_records", "WAL records"),
            counter("wal_page_images", "Full-page images"),
            counter("wal_bytes", "WAL generated"),
            counter(
                "wal_buffers_full",
                "Times that WAL was written because wal_buffers was full",
            ),
            counter("wal_writes", "Writes of WAL"),
            counter("wal_syncs", "Syncs of WAL"),
            counter(
                "wal_write_seconds",
                "Time spent writing WAL, with track_wal_io_timing",
            ),
            counter(
                "wal_sync_seconds",
                "Time spent syncing WAL, with track_wal_io_timing",
            ),
            counter(
                "transaction_ids",
                "The next transaction id, which counts all that were given out",
            ),
            gauge(
                "wal_since_checkpoint_bytes",
                "WAL since the redo position of the newest checkpoint",
            ),
        ],
    },
    Source {
        topic: "WAL",
        sql: include_str!("metrics/archiver.sql"),
        labels: &[],
        families: &[
            counter("wal_archived_files", "Files of WAL archived"),
            counter("wal_archive_failures", "Attempts to archive that failed"),
            gauge(
                "wal_archive_waiting_files",
                "Files of WAL that wait to be archived",
            ),
            gauge(
                "wal_archive_wait_seconds",
                "How long the oldest of them has waited",
            ),
            gauge(
                "wal_archive_behind_bytes",
                "WAL since the end of the file archived last",
            ),
        ],
    },
];
