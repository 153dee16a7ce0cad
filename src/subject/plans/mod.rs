//! Plans of the statements that take most of the time, and what changed them.

mod candidate;
mod collector;

use crate::show::section::{Kind, Section, Source, Table, code, column, key};
pub use candidate::{HYPOTHETICAL, PREDICATES, hypothetical_probe_sql, predicates_probe_sql};
pub use collector::COLLECTOR;

/// The indexes that plans lack, for the SQL that proposes them: what stands for them there, and their text.
pub const INDEX_CANDIDATES: (&str, &str) = (
    "{index candidates}",
    include_str!("index_candidates.sql").trim_ascii_end(),
);

/// See the module.
pub const SECTION: Section = Section {
    name: "plans",
    title: "Plans",
    reading: "A plan that is another one since a statement became slower is the cause, or a consequence of the same cause.",
    call: "SELECT * FROM pgperf.statement_plans WHERE node_id = pgperf.local_node() AND queryid = ... ORDER BY first_seen_at",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[
        Table {
            name: "changed",
            title: "Plans that changed",
            collector: "plans",
            sql: include_str!("changed.sql"),
            keys: &[
                code("query", "statement"),
                key("database_name", "database"),
                key("role_name", "role"),
            ],
            columns: &[
                column("mean_before", "before", Kind::Milliseconds),
                column("mean_ms", "mean", Kind::Milliseconds).lower(),
                column("seen_at", "seen at", Kind::Moment),
                column("blocks_before", "blocks before", Kind::Number).wide(),
                column("blocks", "blocks a call", Kind::Number)
                    .lower()
                    .wide(),
                column("plan_before", "plan before", Kind::Plan),
                column("plan", "plan", Kind::Plan),
                column("before_at", "before, seen at", Kind::Moment).wide(),
                column("cost_before", "cost before", Kind::Number).wide(),
                column("cost", "cost", Kind::Number).wide(),
                column("queryid", "queryid", Kind::Text).wide(),
            ],
            limit: 10,
            note: "Plans for any values, as EXPLAIN made them for the statement's role, with ? in place of constants; figures of the intervals in which they were made.",
            ..Table::EMPTY
        },
        Table {
            name: "known",
            title: "Plans at the end",
            collector: "plans",
            sql: include_str!("known.sql"),
            keys: &[
                code("query", "statement"),
                key("database_name", "database"),
                key("role_name", "role"),
            ],
            columns: &[
                column("mean_ms", "mean", Kind::Milliseconds).lower(),
                column("blocks", "blocks a call", Kind::Number).lower(),
                column("plan", "plan", Kind::Plan).wide(),
                column("reason", "no plan, since", Kind::Text).wide(),
                column("queryid", "queryid", Kind::Text).wide(),
            ],
            limit: 20,
            ..Table::EMPTY
        },
    ],
    nothing: "no statement was planned",
    ..Section::EMPTY
};
