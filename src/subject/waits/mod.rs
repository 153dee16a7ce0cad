//! What sessions waited for.

mod collector;
mod lock_collector;
mod metrics;
mod profile_collector;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Line, Section, Source, Table, area, column, key};
pub use collector::COLLECTOR;
pub use lock_collector::COLLECTOR as LOCKS;
pub use metrics::{LOCK_METRICS, METRICS};
pub use profile_collector::{
    COLLECTOR as PROFILE, EXTENSION as PROFILER, probe_sql as profile_probe_sql,
};

/// See the module.
pub const SECTION: Section = Section {
    name: "waits",
    title: "Waits",
    reading: "Shares of database time, which is the number of active sessions times the time: what has the largest share slows the sessions down most.",
    call: "SELECT * FROM pgperf.wait_rates WHERE node_id = pgperf.local_node() AND source = 'activity' ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Server {
            major: 19,
            figures: "long waits by type of lock",
            of: "locks",
        },
    ],
    tables: &[
        Table {
            name: "run_clients",
            title: "Clients of runs",
            collector: "",
            sql: include_str!("run_clients.sql"),
            keys: &[key("kind", "type"), key("event", "wait event")],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("sessions", "sessions", Kind::Number).lower(),
            ],
            limit: 20,
            note: "Observed every 10 ms.",
            ..Table::EMPTY
        },
        Table {
            name: "events",
            title: "Database time",
            collector: "waits",
            sql: include_str!("events.sql"),
            keys: &[key("kind", "type"), key("event", "wait event")],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("sessions", "sessions", Kind::Number).lower(),
                column("seconds", "time", Kind::Seconds).lower(),
            ],
            limit: 20,
            note: "Each sample looks once. CPU: sessions that did not wait. Who waits for a worker to end (CALL pgperf.run) is left out.",
            ..Table::EMPTY
        },
        Table {
            name: "profile",
            title: "Waits, as pg_wait_sampling counted them",
            collector: "wait_profile",
            sql: include_str!("profile.sql"),
            keys: &[key("kind", "type"), key("event", "wait event")],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("sessions", "sessions", Kind::Number).lower(),
                column("seconds", "time", Kind::Seconds).lower(),
            ],
            limit: 20,
            note: "Of all processes, a hundred times a second by default. What waits outside of a statement for its client, a time or an extension is left out.",
            ..Table::EMPTY
        },
        Table {
            name: "clients",
            title: "Sessions that wait for their client (ClientRead), apart",
            collector: "waits",
            sql: include_str!("clients.sql"),
            keys: &[key("state", "state")],
            columns: &[
                column("sessions", "sessions", Kind::Number),
                column("most", "most", Kind::Count),
            ],
            limit: 10,
            ..Table::EMPTY
        },
        Table {
            name: "locks",
            title: "Waits for locks that were longer than deadlock_timeout",
            collector: "locks",
            sql: include_str!("locks.sql"),
            keys: &[key("lock_type", "lock")],
            columns: &[
                column("waits", "waits", Kind::Count).lower(),
                column("wait_s", "waited", Kind::Seconds).lower(),
                column("mean_s", "mean", Kind::Seconds).lower(),
                column("past_fast_path", "past the fast path", Kind::Count)
                    .lower()
                    .wide(),
            ],
            limit: 15,
            note: "Only those that ended with the lock are counted. Past the fast path: locks of relations that went through the lock table that all sessions share; max_locks_per_transaction also sets how many have room.",
            ..Table::EMPTY
        },
    ],
    charts: &[Chart {
        name: "over_time",
        title: "Active sessions by what they waited for",
        collector: "waits",
        sql: include_str!("over_time.sql"),
        unit: Unit::Count("sessions"),
        lines: CLASSES,
        ..Chart::EMPTY
    }],
    of_runs: &["run_clients", "locks"],
    of_monitors: &["events", "over_time"],
    of_targets: &[],
    nothing: "no session was seen active or waiting",
};

/// Active sessions by what they wait for, on top of one another.
pub const CLASSES: &[Line] = &[
    area("cpu", "CPU", 3),
    area("io", "IO", 1),
    area("lock", "Lock", 2),
    area("lwlock", "LWLock", 6),
    area("other", "others", 7),
];
