//! Metrics of other sizes of shared_buffers.

use crate::show::metric::{Source, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Shared buffers",
    sql: include_str!("metrics/hit_curve.sql"),
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
}];
