//! Metrics of shared buffers.

use crate::show::metric::{Source, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "Shared buffers",
        sql: include_str!("metrics/buffers.sql"),
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
        sql: include_str!("metrics/buffers.sql"),
        labels: &["database", "schema", "relation", "kind"],
        families: &[gauge(
            "relation_cached_bytes",
            "Part of the relation in shared_buffers; of the 20 relations with the most",
        )],
    },
];
