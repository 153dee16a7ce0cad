//! CPU and memory of the machine.

pub mod collector;
mod metrics;

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Layout, Section, Source, Table, area, column, key, line};
pub use collector::COLLECTOR;
pub use metrics::METRICS;

/// See the module.
pub const SECTION: Section = Section {
    name: "host",
    title: "CPU and memory",
    reading: "The whole machine, other processes too: time stolen belongs to other machines on the same hardware, swapping makes everything slow.",
    call: "SELECT * FROM pgperf.host_rates WHERE node_id = pgperf.local_node() ORDER BY sample_id DESC",
    sources: &[Source::Collector(&COLLECTOR)],
    tables: &[Table {
        name: "totals",
        title: "The machine",
        collector: "host",
        sql: include_str!("totals.sql"),
        layout: Layout::Figures,
        keys: &[key("whole", "")],
        columns: &[
            column("cpus", "CPUs", Kind::Count),
            column("user_percent", "user", Kind::Percent).lower(),
            column("system_percent", "system", Kind::Percent).lower(),
            column("iowait_percent", "waiting for I/O", Kind::Percent).lower(),
            column("steal_percent", "stolen", Kind::Percent).lower(),
            column("busy_max_percent", "busy at most", Kind::Percent).lower(),
            column("load_max", "load at most", Kind::Number).lower(),
            column("blocked_max", "blocked processes at most", Kind::Count).lower(),
            column("memory_bytes", "memory", Kind::Bytes),
            column("available_min_bytes", "available at least", Kind::Bytes).higher(),
            column("dirty_max_bytes", "dirty pages at most", Kind::Bytes),
            column("processes_max", "server processes at most", Kind::Count),
            column(
                "private_max_bytes",
                "their private memory at most",
                Kind::Bytes,
            )
            .lower(),
            column("swapped_in", "pages swapped in", Kind::Count).lower(),
            column("swapped_out", "pages swapped out", Kind::Count).lower(),
            column("major_faults", "major faults", Kind::Count).lower(),
            column(
                "oom_kills",
                "processes killed for want of memory",
                Kind::Count,
            )
            .lower(),
            column(
                "switches_per_s",
                "context switches per second",
                Kind::Number,
            ),
        ],
        limit: 1,
        ..Table::EMPTY
    }],
    charts: &[
        Chart {
            name: "cpu",
            title: "CPU time",
            collector: "host",
            sql: include_str!("cpu.sql"),
            unit: Unit::Percent,
            lines: &[
                area("user_percent", "user", 1),
                area("system_percent", "system", 2),
                area("iowait_percent", "waiting for I/O", 6),
                area("steal_percent", "stolen", 7),
            ],
            note: "share of all CPUs",
            ..Chart::EMPTY
        },
        Chart {
            name: "memory",
            title: "Memory",
            collector: "host",
            sql: include_str!("memory.sql"),
            unit: Unit::Bytes,
            lines: &[
                line("available", "available", 3),
                line("cached", "page cache", 1),
                line("server", "private memory of the server", 2),
                line("dirty", "dirty", 8),
                line("swapped", "swapped", 7),
            ],
            ..Chart::EMPTY
        },
    ],
    of_runs: &["totals", "cpu", "memory"],
    nothing: "nothing is known of the machine",
    ..Section::EMPTY
};
