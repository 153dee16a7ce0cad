//! Tablespaces, and how long the room on their file systems lasts.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, column, key, line};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "tablespaces",
    title: "Tablespaces and file systems",
    reading: "A file system may fill by other programs too: where its room falls faster than tablespaces and WAL grow, look for these.",
    call: "SELECT * FROM pgperf.tablespace_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[
        Table {
            name: "file_systems",
            title: "File systems at the end",
            collector: "tablespaces",
            sql: include_str!("file_systems.sql"),
            keys: &[key("holds", "holds")],
            columns: &[
                column("free_bytes", "free", Kind::Bytes).higher(),
                column("free_percent", "share", Kind::Percent).higher(),
                column("lost_bytes", "less than before", Kind::Bytes).lower(),
                column("left_s", "full in", Kind::Seconds).higher(),
                column("total_bytes", "size", Kind::Bytes).wide(),
                column("server_bytes", "in these", Kind::Bytes)
                    .lower()
                    .wide(),
            ],
            limit: 20,
            note: "Full in: at the rate of the window, if it is at least half an hour long.",
            ..Table::EMPTY
        },
        Table {
            name: "sizes",
            title: "Tablespaces and WAL at the end",
            collector: "tablespaces",
            sql: include_str!("sizes.sql"),
            keys: &[key("name", "name")],
            columns: &[
                column("size_bytes", "size", Kind::Bytes),
                column("growth_bytes", "growth", Kind::Bytes).lower(),
                column("most_bytes", "at most", Kind::Bytes).lower(),
                column("location", "location", Kind::Text).wide(),
            ],
            limit: 30,
            ..Table::EMPTY
        },
    ],
    charts: &[
        Chart {
            name: "free",
            title: "Free on the file system",
            collector: "tablespaces",
            sql: include_str!("free.sql"),
            unit: Unit::Bytes,
            lines: &[line("free", "free", 3)],
            each: "object",
            ..Chart::EMPTY
        },
        Chart {
            name: "growth",
            title: "Size of the tablespace or of the WAL",
            collector: "tablespaces",
            sql: include_str!("growth.sql"),
            unit: Unit::Bytes,
            lines: &[line("size", "size", 1)],
            each: "object",
            ..Chart::EMPTY
        },
    ],
    nothing: "no size is known",
    ..Section::EMPTY
};
