//! Who waited for whose lock: chains from the head, which waits for nobody, to the last victim.

use crate::show::section::{Kind, Section, Source, Table, code, column, key};
use crate::subject::sessions::COLLECTOR;

/// See the module.
pub const SECTION: Section = Section {
    name: "blocking",
    title: "Blocking",
    reading: "The head of a chain waits for nobody: whoever is behind it waits for its transaction to end.",
    call: "SELECT * FROM pgperf.blocking_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC, head_pid, depth",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[
        Table {
            name: "heads",
            title: "Heads of chains",
            collector: "sessions",
            sql: include_str!("heads.sql"),
            keys: &[
                key("relation", "relation"),
                key("head", "session"),
                code("statement", "statement"),
            ],
            columns: &[
                column("waited_s", "waited", Kind::Seconds).lower(),
                column("victims", "at once", Kind::Count).lower(),
                column("held", "holds", Kind::Text),
                column("state", "state", Kind::Text).wide(),
                column("transaction_s", "transaction", Kind::Seconds)
                    .lower()
                    .wide(),
                column("since", "from", Kind::Moment),
                column("until", "until", Kind::Moment).wide(),
            ],
            limit: 20,
            note: "The sampler looks every second. Of a session idle in its transaction, the statement is the last one, not that which took the lock. Constants are left out.",
            ..Table::EMPTY
        },
        Table {
            name: "chains",
            title: "Chains",
            collector: "sessions",
            sql: include_str!("chains.sql"),
            each: "list",
            keys: &[key("session", "session"), code("statement", "statement")],
            columns: &[
                column("waited_s", "waited", Kind::Seconds).lower(),
                column("lock", "lock", Kind::Text),
                column("of", "of", Kind::Text).wide(),
                column("since", "from", Kind::Moment).wide(),
            ],
            limit: 60,
            ..Table::EMPTY
        },
    ],
    charts: &[],
    nothing: "nobody was seen waiting for a lock",
    ..Section::EMPTY
};
