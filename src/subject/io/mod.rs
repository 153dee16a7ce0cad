//! I/O by kind of process, as pg_stat_io counts it.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, column, key, line};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "io",
    title: "I/O by process",
    reading: "Client backends that write or evict do the work of the background writer and the checkpointer.",
    call: "SELECT * FROM pgperf.io_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Setting {
            name: "track_io_timing",
            figures: "times",
            of: "objects",
        },
    ],
    tables: &[Table {
        name: "objects",
        title: "By process, object and context",
        collector: "io",
        sql: include_str!("objects.sql"),
        keys: &[
            key("backend_type", "process"),
            key("what", "object, context"),
        ],
        columns: &[
            column("read_bytes", "read", Kind::Bytes).lower(),
            column("write_bytes", "written", Kind::Bytes).lower(),
            column("extend_bytes", "extended", Kind::Bytes),
            column("evictions", "evictions", Kind::Count).lower(),
            column("read_s", "reading", Kind::Seconds).lower().wide(),
            column("write_s", "writing", Kind::Seconds).lower().wide(),
            column("hits", "hits", Kind::Count).wide(),
            column("reuses", "reuses", Kind::Count).wide(),
            column("fsyncs", "syncs", Kind::Count).wide(),
            column("fsync_s", "syncing", Kind::Seconds).lower().wide(),
        ],
        limit: 25,
        ..Table::EMPTY
    }],
    charts: &[Chart {
        name: "over_time",
        title: "Read, written and extended by all processes",
        collector: "io",
        sql: include_str!("over_time.sql"),
        unit: Unit::BytesPerSecond,
        lines: &[
            line("read", "read", 1),
            line("written", "written", 2),
            line("extended", "extended", 3),
        ],
        ..Chart::EMPTY
    }],
    of_targets: &["objects", "over_time"],
    nothing: "nothing was counted",
    ..Section::EMPTY
};
