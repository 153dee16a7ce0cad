//! Metrics of databases.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "This database",
        sql: include_str!("metrics/database.sql"),
        labels: &["database"],
        families: &[
            gauge("database_size_bytes", "Size of the database"),
            gauge("database_backends", "Sessions"),
            counter("database_commits", "Transactions committed"),
            counter("database_rollbacks", "Transactions rolled back"),
            counter("database_blocks_hit", "Blocks found in shared_buffers"),
            counter("database_blocks_read", "Blocks read into shared_buffers"),
            counter("database_rows_returned", "Rows read by scans"),
            counter("database_rows_fetched", "Rows fetched by index scans"),
            counter("database_rows_inserted", "Rows inserted"),
            counter("database_rows_updated", "Rows updated"),
            counter("database_rows_deleted", "Rows deleted"),
            counter("database_temp_files", "Temporary files created"),
            counter("database_temp_bytes", "Data written to temporary files"),
            counter("database_deadlocks", "Deadlocks"),
            counter(
                "database_conflicts",
                "Queries cancelled on a standby for conflicts with recovery",
            ),
            counter(
                "database_checksum_failures",
                "Pages whose checksum was wrong",
            ),
            counter(
                "database_read_seconds",
                "Time spent reading blocks, with track_io_timing",
            ),
            counter(
                "database_write_seconds",
                "Time spent writing blocks, with track_io_timing",
            ),
            counter("database_session_seconds", "Time that sessions lasted"),
            counter(
                "database_active_seconds",
                "Time that sessions ran statements",
            ),
            counter(
                "database_idle_in_transaction_seconds",
                "Time that sessions were idle in a transaction",
            ),
            counter("database_sessions", "Sessions begun"),
            counter(
                "database_sessions_abandoned",
                "Sessions ended by a lost connection",
            ),
            counter("database_sessions_fatal", "Sessions ended by a fatal error"),
            counter("database_sessions_killed", "Sessions ended by an operator"),
        ],
    },
    Source {
        topic: "All databases together",
        sql: include_str!("metrics/database.sql"),
        labels: &[],
        families: &[
            gauge("server_backends", "Sessions"),
            counter("server_commits", "Transactions committed"),
            counter("server_rollbacks", "Transactions rolled back"),
            counter("server_blocks_hit", "Blocks found in shared_buffers"),
            counter("server_blocks_read", "Blocks read into shared_buffers"),
            counter("server_temp_bytes", "Data written to temporary files"),
            counter("server_deadlocks", "Deadlocks"),
        ],
    },
];
