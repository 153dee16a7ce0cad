//! Transactions, sessions and trouble, as pg_stat_database counts them.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Source, Table, column, key, line};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "load",
    title: "Load",
    reading: "How much work the database did, and what went wrong; a fall of the rate without a fall of the sessions means that something slowed it down.",
    call: "SELECT * FROM pgperf.database_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Server {
            major: 18,
            figures: "parallel workers",
            of: "totals",
        },
    ],
    tables: &[Table {
        name: "totals",
        title: "In the window",
        collector: "database",
        sql: include_str!("totals.sql"),
        layout: Layout::Figures,
        keys: &[key("database", "database")],
        columns: &[
            column("tps", "commits per second", Kind::Number).higher(),
            column("commits", "commits", Kind::Count),
            column("rollbacks", "rollbacks", Kind::Count).lower(),
            column("sessions", "new sessions", Kind::Count),
            column("backends_max", "sessions at most", Kind::Count),
            column("active", "active sessions, mean", Kind::Number),
            column(
                "idle_in_transaction",
                "sessions idle in a transaction, mean",
                Kind::Number,
            )
            .lower(),
            column("ended", "sessions lost, failed or killed", Kind::Count).lower(),
            column("inserted", "rows inserted", Kind::Count),
            column("updated", "rows updated", Kind::Count),
            column("deleted", "rows deleted", Kind::Count),
            column("fetched", "rows fetched", Kind::Count),
            column("hit_percent", "buffer hits", Kind::Percent).higher(),
            column("read_bytes", "read into shared_buffers", Kind::Bytes).lower(),
            column("temp_files", "temporary files", Kind::Count).lower(),
            column("temp_bytes", "size of temporary files", Kind::Bytes).lower(),
            column("deadlocks", "deadlocks", Kind::Count).lower(),
            column("conflicts", "conflicts with recovery", Kind::Count).lower(),
            column("checksum_failures", "checksum failures", Kind::Count).lower(),
            column("workers_planned", "parallel workers planned", Kind::Count),
            column("workers_launched", "parallel workers launched", Kind::Count),
            column("size_bytes", "size at the end", Kind::Bytes),
            column("growth_bytes", "growth", Kind::Bytes),
            column("seconds", "time with samples", Kind::Seconds),
        ],
        limit: 2,
        note: "New and active sessions are those of clients over a connection: the server does not count the time of background workers, as a run's clients are. Sessions tell what they did once a second at most, and how long a statement was active when it has ended: in a chart, a stretch of seconds may have what was done before it.",
        ..Table::EMPTY
    }],
    charts: &[
        Chart {
            name: "transactions",
            title: "Transactions",
            collector: "database",
            sql: include_str!("transactions.sql"),
            unit: Unit::Count("per second"),
            lines: &[
                line("commits", "commits", 1),
                line("rollbacks", "rollbacks", 2),
                line("all_commits", "commits in all databases", 7),
            ],
            ..Chart::EMPTY
        },
        Chart {
            name: "sessions",
            title: "Sessions",
            collector: "database",
            sql: include_str!("sessions.sql"),
            unit: Unit::Count("sessions"),
            lines: &[
                line("active", "active", 1),
                line("idle_in_transaction", "idle in a transaction", 2),
                line("backends", "connected", 7),
            ],
            note: "of this database; a session reports its time when it becomes idle, and a run's clients do not",
            ..Chart::EMPTY
        },
    ],
    of_targets: &["totals", "transactions", "sessions"],
    nothing: "no transaction was counted",
    ..Section::EMPTY
};
