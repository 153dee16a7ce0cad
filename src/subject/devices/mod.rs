//! Block devices under the server's files, during and between checkpoints. Comparisons match them by what they hold: the data directory,
//! the WAL, a tablespace.

pub mod by_contents;
mod metrics;

use super::host;
use crate::show::number::Unit;
use crate::show::section::{Chart, HOLDS, Kind, Layout, Section, Source, Table, column, key, line};
pub use metrics::METRICS;

/// The columns of `iostat -x`, under its heads.
const PHASES: Table = Table {
    name: "phases",
    title: "During and between checkpoints",
    collector: "host",
    sql: concat!(include_str!("steps.sql"), include_str!("phases.sql")),
    layout: Layout::Figures,
    each: HOLDS,
    keys: &[key("phase", "")],
    columns: &[
        column("device", "device", Kind::Text).remark(),
        column("reads_per_s", "r/s", Kind::Number),
        column("read_bytes_per_s", "rkB/s", Kind::Bytes).wide(),
        column("read_wait_ms", "r_await", Kind::Milliseconds).lower(),
        column("read_size_bytes", "rareq-sz", Kind::Bytes).wide(),
        column("writes_per_s", "w/s", Kind::Number),
        column("write_bytes_per_s", "wkB/s", Kind::Bytes).wide(),
        column("write_wait_ms", "w_await", Kind::Milliseconds).lower(),
        column("write_size_bytes", "wareq-sz", Kind::Bytes).wide(),
        column("flushes_per_s", "f/s", Kind::Number).wide(),
        column("flush_wait_ms", "f_await", Kind::Milliseconds)
            .lower()
            .wide(),
        column("queue", "aqu-sz", Kind::Number).lower().wide(),
        column("busy_percent", "util", Kind::Percent).lower(),
        column("seconds", "for", Kind::Seconds).wide(),
    ],
    limit: 30,
    note: "In a window of more than a day: over its last day.",
};

/// Charts of each device.
const OF_DEVICE: Chart = Chart {
    name: "",
    title: "",
    collector: "host",
    sql: include_str!("rates.sql"),
    unit: Unit::Percent,
    lines: &[],
    each: "object",
    ..Chart::EMPTY
};

/// See the module.
pub const SECTION: Section = Section {
    name: "devices",
    title: "Devices",
    reading: "Waits that are much longer during checkpoints come from their writes: spread these, or give the WAL a device of its own.",
    call: "SELECT * FROM pgperf.device_rates WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&host::COLLECTOR)],
    tables: &[
        PHASES,
        Table {
            name: "beneath",
            title: "Devices beneath these",
            sql: concat!(include_str!("steps.sql"), include_str!("beneath.sql")),
            layout: Layout::Objects,
            each: "",
            keys: &[key(HOLDS, "beneath"), key("phase", "")],
            ..PHASES
        },
    ],
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
    of_runs: &[
        "phases",
        "beneath",
        "rates",
        "requests",
        "busy",
        "request_time",
    ],
    nothing: "no block device is known under the server's files",
    ..Section::EMPTY
};
