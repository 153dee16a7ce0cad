//! The runs of a stretch of time: what only the dashboards show, since a run has a report of its own.

use crate::show::number::Unit;
use crate::show::section::{Chart, Kind, Line, Section, Table, column, key, line};

const INTERVALS: &str = include_str!("runs/intervals.sql");

const fn chart(
    name: &'static str,
    title: &'static str,
    unit: Unit,
    lines: &'static [Line],
    note: &'static str,
) -> Chart {
    Chart {
        name,
        title,
        collector: "",
        sql: INTERVALS,
        unit,
        lines,
        each: "run",
        note,
    }
}

/// See the module.
pub const SECTION: Section = Section {
    name: "runs",
    title: "Runs",
    reading: "Each line is a run, by its number and label.",
    call: "SELECT * FROM pgperf.run_summary ORDER BY run_id DESC",
    sources: &[],
    tables: &[
        Table {
            name: "runs",
            title: "Runs",
            collector: "",
            sql: include_str!("runs/runs.sql"),
            keys: &[
                key("run_id", "run"),
                key("label", "label"),
                key("workload", "workload"),
            ],
            columns: &[
                column("status", "status", Kind::Text),
                column("started_at", "started", Kind::Moment),
                column("duration_s", "duration", Kind::Seconds),
                column("clients", "clients", Kind::Count),
                column("transactions", "transactions", Kind::Count),
                column("tps", "tps", Kind::Number),
                column("latency_avg_ms", "latency", Kind::Milliseconds),
                column("latency_p95_ms", "p95", Kind::Milliseconds),
                column("latency_p99_ms", "p99", Kind::Milliseconds),
                column("failed", "failed", Kind::Count),
                column("wal_bytes_per_tx", "WAL per transaction", Kind::Bytes),
                column("hit_percent", "buffer hits", Kind::Percent),
            ],
            limit: 100,
            note: "A load counts rows as transactions.",
            ..Table::EMPTY
        },
        Table {
            name: "statements",
            title: "Commands of the scripts",
            collector: "",
            sql: include_str!("runs/statements.sql"),
            keys: &[
                key("run", "run"),
                key("script", "script"),
                key("statement", "command"),
            ],
            columns: &[
                column("calls", "calls", Kind::Count),
                column("latency_avg_ms", "latency", Kind::Milliseconds),
                column("latency_p95_ms", "p95", Kind::Milliseconds),
                column("latency_p99_ms", "p99", Kind::Milliseconds),
                column("rows", "rows", Kind::Count),
                column("shared_blks_read", "blocks read", Kind::Count),
                column("wal_bytes", "WAL", Kind::Bytes),
            ],
            limit: 100,
            note: "Known when a run has ended.",
            ..Table::EMPTY
        },
        Table {
            name: "errors",
            title: "Errors",
            collector: "",
            sql: include_str!("runs/errors.sql"),
            keys: &[
                key("run", "run"),
                key("sqlstate", "SQLSTATE"),
                key("message", "message"),
            ],
            columns: &[column("count", "times", Kind::Count)],
            limit: 100,
            ..Table::EMPTY
        },
    ],
    charts: &[
        chart(
            "tps",
            "Transactions per second",
            Unit::Count("per second"),
            &[line("tps", "tps", 1)],
            "",
        ),
        chart(
            "latency",
            "Latency",
            Unit::Milliseconds,
            &[line("latency_avg_ms", "mean", 1)],
            "",
        ),
        chart(
            "latency_p99",
            "Latency, 99 % of transactions",
            Unit::Milliseconds,
            &[line("latency_p99_ms", "p99", 2)],
            "The highest of the intervals that a point stands for.",
        ),
        chart(
            "failed",
            "Failed and skipped transactions",
            Unit::Count("per second"),
            &[line("failed", "failed", 2), line("skipped", "skipped", 3)],
            "",
        ),
        chart(
            "wal",
            "WAL",
            Unit::BytesPerSecond,
            &[line("wal_bytes", "WAL", 1)],
            "",
        ),
        chart(
            "hits",
            "Blocks found in shared_buffers",
            Unit::Percent,
            &[line("hit_percent", "hits", 1)],
            "",
        ),
    ],
    nothing: "there was no run",
    ..Section::EMPTY
};
