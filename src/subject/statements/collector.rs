//! Statements, as pg_stat_statements counts them.
//!
//! A statement gets a row if it was called since its last row. A sample stores the [`MAX_ROWS`] statements with the most time
//! since then. Texts are stored once ([`texts`]). pgperf never resets pg_stat_statements: it belongs to the user.
//!
//! The last rows of statements are looked up in batches, and all columns are read only for statements to be stored: both
//! pg_stat_statements and the history may have many thousands.

mod texts;

use crate::collect::collector::{
    Collector, Cost, InRuns, InVisits, Read, Reading, Scope, extension_schema,
};
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::{Pace, Parts};
use crate::error::Result;
use crate::pg::sql::spi;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "statements",
    cost: Cost::Medium,
    sample_interval_s: 60,
    keeps_interval: true,
    in_runs: InRuns::Ends,
    in_visits: InVisits::WhenDue,
    since_major: None,
    needs: Some("pg_stat_statements"),
    watches_clients: false,
    report: None,
    history_tables: &["statement_history"],
    description: "statements that were called, through pg_stat_statements: time, rows, blocks, WAL",
    read: Read::InParts(read),
};

/// Most rows that one sample stores.
const MAX_ROWS: usize = 500;
/// Statements read whole at once.
const READ_WHOLE: usize = 125;

/// The keys and counters of all statements: one value per statement in each list.
#[derive(Default, Deserialize)]
struct Counted {
    /// Time from which a last row is looked for.
    since: Option<String>,
    queryid: Vec<i64>,
    userid: Vec<u32>,
    dbid: Vec<u32>,
    toplevel: Vec<bool>,
    calls: Vec<i64>,
    total_exec_time: Vec<f64>,
}

/// The last rows of some statements, one value per statement in each list.
#[derive(Default, Deserialize)]
struct Last {
    place: Vec<usize>,
    sample_id: Vec<i64>,
    calls: Vec<Option<i64>>,
    total_exec_time: Vec<Option<f64>>,
    is_old: Vec<bool>,
}

/// A statement that is to be stored.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Due {
    /// In the lists of [`Counted`].
    place: usize,
    /// The sample of its last row.
    before: Option<i64>,
    /// Milliseconds since that.
    time: f64,
    /// All milliseconds that it has taken, if no row tells of them, or if the last one that does is about to be too old to be found.
    unseen: f64,
}

fn read(scope: &Scope, parts: &mut dyn Parts) -> Result<Reading> {
    let node = scope.node_id.as_str();
    let (schema, mut together) = parts.part(|| {
        let schema = extension_schema("pg_stat_statements")?;
        let together = rows::select(&together_sql(&schema), &[])?;
        Ok((schema, together))
    })?;
    let counted = parts.part(|| {
        let counted = spi::select_one::<Counted>(&counted_sql(&schema), &[node.into()])?;
        Ok(counted.unwrap_or_default())
    })?;
    let mut picked = due(node, &counted, parts)?;
    let left_out = picked.len().saturating_sub(MAX_ROWS);
    picked.sort_by(|a, b| b.time.total_cmp(&a.time));
    let unseen = picked.iter().skip(MAX_ROWS).map(|due| due.unseen);
    let left_out_time = unseen.reduce(f64::max);
    picked.truncate(MAX_ROWS);
    let mut statements = Vec::new();
    for some in picked.chunks(READ_WHOLE) {
        let places: Vec<usize> = some.iter().map(|due| due.place).collect();
        let whole = || rows::select(&whole_sql(&schema), &arguments(node, &counted, &places));
        let mut read = parts.part(whole)?;
        for row in &mut read {
            let place = row.remove("place").and_then(|place| place.as_u64());
            let due = some.iter().find(|due| Some(due.place as u64) == place);
            let before = due.and_then(|due| due.before);
            row.insert("before_sample_id".to_owned(), before.into());
            rename(row);
        }
        statements.append(&mut read);
    }
    rows::forget_untimed(&mut statements, "track_io_timing", &BLOCK_TIMES);
    let unknown: Vec<i64> = statements
        .iter()
        .filter(|row| row.get("known") == Some(&Value::Bool(false)))
        .filter_map(|row| row.get("queryid")?.as_i64())
        .collect();
    for row in &mut together {
        row.insert("left_out".to_owned(), left_out.into());
        row.insert("max_left_out_time".to_owned(), left_out_time.into());
    }
    let mut tables = vec![
        ("statement_history", rows::values(together).into()),
        ("statement_history", rows::values(statements).into()),
    ];
    let mut note = None;
    if !unknown.is_empty() || texts::are_many() {
        let (texts, reason) = parts.part(|| texts::read(&schema, node, unknown))?;
        tables.push(("statement_texts", rows::values(texts).into()));
        note = reason;
    }
    Ok(Reading { tables, note })
}

