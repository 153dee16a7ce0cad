//! Sequences that come near their end.

mod collector;

use crate::show::metric::{self, gauge};
use crate::show::section::{Kind, Section, Source, Table, column, key};
pub use collector::COLLECTOR;

/// See the module.
pub const SECTION: Section = Section {
    name: "sequences",
    title: "Sequences",
    reading: "At its limit a sequence, or the type of its column, refuses the next row: change the type long before.",
    call: "SELECT * FROM pgperf.sequence_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC, used_percent DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[Table {
        name: "used",
        title: "Most of their values used",
        collector: "sequences",
        sql: include_str!("used.sql"),
        keys: &[key("sequence", "sequence"), key("used_by", "column")],
        columns: &[
            column("used_percent", "used", Kind::Percent).lower().bar(2),
            column("left_s", "left", Kind::Seconds).higher(),
            column("per_day", "values a day", Kind::Number).wide(),
            column("last_value", "last value", Kind::Count).wide(),
            column("limit_value", "limit", Kind::Count).wide(),
        ],
        limit: 20,
        note: "Left: at the rate of the window, of a day at least as far as samples reach.",
        ..Table::EMPTY
    }],
    nothing: "no sequence has used 1 % of its values",
    ..Section::EMPTY
};

/// Its metrics.
pub const METRICS: &[metric::Source] = &[metric::Source {
    topic: "Sequences",
    sql: include_str!("metrics.sql"),
    labels: &["schema", "sequence"],
    families: &[gauge(
        "sequence_used_ratio",
        "Share of the values that are used, of the sequence or of its column's type, whichever is more. The 50 sequences with most",
    )],
}];
