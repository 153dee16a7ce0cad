//! Metrics of bloat.

use crate::show::metric::{Source, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Bloat",
    sql: include_str!("metrics/bloat.sql"),
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
}];
