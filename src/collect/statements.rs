//! Statements, as pg_stat_statements counts them.
//!
//! A statement gets a row when it was called since its last one; a sample stores the [`MAX_ROWS`] that took most
//! of the time since. Texts are stored once. Nothing here resets pg_stat_statements: it belongs to the user.

use super::collector::{Collector, Cost, InRuns, Reading, Scope, extension_schema};
use super::rows::{self, Row};
use crate::error::{Error, Result, sqlstate_code};
use crate::pg::subxact::subtransaction;
use serde_json::Value;

/// See the module.
pub const COLLECTOR: Collector = Collector {
    name: "statements",
    cost: Cost::Medium,
    sample_interval_s: 60,
    in_runs: InRuns::Ends,
    since_major: None,
    needs: Some("pg_stat_statements"),
    history_tables: &["statement_history"],
    description: "statements that were called, through pg_stat_statements: time, rows, blocks, WAL",
    read,
};

/// The most that one sample stores.
const MAX_ROWS: i64 = 500;

fn read(scope: &Scope) -> Result<Reading> {
    let schema = extension_schema("pg_stat_statements")?;
    let node = scope.node_id.as_str();
    let mut statements = rows::select(&changed_sql(&schema), &[node.into(), MAX_ROWS.into()])?;
    statements.iter_mut().for_each(rename);
    rows::forget_untimed(&mut statements, "track_io_timing", &BLOCK_TIMES);
    let due = integer(statements.first(), "due");
    let left_out = (due - statements.len() as i64).max(0);
    let unknown: Vec<String> = statements
        .iter()
        .filter(|row| row.get("known") == Some(&Value::Bool(false)))
        .map(|row| integer(Some(row), "queryid").to_string())
        .collect();

    let mut together = rows::select(&together_sql(&schema), &[])?;
    for row in &mut together {
        row.insert("left_out".to_owned(), left_out.into());
    }
    let mut tables = vec![
        ("statement_history", rows::values(together).into()),
        ("statement_history", rows::values(statements).into()),
    ];
    let mut note = None;
    if !unknown.is_empty() {
        let ids = format!("{{{}}}", unknown.join(","));
        let read = || rows::select(&texts_sql(&schema), &[node.into(), ids.into()]);
        match subtransaction(read) {
            Ok(texts) => tables.push(("statement_texts", rows::values(texts?).into())),
            Err(error) if UNTRANSLATABLE.contains(&error.sqlstate.as_str()) => {
                note = Some(format!("no texts of statements: {}", error.message));
            }
            Err(error) => {
                return Err(Error::Collector {
                    collector: COLLECTOR.name,
                    sqlstate: sqlstate_code(&error.sqlstate),
                    reason: error.message,
                });
            }
        }
    }
    Ok(Reading { tables, note })
}

/// pg_stat_statements converts the texts of all databases, whichever are asked for, and fails at one that the encoding of this
/// database cannot have.
const UNTRANSLATABLE: [&str; 2] = ["22P05", "22021"];

/// Times that are 0 where track_io_timing is off.
const BLOCK_TIMES: [&str; 6] = [
    "shared_blk_read_time",
    "shared_blk_write_time",
    "local_blk_read_time",
    "local_blk_write_time",
    "temp_blk_read_time",
    "temp_blk_write_time",
];

/// Up to version 1.10 of the extension the times of shared blocks had the names of all.
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

fn integer(row: Option<&Row>, column: &str) -> i64 {
    row.and_then(|row| row.get(column))
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// The statements that are to be stored, with all columns that the installed version has, how many are `due`,
/// and whether the text is `known`. $1: the node; $2: [`MAX_ROWS`].
fn changed_sql(schema: &str) -> String {
    format!(
        "SELECT n.*, l.sample_id AS before_sample_id, r.rolname AS role_name, d.datname AS database_name, i.stats_reset, \
                n.calls * (n.mean_exec_time * n.mean_exec_time + n.stddev_exec_time * n.stddev_exec_time) \
                    AS exec_time_squares, \
                n.plans * (n.mean_plan_time * n.mean_plan_time + n.stddev_plan_time * n.stddev_plan_time) \
                    AS plan_time_squares, \
                EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid \
                          AND t.queryid = n.queryid AND t.dbid = n.dbid) AS known, \
                pg_catalog.count(*) OVER () AS due \
         FROM {schema}.pg_stat_statements(false) n \
         CROSS JOIN {schema}.pg_stat_statements_info i \
         LEFT JOIN LATERAL (\
            SELECT h.calls, h.total_exec_time, h.taken_at, h.sample_id FROM pgperf.statement_history h \
            WHERE h.node_id = $1::pg_catalog.uuid AND h.queryid = n.queryid AND h.userid = n.userid \
              AND h.dbid = n.dbid AND h.toplevel = n.toplevel \
              AND h.taken_at > (SELECT z.taken_at - '8 days'::pg_catalog.interval FROM pgperf.statement_history z \
                                WHERE z.node_id = $1::pg_catalog.uuid AND z.queryid = 0 \
                                ORDER BY z.sample_id DESC LIMIT 1) \
            ORDER BY h.sample_id DESC LIMIT 1) l ON true \
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = n.userid \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = n.dbid \
         WHERE n.queryid IS NOT NULL \
           AND (l.calls IS DISTINCT FROM n.calls OR l.taken_at < pg_catalog.clock_timestamp() - '1 day'::pg_catalog.interval) \
         ORDER BY n.total_exec_time - CASE WHEN l.calls <= n.calls THEN l.total_exec_time ELSE 0 END DESC NULLS LAST \
         LIMIT $2"
    )
}

/// All statements as one row.
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
    .map(|column| format!("pg_catalog.sum(n.{column}) AS {column}"))
    .join(", ");
    format!(
        "SELECT 0 AS queryid, 0 AS userid, 0 AS dbid, true AS toplevel, pg_catalog.count(*) AS statements, {sums}, \
                (SELECT i.dealloc FROM {schema}.pg_stat_statements_info i) AS dealloc, \
                (SELECT i.stats_reset FROM {schema}.pg_stat_statements_info i) AS stats_reset \
         FROM {schema}.pg_stat_statements(false) n"
    )
}

/// The texts of statements. $1: the node; $2: their ids.
fn texts_sql(schema: &str) -> String {
    format!(
        "SELECT DISTINCT ON (n.queryid, n.dbid) n.queryid, n.dbid, pg_catalog.left(n.query, 10000) AS query \
         FROM {schema}.pg_stat_statements(true) n \
         WHERE n.queryid = ANY ($2::pg_catalog.int8[]) \
           AND NOT EXISTS (SELECT FROM pgperf.statement_texts t WHERE t.node_id = $1::pg_catalog.uuid \
                             AND t.queryid = n.queryid AND t.dbid = n.dbid) \
         ORDER BY n.queryid, n.dbid"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
