//! Where the history itself has gaps.

use crate::show::section::{Kind, Section, Table, column, key};

/// See the module.
pub const SECTION: Section = Section {
    name: "gaps",
    title: "Gaps of the history",
    reading: "Nothing is known of these times but what cumulative counters show over the whole of each.",
    call: "SELECT * FROM pgperf.sampler_gaps WHERE node_id = pgperf.local_node() ORDER BY last_at DESC",
    sources: &[],
    tables: &[
        Table {
            name: "pauses",
            title: "Pauses of the sampler",
            collector: "",
            sql: include_str!("pauses.sql"),
            keys: &[key("reason", "reason"), key("collectors", "collectors")],
            columns: &[
                column("seconds", "for", Kind::Seconds).lower(),
                column("last_at", "last sample", Kind::Moment),
                column("next_at", "next sample", Kind::Moment).wide(),
                column("cadence_s", "due every", Kind::Seconds).wide(),
            ],
            limit: 15,
            ..Table::EMPTY
        },
        Table {
            name: "troubles",
            title: "Collectors that could not run",
            collector: "",
            sql: include_str!("troubles.sql"),
            keys: &[key("collector", "collector"), key("reason", "reason")],
            columns: &[
                column("samples", "samples", Kind::Count).lower(),
                column("status", "status", Kind::Text),
                column("first_at", "first", Kind::Moment).wide(),
                column("last_at", "last", Kind::Moment).wide(),
            ],
            limit: 15,
            ..Table::EMPTY
        },
        Table {
            name: "stretches",
            title: "Collectors taken less often than asked",
            collector: "",
            sql: include_str!("stretches.sql"),
            keys: &[key("collector", "collector"), key("reason", "reason")],
            columns: &[
                column("samples", "samples", Kind::Count),
                column("first_at", "first", Kind::Moment).wide(),
                column("last_at", "last", Kind::Moment).wide(),
            ],
            limit: 15,
            ..Table::EMPTY
        },
    ],
    charts: &[],
    nothing: "the sampler took its samples in time, or there was none",
    ..Section::EMPTY
};
