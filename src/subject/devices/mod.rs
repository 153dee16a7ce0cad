//! Block devices under the server's files, during and between checkpoints.

mod metrics;

use super::host;
use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Source, Table, column, key, line};
pub use metrics::METRICS;

/// Charts of each device.
const OF_DEVICE: Chart = Chart {
    name: "",
    title: "",
    collector: "host",
    sql: include_str!("rates.sql"),
    unit: Unit::Percent,
    lines: &[],
    each: "object",
    note: "",
};

/// See the module.
pub const SECTION: Section = Section {
    name: "devices",
    title: "Devices",
    reading: "Waits that are much longer during checkpoints come from their writes: spread these, or give the WAL a device of its own.",
    call: "SELECT * FROM pgperf.device_rates WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&host::COLLECTOR)],
    tables: &[Table {
        name: "phases",
        title: "During and between checkpoints",
        collector: "host",
        sql: include_str!("phases.sql"),
        layout: Layout::Objects,
        each: "",
        keys: &[key("device", "device"), key("phase", "")],
        columns: &[
            column("reads_per_s", "reads/s", Kind::Number),
            column("writes_per_s", "writes/s", Kind::Number),
            column("read_wait_ms", "read wait", Kind::Milliseconds).lower(),
            column("write_wait_ms", "write wait", Kind::Milliseconds).lower(),
            column("busy_percent", "busy", Kind::Percent).lower(),
            column("read_bytes_per_s", "read/s", Kind::Bytes).wide(),
            column("write_bytes_per_s", "written/s", Kind::Bytes).wide(),
            column("queue", "queue", Kind::Number).lower().wide(),
            column("seconds", "for", Kind::Seconds).wide(),
            column("holds", "holds", Kind::Text).wide(),
        ],
        limit: 30,
        note: "In a window of more than a day: over its last day.",
    }],
    charts: &[
        Chart {
            name: "rates",
            title: "Read and written",
            unit: Unit::BytesPerSecond,
            lines: &[line("read", "read", 1), line("written", "written", 2)],
            ..OF_DEVICE
        },
        Chart {
            name: "requests",
            title: "Requests",
            unit: Unit::Count("per second"),
            lines: &[line("reads", "reads", 1), line("writes", "writes", 2)],
            ..OF_DEVICE
        },
        Chart {
            name: "busy",
            title: "Busy",
            unit: Unit::Percent,
            lines: &[line("busy_percent", "busy", 4)],
            ..OF_DEVICE
        },
        Chart {
            name: "request_time",
            title: "Time of a request",
            unit: Unit::Milliseconds,
            lines: &[line("read_ms", "read", 1), line("write_ms", "write", 2)],
            ..OF_DEVICE
        },
    ],
    of_runs: &["phases", "rates", "requests", "busy", "request_time"],
    nothing: "no block device is known under the server's files",
    ..Section::EMPTY
};
