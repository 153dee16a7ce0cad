//! Metrics of transaction ids and the horizon.

use crate::show::metric::{Source, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "Wraparound",
        sql: include_str!("metrics/wraparound.sql"),
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
        sql: include_str!("metrics/horizon.sql"),
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
];
