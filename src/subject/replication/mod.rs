//! Standbys, replication slots and subscriptions.

pub mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Section, Source, Table, column, key, line};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "replication",
    title: "Replication",
    reading: "An inactive slot keeps WAL until the disk is full; a standby that was not present all the time was disconnected.",
    call: "SELECT * FROM pgperf.replication_history WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[Table {
        name: "objects",
        title: "Standbys, slots and subscriptions",
        collector: "replication",
        sql: include_str!("objects.sql"),
        keys: &[key("kind", "kind"), key("name", "name")],
        columns: &[
            column("behind_max_bytes", "behind at most", Kind::Bytes).lower(),
            column("behind_bytes", "mean", Kind::Bytes).lower().wide(),
            column("lag_max_ms", "lag at most", Kind::Milliseconds).lower(),
            column("retained_max_bytes", "WAL kept", Kind::Bytes).lower(),
            column("safe_min_bytes", "until it is lost", Kind::Bytes)
                .higher()
                .wide(),
            column("xmin_age", "xmin age", Kind::Count).lower().wide(),
            column("state", "state", Kind::Text).wide(),
            column("sync_state", "sync", Kind::Text).wide(),
            column("wal_status", "WAL status", Kind::Text).wide(),
            column("active", "active", Kind::Text),
            column("inactive_percent", "inactive", Kind::Percent)
                .lower()
                .wide(),
            column("spilled_bytes", "spilled", Kind::Bytes)
                .lower()
                .wide(),
            column("apply_errors", "errors", Kind::Count).lower().wide(),
            column("present_percent", "present", Kind::Percent).higher(),
            column("client", "client", Kind::Text).wide(),
        ],
        limit: 30,
        note: "Present: the share of the samples that had it.",
        ..Table::EMPTY
    }],
    charts: &[Chart {
        name: "lags",
        title: "Behind, or WAL kept",
        collector: "replication",
        sql: include_str!("lags.sql"),
        unit: Unit::Bytes,
        lines: &[line("behind", "bytes", 1)],
        each: "object",
        ..Chart::EMPTY
    }],
    of_targets: &["objects", "lags"],
    nothing: "there was no standby, replication slot or subscription",
    ..Section::EMPTY
};
