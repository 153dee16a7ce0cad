//! Tables and indexes: reads, writes, vacuums, analyzes and sizes.
//!
//! A catalog may have many thousands of relations. A relation gets a row when its counters differ from its last row, or when
//! that row is a day old. A sample stores at most [`MAX_ROWS`], so that neither memory nor history depends on the number of
//! relations. They are read in parts. No lock is taken: sizes are those of the files.
//!
//! The statistics record only the latest vacuum of a table. So each interval of a run checks for tables that autovacuum has
//! processed since the last check; these get a row at once. One check covers [`WATCHED`] relations and takes some
//! milliseconds. Checks take at most a hundredth of the time: with 20,000 tables, all are checked within five to ten seconds.
//!
//! * [`due`]: the relations that get rows; [`sql`]: the statements; [`of_target`]: the relations of a target.

mod due;
mod of_target;
mod sql;

use crate::catalog::distributed::Marks;
use crate::collect::collector::{Collector, Cost, Depth, InRuns, InVisits, Read, Reading, Scope};
use crate::collect::files::main_fork_bytes;
use crate::collect::of_target::TargetSource;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::{Pace, Parts};
use crate::collect::walk::{Slice, slice, walk};
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::spi;
use due::{Due, DueRelations};
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use serde_json::Value;
use sql::Which;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "tables",
    cost: Cost::Medium,
    sample_interval_s: 300,
    keeps_interval: false,
    in_runs: InRuns::Watched,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: None,
    watches_clients: false,
    report: None,
    history_tables: &["relation_history"],
    description: "tables and indexes that changed: rows, scans, dead rows, vacuum and analyze, blocks, size",
    of_target: Some(TargetSource {
        since_major: None,
        queries: of_target::queries,
        reading: of_target::reading,
    }),
    read: Read::InParts(read),
};

/// Most rows that one sample stores.
const MAX_ROWS: usize = 2000;

/// The sampler postpones the row of a relation that hardly matters for so many samples at most: one of pgperf's own, or a catalog that was
/// only read, if it is a small part of all activity.
const LONGEST: f64 = 30.0;

/// Relations covered by one look for vacuums.
const WATCHED: u32 = 5_000;
/// Looking for vacuums takes at most one part in this many of the time that passes.
const WATCH_SHARE: u32 = 100;
/// The overlap of looks in microseconds: a vacuum reads the clock before the statistics show it, on a busy machine long before.
const OVERLAP_US: i64 = 1_000_000;

/// Progress of looking for vacuums; times as the server counts them.
#[derive(Clone, Copy, Default)]
struct Watch {
    /// Time from which vacuums have not been seen; 0: any time.
    seen_until: i64,
    /// When the current round began, and its progress; 0: the next look begins one.
    began: i64,
    after: u32,
    next: Option<Instant>,
}

thread_local! {
    static WATCH: Cell<Watch> = const { Cell::new(Watch { seen_until: 0, began: 0, after: 0, next: None }) };
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    match scope.depth {
        Depth::Full => changed(scope, parts),
        Depth::Tick => parts.part(|| vacuumed(scope)),
    }
}

/// Where the previous sample stopped.
#[derive(Default, Deserialize)]
struct Before {
    since: Option<String>,
    last_oid: Option<i64>,
    /// Of all relations together.
    activity: Option<i64>,
}

impl Before {
    fn read(node_id: &str) -> Result<Before> {
        Ok(spi::select_one(sql::BEFORE, &[node_id.into()])?.unwrap_or_default())
    }

    /// For [`sql::due`].
    fn arguments<'a>(&'a self, scope: &'a Scope) -> Vec<DatumWithOid<'a>> {
        vec![
            scope.node_id.as_str().into(),
            self.since.as_deref().into(),
            self.last_oid.into(),
            scope.counting_since.as_str().into(),
        ]
    }
}

