//! Tables and their TOAST tables: growth, writes, dead rows, scans, vacuums, bloat.

mod autovacuum;
mod collector;
mod metrics;

use super::bloat;
use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, column, key, line};
pub use autovacuum::COLLECTOR as AUTOVACUUM;
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// The list of the relations that grew most, as the SQL of the table `activity` names it.
pub const GROWTH: &str = "Growth";

/// Charts of the largest relations that were measured.
const OF_BLOAT: Chart = Chart {
    name: "",
    title: "",
    collector: "bloat",
    sql: include_str!("bloat_over_time.sql"),
    unit: Unit::Percent,
    lines: &[],
    each: "object",
    ..Chart::EMPTY
};

/// See the module.
pub const SECTION: Section = Section {
    name: "tables",
    title: "Tables",
    reading: "Dead rows that stay although a table is vacuumed are held back by something: the last table here names it.",
    call: "SELECT * FROM pgperf.relation_rates WHERE node_id = pgperf.local_node() AND relation_name = '...' ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Collector(&bloat::COLLECTOR),
        Source::Server {
            major: 19,
            figures: "the scores by which autovacuum chooses",
            of: "next",
        },
    ],
    tables: &[
        Table {
            name: "activity",
            title: "Tables",
            collector: "tables",
            sql: include_str!("activity.sql"),
            each: "list",
            keys: &[key("relation", "relation"), key("kind", "")],
            columns: &[
                column("size_bytes", "size", Kind::Bytes),
                column("growth_bytes", "growth", Kind::Bytes).lower(),
                column("inserted", "inserted", Kind::Count),
                column("updated", "updated", Kind::Count),
                column("deleted", "deleted", Kind::Count),
                column("hot_percent", "HOT", Kind::Percent).higher(),
                column("seq_rows", "rows read", Kind::Count).lower(),
                column("seq_scans", "scans", Kind::Count).lower(),
                column("index_scans", "index scans", Kind::Count),
                column("read_bytes", "read", Kind::Bytes).lower(),
                column("hit_percent", "hits", Kind::Percent).higher(),
                column("dead", "dead rows", Kind::Count).lower(),
                column("dead_percent", "dead share", Kind::Percent).lower(),
                column("autovacuums", "autovacuums", Kind::Count),
                column("vacuums", "vacuums", Kind::Count),
                column("analyzes", "analyzes", Kind::Count),
                column("vacuumed_at", "last vacuum", Kind::Moment).wide(),
            ],
            limit: 60,
            ..Table::EMPTY
        },
        Table {
            name: "bloat",
            title: "Bloat, as last measured",
            collector: "bloat",
            sql: include_str!("bloat.sql"),
            keys: &[key("relation", "relation"), key("kind", "")],
            columns: &[
                column("bloat_bytes", "bloat", Kind::Bytes).lower(),
                column("bloat_percent", "share", Kind::Percent).lower(),
                column("margin_percent", "+-", Kind::Percent),
                column("growth_bytes", "growth", Kind::Bytes).lower(),
                column("size_bytes", "size", Kind::Bytes),
                column("dead_percent", "dead", Kind::Percent).lower().wide(),
                column("free_percent", "free", Kind::Percent).wide(),
                column("measured_at", "measured", Kind::Moment).wide(),
            ],
            limit: 15,
            note: "Bytes that a rewrite would free; growth since the last measurement before the window.",
            ..Table::EMPTY
        },
        Table {
            name: "holders",
            title: "Held back vacuum",
            collector: "wraparound",
            sql: include_str!("holders.sql"),
            keys: &[key("holder", "holder"), key("detail", "")],
            columns: &[
                column("age", "transactions", Kind::Count).lower(),
                column("held_s", "for", Kind::Seconds).lower(),
                column("since", "since", Kind::Moment).wide(),
                column("seen_at", "last seen", Kind::Moment).wide(),
            ],
            limit: 10,
            ..Table::EMPTY
        },
        Table {
            name: "next",
            title: "What autovacuum takes next, at the end of the window",
            collector: "autovacuum",
            sql: include_str!("next.sql"),
            keys: &[key("relation", "relation"), key("why", "why")],
            columns: &[
                column("score", "score", Kind::Number).lower(),
                column("most", "highest", Kind::Number).lower(),
                column("due_percent", "due", Kind::Percent).lower(),
                column("next", "next", Kind::Text),
            ],
            limit: 15,
            note: "In this order, from a score of 1 on: a threshold is reached. Due: in which share of the samples it was. A table that is due in all of them waits for a worker.",
            ..Table::EMPTY
        },
    ],
    charts: &[
        Chart {
            name: "sizes",
            title: "Size",
            unit: Unit::Bytes,
            lines: &[line("size", "size", 1)],
            ..OF_BLOAT
        },
        Chart {
            name: "bloat_over_time",
            title: "Bloat",
            unit: Unit::Percent,
            lines: &[line("bloat", "bloat", 2)],
            ..OF_BLOAT
        },
    ],
    of_runs: &["sizes", "bloat_over_time"],
    nothing: "no table changed",
    ..Section::EMPTY
};
