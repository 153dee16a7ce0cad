//! Reads and writes by kind of process, object and context, as pg_stat_io counts them.

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, SERVER_MAJOR, Scope,
};
use crate::collect::of_target::{TargetSource, source::only};
use crate::collect::rows::{self, Row};
use crate::error::{Result, unsupported};
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "io",
    cost: Cost::Light,
    sample_interval_s: 10,
    keeps_interval: false,
    in_runs: InRuns::EveryInterval,
    in_visits: InVisits::Never,
    since_major: Some(16),
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["io_history"],
    description: "reads, writes, extends, evictions and syncs by kind of process, object and context (16 and later)",
    of_target: Some(TargetSource {
        since_major: Some(16),
        queries: |_| Ok(vec![ROWS.to_owned()]),
        reading: |scope, answers| Ok(reading(scope, only(answers))),
    }),
    read: Read::AtOnce(read),
};

/// The counters; a row without any counts means nothing.
const COUNTED: [&str; 8] = [
    "reads",
    "writes",
    "writebacks",
    "extends",
    "hits",
    "evictions",
    "reuses",
    "fsyncs",
];

const TIMES: [&str; 5] = [
    "read_time",
    "write_time",
    "writeback_time",
    "extend_time",
    "fsync_time",
];

const ROWS: &str = "SELECT io.* FROM pg_catalog.pg_stat_io io";

fn read(scope: &Scope) -> Result<Reading> {
    if SERVER_MAJOR < 16 {
        return Err(
            unsupported(format!("PostgreSQL {SERVER_MAJOR} has no pg_stat_io"))
                .hinting("It came with PostgreSQL 16."),
        );
    }
    Ok(reading(scope, rows::select(ROWS, &[])?))
}

fn reading(scope: &Scope, mut rows: Vec<Row>) -> Reading {
    rows.retain(|row| COUNTED.iter().any(|column| is_positive(row, column)));
    // The WAL's rows (18) have a setting of their own.
    let (mut wal, mut other): (Vec<_>, Vec<_>) = (rows.into_iter())
        .partition(|row| row.get("object").and_then(Value::as_str) == Some("wal"));
    rows::forget_untimed(&mut wal, scope.timing.wal, &TIMES);
    rows::forget_untimed(&mut other, scope.timing.io, &TIMES);
    other.append(&mut wal);
    Reading::of("io_history", rows::values(other))
}

fn is_positive(row: &Row, column: &str) -> bool {
    row.get(column)
        .and_then(Value::as_i64)
        .is_some_and(|count| count > 0)
}
