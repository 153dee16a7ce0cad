//! The volume of the WAL, and what it consists of.

mod archiver;
pub mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Source, Table, column, key, line};
pub use archiver::COLLECTOR as ARCHIVER;
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "wal",
    title: "WAL",
    reading: "Full-page images follow each checkpoint, so their share falls when checkpoints are further apart.",
    call: "SELECT * FROM pgperf.wal_deltas WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[
        Source::Collector(&COLLECTOR),
        Source::Collector(&ARCHIVER),
        Source::Setting {
            name: "archive_mode",
            figures: "figures of an archive",
            of: "archive",
        },
        Source::Setting {
            name: "track_wal_io_timing",
            figures: "times of writes and syncs",
            of: "totals",
        },
        Source::Extension {
            name: "pg_walinspect",
            figures: "the contents of the WAL",
            of: "managers",
        },
    ],
    tables: &[
        Table {
            name: "totals",
            title: "By the whole server",
            collector: "wal",
            sql: include_str!("totals.sql"),
            layout: Layout::Figures,
            keys: &[key("whole", "")],
            columns: &[
                column("lsn_bytes", "WAL written", Kind::Bytes).lower(),
                column("bytes_per_s", "WAL per second", Kind::Bytes).lower(),
                column("records", "records", Kind::Count),
                column("images", "full-page images", Kind::Count).lower(),
                column(
                    "images_percent_max",
                    "share of images at most",
                    Kind::Percent,
                )
                .lower(),
                column("xids", "transaction ids used", Kind::Count),
                column("buffers_full", "WAL buffers full", Kind::Count).lower(),
                column("writes", "writes", Kind::Count),
                column("syncs", "syncs", Kind::Count),
                column("write_ms", "time of writes", Kind::Milliseconds).lower(),
                column("sync_ms", "time of syncs", Kind::Milliseconds).lower(),
                column("contents_percent", "read for its contents", Kind::Percent),
            ],
            limit: 1,
            ..Table::EMPTY
        },
        Table {
            name: "managers",
            title: "By resource manager",
            collector: "wal",
            sql: include_str!("managers.sql"),
            keys: &[key("resource_manager", "resource manager")],
            columns: &[
                column("percent", "share", Kind::Percent).bar(1),
                column("records", "records", Kind::Count),
                column("record_bytes", "record bytes", Kind::Bytes),
                column("image_bytes", "images", Kind::Bytes),
            ],
            limit: 20,
            note: "Estimated from a sample where there was more than 16 MB between two samples.",
            ..Table::EMPTY
        },
        Table {
            name: "archive",
            title: "The archive",
            collector: "archiver",
            sql: include_str!("archive.sql"),
            layout: Layout::Figures,
            keys: &[key("whole", "")],
            columns: &[
                column("archived", "files archived", Kind::Count),
                column("failed", "failed attempts", Kind::Count).lower(),
                column("waiting_max", "files that waited at most", Kind::Count).lower(),
                column("waiting", "files that wait at the end", Kind::Count).lower(),
                column("waited_s", "longest wait", Kind::Seconds).lower(),
                column("behind_bytes", "WAL behind at the end", Kind::Bytes).lower(),
                column("last_archived_wal", "archived last", Kind::Text),
                column("last_archived_at", "at", Kind::Moment),
                column("last_failed_at", "last failure", Kind::Moment),
            ],
            limit: 1,
            note: "WAL behind: since the end of the file archived last, with the one that is being written.",
            ..Table::EMPTY
        },
    ],
    charts: &[
        Chart {
            name: "volume",
            title: "WAL written",
            collector: "wal",
            sql: include_str!("volume.sql"),
            unit: Unit::BytesPerSecond,
            lines: &[line("bytes_per_s", "WAL", 1)],
            ..Chart::EMPTY
        },
        Chart {
            name: "records",
            title: "WAL records and full-page images",
            collector: "wal",
            sql: include_str!("records.sql"),
            unit: Unit::Count("per second"),
            lines: &[
                line("records", "records", 3),
                line("images", "full-page images", 2),
            ],
            note: "over 10 s or more: the server learns them late",
            ..Chart::EMPTY
        },
        Chart {
            name: "waiting",
            title: "Files that wait to be archived",
            collector: "archiver",
            sql: include_str!("waiting.sql"),
            unit: Unit::Count("files"),
            lines: &[line("waiting", "files", 2)],
            ..Chart::EMPTY
        },
    ],
    of_runs: &["totals", "managers", "volume", "records"],
    nothing: "no WAL was counted",
    ..Section::EMPTY
};
