//! Metrics of replication.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[
    Source {
        topic: "Replication",
        sql: include_str!("metrics/replication.sql"),
        labels: &["kind"],
        families: &[gauge(
            "replication_objects",
            "Standbys that are connected, slots, and subscriptions of this database; 0: none",
        )],
    },
    Source {
        topic: "Replication",
        sql: include_str!("metrics/replication.sql"),
        labels: &["kind", "name", "client", "instance", "database", "status"],
        families: &[gauge(
            "replication_status",
            "State of a slot's WAL (reserved, extended, unreserved, lost), of a standby (startup, catchup, streaming, backup, stopping), or of a subscription (applying, stopped); always 1",
        )],
    },
    Source {
        topic: "Replication",
        sql: include_str!("metrics/replication.sql"),
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