/// The statements that were called since their last row, that have none, or whose last one is old.
fn due(node: &str, counted: &Counted, parts: &mut dyn Parts) -> Result<Vec<Due>> {
    let (mut pace, mut due) = (Pace::new(), Vec::new());
    let mut next = 0;
    while next < counted.queryid.len() {
        let end = counted.queryid.len().min(next + pace.size() as usize);
        let places: Vec<usize> = (next..end).collect();
        let last = pace.part(parts, || {
            let mut args = arguments(node, counted, &places);
            args.push(counted.since.as_deref().into());
            Ok(spi::select_one::<Last>(&last_sql(), &args)?.unwrap_or_default())
        })?;
        due.extend(due_of(counted, &places, &last));
        next = end;
    }
    Ok(due)
}

fn due_of(counted: &Counted, places: &[usize], last: &Last) -> Vec<Due> {
    let rows: HashMap<usize, usize> = (last.place.iter().copied()).zip(0..).collect();
    let one = |&place: &usize| {
        let calls = *counted.calls.get(place)?;
        let time = *counted.total_exec_time.get(place)?;
        let Some(&row) = rows.get(&place) else {
            let before = None;
            return Some(Due {
                place,
                before,
                time,
                unseen: time,
            });
        };
        let last_calls = *last.calls.get(row)?;
        let is_old = *last.is_old.get(row)?;
        let last_time = *last.total_exec_time.get(row)?;
        let was_called = last_calls != Some(calls) || last_time != Some(time);
        if !was_called && !is_old {
            return None;
        }
        // With fewer calls or less time than before it began again, as with as many calls that took another time.
        let went_on = !was_called || last_calls.is_some_and(|last| last < calls);
        let last_time = last_time.filter(|last| went_on && *last <= time);
        Some(Due {
            place,
            before: last.sample_id.get(row).copied(),
            time: time - last_time.unwrap_or_default(),
            unseen: if is_old { time } else { 0.0 },
        })
    };
    places.iter().filter_map(one).collect()
}

/// For SQL: the node, then the places and keys of statements.
fn arguments<'a>(node: &'a str, counted: &Counted, places: &[usize]) -> Vec<DatumWithOid<'a>> {
    fn at<T: Copy>(list: &[T], places: &[usize]) -> Vec<Option<T>> {
        let at = |place: &usize| list.get(*place).copied();
        places.iter().map(at).collect()
    }
    let oids = |list: &[u32]| -> Vec<Option<i64>> {
        let wide = |oid: Option<u32>| oid.map(i64::from);
        at(list, places).into_iter().map(wide).collect()
    };
    let numbers: Vec<i64> = places.iter().map(|place| *place as i64).collect();
    vec![
        node.into(),
        numbers.into(),
        at(&counted.queryid, places).into(),
        oids(&counted.userid).into(),
        oids(&counted.dbid).into(),
        at(&counted.toplevel, places).into(),
    ]
}

/// Times that are 0 where track_io_timing is off.
const BLOCK_TIMES: [&str; 6] = [
    "shared_blk_read_time",
    "shared_blk_write_time",
    "local_blk_read_time",
    "local_blk_write_time",
    "temp_blk_read_time",
    "temp_blk_write_time",
];

/// Up to version 1.10 of the extension, the times of shared blocks had names without "shared".
fn rename(row: &mut Row) {
    for (old, new) in [
        ("blk_read_time", "shared_blk_read_time"),
        ("blk_write_time", "shared_blk_write_time"),
    ] {
        if let Some(time) = row.remove(old) {
            row.insert(new.to_owned(), time);
        }
    }
}

/// A [`Counted`] of all statements. $1: the node.
fn counted_sql(schema: &str) -> String {
    let list = |value: &str, column: &str| {
        format!("COALESCE(pg_catalog.array_agg({value}), '{{}}') AS {column}")
    };
    let lists = [
        list("n.queryid", "queryid"),
        list("n.userid::pg_catalog.int8", "userid"),
        list("n.dbid::pg_catalog.int8", "dbid"),
        list("n.toplevel", "toplevel"),
        list("n.calls", "calls"),
        list("n.total_exec_time", "total_exec_time"),
    ]
    .join(", ");
    format!(
        "SELECT {lists}, \
                (SELECT z.taken_at - '8 days'::pg_catalog.interval FROM pgperf.statement_history z \
                 WHERE z.node_id = $1::pg_catalog.uuid AND z.queryid = 0 ORDER BY z.sample_id DESC LIMIT 1) AS since \
         FROM {schema}.pg_stat_statements(false) n WHERE n.queryid IS NOT NULL"
    )
}

/// The statements of [`arguments`], as `k`.
const KEYS: &str = "ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4), \
        pg_catalog.unnest($5), pg_catalog.unnest($6)) AS k (place, queryid, userid, dbid, toplevel)";

