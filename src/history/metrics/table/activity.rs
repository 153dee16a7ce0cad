//! What the server does: samples, runs, sessions, statements.

use super::{Source, counter, gauge};

pub const SOURCES: &[Source] = &[
    Source {
        topic: "The node",
        sql: include_str!("../sql/node.sql"),
        labels: &["node_id", "name", "database", "host"],
        families: &[gauge("node", "The node whose history this is; always 1")],
    },
    Source {
        topic: "Samples",
        sql: include_str!("../sql/newest.sql"),
        labels: &[],
        families: &[gauge(
            "newest_sample_age_seconds",
            "Time since the newest sample of any collector began, however old it is",
        )],
    },
    Source {
        topic: "Samples",
        sql: include_str!("../sql/collectors.sql"),
        labels: &["collector"],
        families: &[
            gauge(
                "collector_sample_age_seconds",
                "Time since the newest good sample of the collector began; missing if there was none for a day",
            ),
            gauge(
                "collector_interval_seconds",
                "Interval at which the continuous sampler of this database takes the collector; missing if it does not",
            ),
            gauge(
                "collector_elapsed_seconds",
                "Time that the newest sample of the collector took",
            ),
            gauge(
                "collector_rows",
                "Rows that the newest sample of the collector stored",
            ),
        ],
    },
    Source {
        topic: "Samples",
        sql: include_str!("../sql/statuses.sql"),
        labels: &["collector", "status"],
        families: &[gauge(
            "collector_status",
            "The outcome of the collector in its newest sample: ok, skipped (it cannot run here), failed, or incomplete (it goes on, or was broken off); always 1",
        )],
    },
    Source {
        topic: "Live runs",
        sql: include_str!("../sql/runs.sql"),
        labels: &["run_id", "label", "workload", "status"],
        families: &[
            gauge("run_clients", "Clients"),
            gauge("run_elapsed_seconds", "Measured time so far"),
            gauge("run_progress_ratio", "Share of the run that is done"),
            gauge("run_transactions", "Transactions so far"),
            gauge(
                "run_transactions_per_second",
                "Rate of transactions in the newest interval",
            ),
            gauge("run_latency_seconds", "Mean latency in the newest interval"),
            gauge(
                "run_lag_seconds",
                "Mean lag behind the schedule in the newest interval, of a run with a rate",
            ),
            gauge("run_failed", "Failed transactions in the newest interval"),
        ],
    },
    Source {
        topic: "This database",
        sql: include_str!("../sql/database.sql"),
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
        sql: include_str!("../sql/server.sql"),
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
    Source {
        topic: "Sessions and their waits",
        sql: include_str!("../sql/waits.sql"),
        labels: &["backend_type", "state", "wait_event_type", "wait_event"],
        families: &[gauge(
            "sessions",
            "Sessions and processes in this state at the newest look; without an event: not waiting. The 50 most frequent states",
        )],
    },
    Source {
        topic: "Statements",
        sql: include_str!("../sql/statements_all.sql"),
        labels: &[],
        families: &[
            gauge("statements_known", "Statements in pg_stat_statements"),
            counter(
                "statements_evictions",
                "Times that pg_stat_statements evicted its least used statements",
            ),
            counter("statements_calls", "Calls of all statements"),
            counter(
                "statements_execution_seconds",
                "Execution time of all statements",
            ),
            counter(
                "statements_planning_seconds",
                "Planning time of all statements, with pg_stat_statements.track_planning",
            ),
            counter("statements_rows", "Rows of all statements"),
            counter("statements_wal_bytes", "WAL written by all statements"),
        ],
    },
    Source {
        topic: "Statements",
        sql: include_str!("../sql/statements.sql"),
        labels: &["queryid", "role", "database", "toplevel"],
        families: &[
            counter(
                "statement_calls",
                "Calls of a statement; of those called within the hour, the 20 with the most time",
            ),
            counter("statement_execution_seconds", "Execution time"),
            counter(
                "statement_planning_seconds",
                "Planning time, with pg_stat_statements.track_planning",
            ),
            counter("statement_rows", "Rows"),
            counter("statement_blocks_hit", "Blocks found in shared_buffers"),
            counter("statement_blocks_read", "Blocks read into shared_buffers"),
            counter("statement_blocks_dirtied", "Blocks made dirty"),
            counter(
                "statement_temp_bytes",
                "Data read from and written to temporary files",
            ),
            counter("statement_wal_bytes", "WAL written"),
        ],
    },
];
