//! What the samples themselves cost.

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Table, column, key, line};

/// See the module.
pub const SECTION: Section = Section {
    name: "observer",
    title: "The observer's cost",
    reading: "What the figures of this report have cost the server; they are part of those of the whole server.",
    call: "SELECT * FROM pgperf.sample_outcomes WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[],
    tables: &[
        Table {
            name: "totals",
            title: "All samples",
            collector: "",
            sql: include_str!("totals.sql"),
            layout: Layout::Figures,
            keys: &[key("whole", "")],
            columns: &[
                column("samples", "samples", Kind::Count),
                column("cpu_s", "CPU time", Kind::Seconds).lower(),
                column("core_percent", "share of one core", Kind::Percent).lower(),
                column("elapsed_s", "time", Kind::Seconds).lower(),
                column("rows", "rows written", Kind::Count).lower(),
                column("pages", "pages accessed", Kind::Count).lower(),
                column("wal_bytes", "WAL", Kind::Bytes).lower(),
            ],
            limit: 1,
            ..Table::EMPTY
        },
        Table {
            name: "cost",
            title: "By collector",
            collector: "",
            sql: include_str!("cost.sql"),
            keys: &[key("collector", "collector")],
            columns: &[
                column("samples", "samples", Kind::Count),
                column("rows", "rows", Kind::Count).lower(),
                column("mean_ms", "mean", Kind::Milliseconds).lower(),
                column("longest_ms", "longest", Kind::Milliseconds).lower(),
                column("total_s", "together", Kind::Seconds).lower(),
                column("missed", "could not run", Kind::Count)
                    .lower()
                    .wide(),
                column("reason", "why", Kind::Text).wide(),
            ],
            limit: 30,
            ..Table::EMPTY
        },
    ],
    charts: &[Chart {
        name: "time",
        title: "Time that a sample takes",
        collector: "",
        sql: include_str!("time.sql"),
        unit: Unit::Milliseconds,
        lines: &[line("mean_ms", "mean", 8)],
        ..Chart::EMPTY
    }],
    of_runs: &["totals", "cost", "time"],
    nothing: "no samples were taken in this window",
    ..Section::EMPTY
};