/// The [`Last`] rows of the statements of [`arguments`]. $7: since when.
fn last_sql() -> String {
    format!(
        "SELECT COALESCE(pg_catalog.array_agg(k.place), '{{}}') AS place, \
                COALESCE(pg_catalog.array_agg(l.sample_id), '{{}}') AS sample_id, \
                COALESCE(pg_catalog.array_agg(l.calls), '{{}}') AS calls, \
                COALESCE(pg_catalog.array_agg(l.total_exec_time), '{{}}') AS total_exec_time, \
                COALESCE(pg_catalog.array_agg(\
                    l.taken_at < pg_catalog.clock_timestamp() - '1 day'::pg_catalog.interval), '{{}}') AS is_old \
         FROM {KEYS} JOIN LATERAL (\
            SELECT h.calls, h.total_exec_time, h.taken_at, h.sample_id FROM pgperf.statement_history h \
            WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid = k.queryid AND h.userid = k.userid::pg_catalog.oid \
              AND h.dbid = k.dbid::pg_catalog.oid AND h.toplevel = k.toplevel \
              AND h.taken_at > $7::pg_catalog.timestamptz \
            ORDER BY h.sample_id DESC LIMIT 1) l ON true"
    )
}

/// The statements of [`arguments`] with all columns that the installed version has, and whether the text is `known`.
fn whole_sql(schema: &str) -> String {
    format!(
        "SELECT k.place, n.*, r.rolname AS role_name, d.datname AS database_name, i.stats_reset, \
                n.calls * (n.mean_exec_time * n.mean_exec_time + n.stddev_exec_time * n.stddev_exec_time) \
                    AS exec_time_squares, \
                n.plans * (n.mean_plan_time * n.mean_plan_time + n.stddev_plan_time * n.stddev_plan_time) \
                    AS plan_time_squares, \
                EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid \
                          AND t.queryid = n.queryid AND t.dbid = n.dbid) AS known \
         FROM {KEYS} \
         JOIN {schema}.pg_stat_statements(false) n ON n.queryid = k.queryid AND n.userid = k.userid::pg_catalog.oid \
              AND n.dbid = k.dbid::pg_catalog.oid AND n.toplevel = k.toplevel \
         CROSS JOIN {schema}.pg_stat_statements_info i \
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = n.userid \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = n.dbid"
    )
}

/// All statements as one row. What nested ones count, those that call them count as well.
fn together_sql(schema: &str) -> String {
    let sums = [
        "plans",
        "total_plan_time",
        "calls",
        "total_exec_time",
        "rows",
        "shared_blks_hit",
        "shared_blks_read",
        "shared_blks_dirtied",
        "shared_blks_written",
        "temp_blks_read",
        "temp_blks_written",
        "wal_records",
        "wal_fpi",
        "wal_bytes",
    ]
    .map(|column| format!("pg_catalog.sum(n.{column}) FILTER (WHERE n.toplevel) AS {column}"))
    .join(", ");
    format!(
        "SELECT 0 AS queryid, 0 AS userid, 0 AS dbid, true AS toplevel, pg_catalog.count(*) AS statements, {sums}, \
                (SELECT i.dealloc FROM {schema}.pg_stat_statements_info i) AS dealloc, \
                (SELECT i.stats_reset FROM {schema}.pg_stat_statements_info i) AS stats_reset \
         FROM {schema}.pg_stat_statements(false) n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_called_is_due_and_what_was_not_only_when_old() {
        let counted = Counted {
            queryid: vec![1; 7],
            calls: vec![10, 10, 10, 10, 3, 10, 10],
            total_exec_time: vec![100.0; 7],
            ..Counted::default()
        };
        // The first has no row; then: not called, called, old, began again, as many calls later, and more calls in less time later.
        let last = Last {
            place: vec![1, 2, 3, 4, 5, 6],
            sample_id: vec![71, 72, 73, 74, 75, 76],
            calls: [10, 8, 10, 8, 10, 8].map(Some).into(),
            total_exec_time: [100.0, 80.0, 100.0, 80.0, 70.0, 900.0].map(Some).into(),
            is_old: vec![false, false, true, false, false, false],
        };
        let due = |place, before, time, unseen| Due {
            place,
            before,
            time,
            unseen,
        };
        assert_eq!(
            due_of(&counted, &[0, 1, 2, 3, 4, 5, 6], &last),
            [
                due(0, None, 100.0, 100.0),
                due(2, Some(72), 20.0, 0.0),
                // Its row may be too old to be found when it is called again.
                due(3, Some(73), 0.0, 100.0),
                due(4, Some(74), 100.0, 0.0),
                due(5, Some(75), 100.0, 0.0),
                due(6, Some(76), 100.0, 0.0)
            ]
        );
    }

    #[test]
    fn times_of_blocks_have_their_later_names() {
        let mut row: Row =
            serde_json::from_value(json!({"blk_read_time": 2.5, "calls": 1})).unwrap();
        rename(&mut row);
        assert_eq!(
            Value::Object(row),
            json!({"shared_blk_read_time": 2.5, "calls": 1})
        );
    }
}
