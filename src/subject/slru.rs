//! The caches of transaction status and the like.

use crate::show::section::{Kind, Layout, Section, Source, Table, column, key};

/// See the module.
pub const SECTION: Section = Section {
    name: "slru",
    title: "SLRU caches",
    reading: "Reads mean that a cache is too small for the load: old transactions (Subtrans), long snapshots, many row locks (MultiXact).",
    call: "SELECT * FROM pgperf.slru_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector("slru")],
    tables: &[Table {
        name: "counts",
        title: "By the whole server",
        collector: "slru",
        sql: include_str!("slru/counts.sql"),
        layout: Layout::Objects,
        each: "",
        keys: &[key("name", "SLRU")],
        columns: &[
            column("hits", "hits", Kind::Count),
            column("reads", "reads", Kind::Count).lower(),
            column("hit_percent", "hit share", Kind::Percent).higher(),
            column("written", "written", Kind::Count),
            column("zeroed", "zeroed", Kind::Count),
            column("looked_up", "looked up", Kind::Count).wide(),
            column("truncates", "truncates", Kind::Count).wide(),
        ],
        limit: 20,
        note: "",
    }],
    charts: &[],
    of_runs: &["counts"],
    nothing: "none was used",
    ..Section::EMPTY
};
