//! What sessions did over time: database time by statement and by application, and who was connected.

mod collector;

use crate::show::metric::{self, gauge};
use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, code, column, key};
use crate::subject::waits::CLASSES;
pub use collector::COLLECTOR;

/// See the module.
pub const SECTION: Section = Section {
    name: "sessions",
    title: "Database time",
    reading: "Database time is the number of active sessions times the time: the statement with the largest share is where to begin, and its main wait says with what.",
    call: "SELECT * FROM pgperf.session_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC, seen DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[
        Table {
            name: "statements",
            title: "By statement",
            collector: "sessions",
            sql: include_str!("statements.sql"),
            keys: &[
                key("database_name", "database"),
                key("queryid", "queryid"),
                code("query", "statement"),
            ],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("sessions", "sessions", Kind::Number).lower(),
                column("seconds", "time", Kind::Seconds).lower().wide(),
                column("waits", "waits for", Kind::Text),
                column("most", "most at once", Kind::Count).wide(),
                column("longest_s", "longest", Kind::Seconds).lower().wide(),
                column("roles", "roles", Kind::Text).wide(),
            ],
            limit: 20,
            note: "The sampler looks every second. CPU: sessions that did not wait. Who waits for a worker to end (CALL pgperf.run) is left out.",
            ..Table::EMPTY
        },
        Table {
            name: "applications",
            title: "By application",
            collector: "sessions",
            sql: include_str!("applications.sql"),
            keys: &[
                key("application_name", "application"),
                key("role_name", "role"),
                key("database_name", "database"),
            ],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("active", "active", Kind::Number).lower(),
                column("idle_in_transaction", "idle in transaction", Kind::Number).lower(),
                column("connections", "connections", Kind::Number),
                column("connections_max", "at most", Kind::Count),
                column("peak_at", "peak", Kind::Moment).wide(),
                column(
                    "longest_transaction_s",
                    "longest transaction",
                    Kind::Seconds,
                )
                .lower()
                .wide(),
            ],
            limit: 20,
            note: "Share of database time; mean numbers of sessions. Background workers, such as the clients of runs, have no connection.",
            ..Table::EMPTY
        },
    ],
    charts: &[Chart {
        name: "statements_over_time",
        title: "Active sessions",
        collector: "sessions",
        sql: include_str!("over_time.sql"),
        unit: Unit::Count("sessions"),
        lines: CLASSES,
        each: "statement",
        note: "of the statements with most database time",
    }],
    nothing: "no session was seen at work",
    ..Section::EMPTY
};

/// Metrics of sessions.
pub const METRICS: &[metric::Source] = &[
    metric::Source {
        topic: "Sessions over time",
        sql: include_str!("metrics.sql"),
        labels: &["database", "role", "application"],
        families: &[
            gauge(
                "connections",
                "Connections of clients, mean since the sample before. The 50 applications with most",
            ),
            gauge("connections_max", "Most of them at one look"),
            gauge(
                "active_sessions",
                "Those of the application that were active, mean",
            ),
        ],
    },
    metric::Source {
        topic: "Sessions over time",
        sql: include_str!("blocked.sql"),
        labels: &[],
        families: &[gauge(
            "blocked_sessions",
            "Sessions that waited for locks, most at one look since the sample before",
        )],
    },
];
