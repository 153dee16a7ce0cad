//! Metrics of statements.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "Statements",
        sql: include_str!("metrics/statements_all.sql"),
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
            counter(
                "statements_user_cpu_seconds",
                "CPU time of all statements in user mode, with pg_stat_kcache",
            ),
            counter(
                "statements_system_cpu_seconds",
                "CPU time of all statements in the kernel, with pg_stat_kcache",
            ),
            counter(
                "statements_disk_read_bytes",
                "Data read from devices for all statements, with pg_stat_kcache",
            ),
            counter(
                "statements_disk_written_bytes",
                "Data to be written to devices for all statements, with pg_stat_kcache",
            ),
        ],
    },
    Source {
        topic: "Statements",
        sql: include_str!("metrics/statements.sql"),
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
