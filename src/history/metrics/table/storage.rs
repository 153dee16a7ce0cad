//! Relations, shared buffers, WAL, and how far it is to wraparound.

use super::{Source, counter, gauge};

pub const SOURCES: &[Source] = &[
    Source {
        topic: "Tables and indexes",
        sql: include_str!("../sql/relations.sql"),
        labels: &["schema", "relation", "kind", "table"],
        families: &[
            gauge(
                "relation_size_bytes",
                "Size of the main fork; of the 20 largest tables (with TOAST tables and materialized views) and the 20 largest indexes",
            ),
            gauge("relation_live_rows", "Live rows, estimated by the server"),
            gauge("relation_dead_rows", "Dead rows, estimated by the server"),
            counter("relation_sequential_scans", "Sequential scans"),
            counter("relation_sequential_rows", "Rows read by sequential scans"),
            counter(
                "relation_index_scans",
                "Index scans; of a table, over all its indexes",
            ),
            counter("relation_rows_inserted", "Rows inserted"),
            counter("relation_rows_updated", "Rows updated"),
            counter(
                "relation_rows_hot_updated",
                "Rows updated without new index entries",
            ),
            counter("relation_rows_deleted", "Rows deleted"),
            counter("relation_vacuums", "Manual vacuums"),
            counter("relation_autovacuums", "Vacuums by autovacuum"),
            counter("relation_blocks_hit", "Blocks found in shared_buffers"),
            counter("relation_blocks_read", "Blocks read into shared_buffers"),
            gauge(
                "relation_vacuum_age_seconds",
                "Time since the last vacuum; missing if there was none",
            ),
        ],
    },
    Source {
        topic: "Bloat",
        sql: include_str!("../sql/bloat.sql"),
        labels: &["schema", "relation", "kind"],
        families: &[
            gauge(
                "relation_bloat_bytes",
                "Space that rewriting the relation would give back; of the 20 relations with the most",
            ),
            gauge(
                "relation_bloat_ratio",
                "The same as a share of the relation",
            ),
            gauge(
                "relation_bloat_margin_ratio",
                "Margin of error of that share",
            ),
            gauge(
                "relation_bloat_age_seconds",
                "Time since it was measured: a relation is measured anew when it has changed",
            ),
        ],
    },
    Source {
        topic: "Shared buffers",
        sql: include_str!("../sql/buffers.sql"),
        labels: &["usage_count"],
        families: &[
            gauge(
                "shared_buffers_bytes",
                "Part of shared_buffers with this usage count",
            ),
            gauge("shared_buffers_dirty_bytes", "Dirty part of it"),
            gauge("shared_buffers_pinned", "Pinned buffers among these"),
        ],
    },
    Source {
        topic: "Shared buffers",
        sql: include_str!("../sql/buffers_relations.sql"),
        labels: &["database", "schema", "relation", "kind"],
        families: &[gauge(
            "relation_cached_bytes",
            "Part of the relation in shared_buffers; of the 20 relations with the most",
        )],
    },
    Source {
        topic: "Shared buffers",
        sql: include_str!("../sql/hit_curve.sql"),
        labels: &["shared_buffers_bytes", "times"],
        families: &[
            gauge(
                "hit_curve_ratio",
                "Share of the accessed blocks that would have been found in shared_buffers of this size, `times` the present one, since the sample before; missing where it cannot be said",
            ),
            gauge(
                "hit_curve_low_ratio",
                "Lower bound of its 95 % confidence interval",
            ),
            gauge("hit_curve_high_ratio", "Upper bound of that"),
        ],
    },
    Source {
        topic: "WAL",
        sql: include_str!("../sql/wal.sql"),
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
        sql: include_str!("../sql/archiver.sql"),
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
    Source {
        topic: "Tablespaces",
        sql: include_str!("../sql/tablespaces.sql"),
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
    },
    Source {
        topic: "Checkpoints",
        sql: include_str!("../sql/checkpoints.sql"),
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
    },
    Source {
        topic: "Wraparound",
        sql: include_str!("../sql/wraparound.sql"),
        labels: &["database"],
        families: &[
            gauge(
                "xid_age",
                "Age of the oldest unfrozen transaction id, in transactions",
            ),
            gauge(
                "multixact_age",
                "Age of the oldest multixact, in multixacts",
            ),
            gauge(
                "xid_age_ratio",
                "Share of the distance after which the server takes no more transactions",
            ),
            gauge("multixact_age_ratio", "The same for multixacts"),
            gauge(
                "xid_freeze_max_age",
                "Age at which autovacuum comes in any case",
            ),
        ],
    },
    Source {
        topic: "Wraparound",
        sql: include_str!("../sql/horizon.sql"),
        labels: &["holder_kind"],
        families: &[
            gauge(
                "horizon_age",
                "Transactions since the oldest snapshot of this kind of holder; vacuum keeps rows deleted since. 0: none",
            ),
            gauge(
                "horizon_held_seconds",
                "Time that the oldest holder has lasted",
            ),
        ],
    },
    Source {
        topic: "Replication",
        sql: include_str!("../sql/replication_objects.sql"),
        labels: &["kind"],
        families: &[gauge(
            "replication_objects",
            "Standbys that are connected, slots, and subscriptions of this database; 0: none",
        )],
    },
    Source {
        topic: "Replication",
        sql: include_str!("../sql/replication_status.sql"),
        labels: &["kind", "name", "client", "instance", "database", "status"],
        families: &[gauge(
            "replication_status",
            "State of a slot's WAL (reserved, extended, unreserved, lost), of a standby (startup, catchup, streaming, backup, stopping), or of a subscription (applying, stopped); always 1",
        )],
    },
    Source {
        topic: "Replication",
        sql: include_str!("../sql/replication.sql"),
        labels: &["kind", "name", "client", "instance", "database"],
        families: &[
            gauge(
                "replication_active",
                "Whether the standby, slot or subscription is connected",
            ),
            gauge("replication_sent_lag_bytes", "WAL not yet sent"),
            gauge("replication_flush_lag_bytes", "WAL not yet flushed there"),
            gauge("replication_replay_lag_bytes", "WAL not yet replayed there"),
            gauge(
                "replication_flush_lag_seconds",
                "Time between flushing WAL here and there",
            ),
            gauge(
                "replication_replay_lag_seconds",
                "Time between flushing WAL here and replaying it there",
            ),
            gauge("replication_retained_bytes", "WAL kept for a slot"),
            gauge(
                "replication_safe_wal_bytes",
                "WAL that can be written before a slot loses its WAL",
            ),
            gauge(
                "replication_xmin_age",
                "Transactions since the oldest snapshot that a slot keeps",
            ),
            counter(
                "replication_spill_bytes",
                "Data spilled to disk by logical decoding",
            ),
            counter(
                "replication_apply_errors",
                "Errors while a subscription applied changes",
            ),
        ],
    },
];
