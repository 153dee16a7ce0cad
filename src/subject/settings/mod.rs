//! Settings that were changed.

mod collector;

use crate::show::section::{Kind, Section, Source, Table, column, key};
pub use collector::{COLLECTOR, without_passwords};

/// See the module.
pub const SECTION: Section = Section {
    name: "settings",
    title: "Settings that changed",
    reading: "A change of the load's course at one of these times has its cause here.",
    call: "SELECT * FROM pgperf.settings_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC, name",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[Table {
        name: "changes",
        title: "Changes, as seen by the sample after each",
        collector: "settings",
        sql: include_str!("changes.sql"),
        keys: &[key("name", "setting"), key("scope", "of")],
        columns: &[
            column("seen_at", "seen at", Kind::Moment),
            column("old_value", "before", Kind::Text),
            column("new_value", "after", Kind::Text),
            column("source", "source", Kind::Text).wide(),
            column("pending_restart", "waits for a restart", Kind::Text).wide(),
        ],
        limit: 100,
        ..Table::EMPTY
    }],
    charts: &[],
    nothing: "none was changed",
    ..Section::EMPTY
};
