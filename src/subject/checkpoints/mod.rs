//! Checkpoints, and who wrote the dirty pages.

mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Source, Table, area, column, key};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "checkpoints",
    title: "Checkpoints",
    reading: "Requested checkpoints come before their time: many of them without a backup or a CHECKPOINT are a reason for a larger max_wal_size.",
    call: "SELECT * FROM pgperf.checkpoint_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Server {
            major: 18,
            figures: "completed checkpoints and the SLRU buffers that they wrote",
            of: "totals",
        },
    ],
    tables: &[Table {
        name: "totals",
        title: "In the window",
        collector: "checkpoints",
        sql: include_str!("totals.sql"),
        layout: Layout::Figures,
        keys: &[key("whole", "")],
        columns: &[
            column("timed", "timed checkpoints", Kind::Count),
            column("requested", "requested checkpoints", Kind::Count).lower(),
            column("done", "completed checkpoints", Kind::Count),
            column("restartpoints", "restartpoints", Kind::Count),
            column("apart_s", "time between them", Kind::Seconds).higher(),
            column("written_bytes", "written by checkpoints", Kind::Bytes),
            column("write_s", "time of writing", Kind::Seconds),
            column("sync_ms", "time of syncing", Kind::Milliseconds).lower(),
            column(
                "cleaned_bytes",
                "written by the background writer",
                Kind::Bytes,
            ),
            column(
                "cleaner_stopped",
                "background writer stopped at its limit",
                Kind::Count,
            )
            .lower(),
            column("backends_bytes", "written by backends", Kind::Bytes).lower(),
            column("backend_syncs", "syncs by backends", Kind::Count).lower(),
            column("slru_bytes", "SLRU buffers written", Kind::Bytes),
        ],
        limit: 1,
        ..Table::EMPTY
    }],
    charts: &[Chart {
        name: "written",
        title: "Dirty pages written",
        collector: "checkpoints",
        sql: include_str!("written.sql"),
        unit: Unit::BytesPerSecond,
        lines: &[
            area("checkpointer", "checkpointer", 1),
            area("writer", "background writer", 3),
            area("backends", "backends", 2),
        ],
        ..Chart::EMPTY
    }],
    of_targets: &["totals", "written"],
    nothing: "no checkpoint was counted",
    ..Section::EMPTY
};
