//! Metrics of sessions and their waits.

use crate::show::metric::{Source, counter, gauge};

/// See the module.
pub const METRICS: &[Source] = &[Source {
    topic: "Sessions and their waits",
    sql: include_str!("metrics/waits.sql"),
    labels: &["backend_type", "state", "wait_event_type", "wait_event"],
    families: &[gauge(
        "sessions",
        "Sessions and processes in this state at the newest look; without an event: not waiting. The 50 most frequent states",
    )],
}];

/// Those of waits for locks.
pub const LOCK_METRICS: &[Source] = &[Source {
    topic: "Waits for locks",
    sql: include_str!("metrics/locks.sql"),
    labels: &["lock"],
    families: &[
        counter(
            "lock_waits",
            "Waits for locks that were longer than deadlock_timeout; PostgreSQL 19",
        ),
        counter("lock_wait_seconds", "Their time"),
        counter(
            "lock_fastpath_exceeded",
            "Locks for which the fast path of their session had no room",
        ),
    ],
}];