/// The relations whose counters changed, and all together.
fn changed(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let now = server::timestamp_now();
    WATCH.set(Watch {
        seen_until: now,
        ..Watch::default()
    });
    let node_id = scope.node_id.as_str();
    let before = parts.part(|| Before::read(node_id))?;
    let mut found = DueRelations::default();
    // Half an interval less: samples are early and late.
    let longest_s = (scope.sampler_cadence_s).map(|cadence| (LONGEST - 0.5) * cadence);
    let postponed_since = longest_s.map(|seconds| now - (seconds * 1e6) as i64);
    let arguments = || {
        let mut arguments = before.arguments(scope);
        arguments.push(longest_s.into());
        arguments
    };
    walk(parts, &sql::due(Which::Changed), arguments, |part| {
        found.add(part)
    })?;
    let postponed = found.postpone(before.activity);
    let (picked, mut together) = found.pick(MAX_ROWS);
    if let Some(since) = postponed_since.filter(|_| postponed) {
        let since = server::timestamp_text(since);
        together.insert("postponed_since".to_owned(), since.into());
    }
    let note = match together.get("left_out").and_then(Value::as_i64) {
        Some(left_out @ 1..) => Some(format!(
            "{left_out} relations that changed are left to the next samples"
        )),
        _ => None,
    };
    let mut rows = Vec::new();
    let (mut pace, mut rest) = (Pace::new(), picked.as_slice());
    while !rest.is_empty() {
        let (some, others) = rest.split_at(rest.len().min(pace.size() as usize));
        rows.extend(pace.part(parts, || whole(some))?);
        rest = others;
    }
    rows.push(together);
    Ok(Reading {
        tables: vec![("relation_history", rows::values(rows).into())],
        note,
    })
}

/// The tables that autovacuum has processed, among the relations of this look.
fn vacuumed(scope: &Scope) -> Result<Reading> {
    let (now, started, mut watch) = (server::timestamp_now(), Instant::now(), WATCH.get());
    if watch.next.is_some_and(|next| started < next) {
        return Ok(Reading::default());
    }
    if watch.after == 0 {
        watch.began = now;
    }
    let before = Before::read(&scope.node_id)?;
    let since = watch.seen_until.saturating_sub(OVERLAP_US);
    let mut args = before.arguments(scope);
    args.push(server::timestamp_text(since).into());
    let found: Option<Slice<due::DuePart>> =
        slice(&sql::due(Which::Vacuumed), watch.after, WATCHED, args)?;
    let mut due = DueRelations::default();
    watch.after = 0;
    if let Some(Slice {
        last: Some(last),
        found,
    }) = found
    {
        if found.looked_at == WATCHED {
            watch.after = last;
        }
        due.add(found);
    }
    if watch.after == 0 {
        watch.seen_until = watch.began;
    }
    let (picked, _) = due.pick(MAX_ROWS);
    let rows = whole(&picked)?;
    watch.next = started.checked_add(rest_after(started.elapsed()));
    WATCH.set(watch);
    Ok(Reading::of("relation_history", rows::values(rows)))
}

/// How long after a look of that length the next one may begin.
fn rest_after(took: Duration) -> Duration {
    took.saturating_mul(WATCH_SHARE)
}

/// The rows of relations; those dropped meanwhile have none.
fn whole(due: &[Due]) -> Result<Vec<Row>> {
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let oids: Vec<i64> = due.iter().map(|due| i64::from(due.oid)).collect();
    let before: Vec<Option<i64>> = due.iter().map(|due| due.before).collect();
    let next_xid = server::next_xid().cast_signed();
    let mut rows = rows::select(
        &sql::whole_here(&Marks::of_database()?),
        &[oids.into(), before.into(), next_xid.into()],
    )?;
    for row in &mut rows {
        if let Some(Value::String(path)) = row.remove("path") {
            row.insert("size_bytes".to_owned(), main_fork_bytes(&path).into());
        }
        if row.remove("is_shell") == Some(Value::Bool(true)) {
            forget_rows(row);
        }
    }
    Ok(rows)
}

/// What tells of a table's rows.
const OF_ROWS: [&str; 7] = [
    "size_bytes",
    "relpages",
    "reltuples",
    "n_live_tup",
    "n_dead_tup",
    "n_mod_since_analyze",
    "n_ins_since_vacuum",
];

/// Of a distributed table this server has a shell, empty or with the rows from before: only its counters are this server's own.
fn forget_rows(row: &mut Row) {
    for column in OF_ROWS {
        row.insert(column.to_owned(), Value::Null);
    }
    if row.get("relation_kind").and_then(Value::as_str) == Some("table") {
        row.insert("relation_kind".to_owned(), "distributed table".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_has_counters_alone() {
        let row = serde_json::json!({"relation_kind": "table", "size_bytes": 8192, "reltuples": 3.0, "n_tup_ins": 5});
        let mut row: Row = serde_json::from_value(row).unwrap();
        forget_rows(&mut row);
        assert_eq!(row["relation_kind"], "distributed table");
        assert_eq!(
            (&row["size_bytes"], &row["reltuples"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(row["n_tup_ins"], 5);
        row.insert("relation_kind".to_owned(), "index".into());
        forget_rows(&mut row);
        assert_eq!(row["relation_kind"], "index");
    }

    #[test]
    fn watching_takes_a_hundredth_of_the_time() {
        assert_eq!(
            rest_after(Duration::from_millis(50)),
            Duration::from_secs(5)
        );
    }
}
