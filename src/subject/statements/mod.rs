//! The statements that took most of the time, and of what else.

mod collector;
mod metrics;

use crate::show::section::{Kind, Layout, Section, Source, Table, code, column, key};
pub use collector::{COLLECTOR, KERNEL, kernel_probe_sql};
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "statements",
    title: "Statements",
    reading: "A statement that is first in several lists is the one to look at; one that was at the top in all windows before is the usual load.",
    call: "SELECT * FROM pgperf.statement_rates WHERE node_id = pgperf.local_node() AND queryid = ... ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Setting {
            name: "track_io_timing",
            figures: "times of reads",
            of: "top",
        },
        Source::Setting {
            name: "pg_stat_statements.track_planning",
            figures: "times of planning",
            of: "top",
        },
    ],
    tables: &[
        Table {
            name: "top",
            title: "Statements",
            collector: "statements",
            sql: include_str!("top.sql"),
            layout: Layout::Objects,
            each: "list",
            keys: &[code("query", "statement"), key("database_name", "database")],
            columns: &[
                column("percent", "share", Kind::Percent),
                column("exec_s", "time", Kind::Seconds).lower(),
                column("cpu_s", "CPU", Kind::Seconds).lower(),
                column("calls", "calls", Kind::Count),
                column("mean_ms", "mean", Kind::Milliseconds).lower(),
                column("read_bytes", "read", Kind::Bytes).lower(),
                column("disk_read_bytes", "from disk", Kind::Bytes).lower(),
                column("read_ms", "reading", Kind::Milliseconds)
                    .lower()
                    .wide(),
                column("wal_bytes", "WAL", Kind::Bytes).lower(),
                column("temp_bytes", "temporary", Kind::Bytes).lower(),
                column("jit_ms", "JIT", Kind::Milliseconds).lower(),
                column("plan_ms", "planning", Kind::Milliseconds).lower(),
                column("plans", "plans", Kind::Count).wide(),
                column("rows", "rows", Kind::Count).wide(),
                column("hit_percent", "hits", Kind::Percent).higher().wide(),
                column("at_top", "at the top before", Kind::Text).wide(),
                column("queryid", "queryid", Kind::Text).wide(),
            ],
            limit: 100,
            note: "",
        },
        Table {
            name: "kept",
            title: "Not all statements are known",
            collector: "statements",
            sql: include_str!("kept.sql"),
            layout: Layout::Figures,
            each: "",
            keys: &[key("whole", "")],
            columns: &[
                column("statements", "statements known at the end", Kind::Count),
                column("evictions", "evictions", Kind::Count).lower(),
                column("left_out", "left out of a sample at most", Kind::Count).lower(),
            ],
            limit: 1,
            note: "Each eviction removes the twentieth of the statements that is used least, with what they counted since the sample before: pg_stat_statements.max is too low.",
        },
    ],
    charts: &[],
    nothing: "no statement was called",
    ..Section::EMPTY
};
