//! Metrics of tables and indexes.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Tables and indexes",
    sql: include_str!("metrics/relations.sql"),
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
}];
