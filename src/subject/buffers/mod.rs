//! The contents of shared_buffers.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{
    Chart, Kind, Layout, Section, Source, Table, area, column, dotted, key, line,
};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "buffers",
    title: "Shared buffers",
    reading: "Pages with a usage count of 3 and more are asked for again and again: the working set is at least that large, and a cache full of them is too small.",
    call: "SELECT * FROM pgperf.working_set()",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Server {
            major: 16,
            figures: "evictions",
            of: "counters",
        },
    ],
    tables: &[
        Table {
            name: "working_set",
            title: "Working set",
            collector: "buffers",
            sql: include_str!("working_set.sql"),
            layout: Layout::Figures,
            keys: &[key("whole", "")],
            columns: &[
                column("all_bytes", "shared_buffers", Kind::Bytes),
                column("used_bytes", "in use", Kind::Bytes),
                column("hot_bytes", "usage count 3 and more", Kind::Bytes),
                column("hot_percent", "the same", Kind::Percent),
                column("cold_percent", "usage count 0 and 1", Kind::Percent),
            ],
            limit: 1,
            ..Table::EMPTY
        },
        Table {
            name: "relations",
            title: "What filled them at the end",
            collector: "buffers",
            sql: include_str!("relations.sql"),
            keys: &[key("relation", "relation"), key("kind", "")],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("size_bytes", "size", Kind::Bytes),
                column("growth_bytes", "growth", Kind::Bytes),
                column("dirty_bytes", "dirty", Kind::Bytes),
                column("usage", "mean usage", Kind::Number),
            ],
            limit: 15,
            note: "Growth since the first sample.",
            ..Table::EMPTY
        },
        Table {
            name: "hit_curve",
            title: "Hit ratio that other sizes would have had, as estimated",
            collector: "hit_curve",
            sql: include_str!("hit_curve.sql"),
            keys: &[key("size", "shared_buffers")],
            columns: &[
                column("hit_percent", "hit ratio", Kind::Percent).higher(),
                column("low_percent", "at least", Kind::Percent),
                column("high_percent", "at most", Kind::Percent),
                column("followed_s", "followed for", Kind::Seconds),
            ],
            limit: 7,
            note: "The first size is the present one, whose ratio was counted. Bounds of 95 %.",
            ..Table::EMPTY
        },
    ],
    charts: &[
        // Colours 10 to 15 are shades of one, for what has an order.
        Chart {
            name: "usage",
            title: "Buffers by usage count",
            collector: "buffers",
            sql: include_str!("usage.sql"),
            unit: Unit::Bytes,
            lines: &[
                area("count_0", "usage count 0", 10),
                area("count_1", "usage count 1", 11),
                area("count_2", "usage count 2", 12),
                area("count_3", "usage count 3", 13),
                area("count_4", "usage count 4", 14),
                area("count_5", "usage count 5", 15),
                dotted("dirty", "dirty", 8),
            ],
            ..Chart::EMPTY
        },
        Chart {
            name: "counters",
            title: "Blocks read and buffers allocated",
            collector: "buffers",
            sql: include_str!("counters.sql"),
            unit: Unit::Count("per second"),
            lines: &[
                line("reads", "blocks read", 1),
                line("allocations", "buffers allocated", 2),
                line("evictions", "evictions", 7),
            ],
            ..Chart::EMPTY
        },
    ],
    of_runs: &["working_set", "relations", "usage", "counters"],
    nothing: "nothing was in shared_buffers",
    ..Section::EMPTY
};
