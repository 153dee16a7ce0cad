//! Statements of a target: those with most time come over the connection, with all their columns and texts; which of them get rows is decided
//! here, as for this server.

use super::{Counted, KEYS, MAX_ROWS, Picked, SUMS, arguments, before, pick, postponing, rename};
use crate::collect::collector::{Reading, Scope};
use crate::collect::of_target::Asking;
use crate::collect::rows::{self, Row};
use crate::collect::sample::parts::OneTransaction;
use crate::error::{Result, failure, unsupported};
use crate::pg::server;
use crate::pg::sql::spi;
use crate::target::standing::Statements;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Of these statements those with most time come, which are more than get rows.
const ASKED_FOR: usize = 2 * MAX_ROWS;

pub fn queries(asking: &Asking) -> Result<Vec<String>> {
    let found = asking.standing.statements.as_ref().ok_or_else(|| {
        unsupported("extension \"pg_stat_statements\" is not installed in the target's database")
    })?;
    if !found.is_preloaded {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "the target does not preload pg_stat_statements",
        ));
    }
    if !found.installed.is_readable {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            "the role may not read pg_stat_statements there",
        ));
    }
    Ok(vec![together_sql(found), statements_sql(found)])
}

/// All of them as one row. Versions before 1.9 count nested statements like the others.
fn together_sql(found: &Statements) -> String {
    let schema = &found.installed.schema;
    let toplevel = if found.has_toplevel {
        " FILTER (WHERE n.toplevel)"
    } else {
        ""
    };
    let sum = |column: &&str| {
        format!(
            "pg_catalog.sum(n.{}){toplevel} AS {column}",
            old_name(found, column)
        )
    };
    let known = |column: &&&str| found.has_wal || !is_of_1_8(column);
    let sums: Vec<String> = SUMS.iter().filter(known).map(sum).collect();
    let info = match found.has_toplevel {
        true => format!(
            ", (SELECT i.dealloc FROM {schema}.pg_stat_statements_info i) AS dealloc, \
               (SELECT i.stats_reset FROM {schema}.pg_stat_statements_info i) AS stats_reset"
        ),
        false => String::new(),
    };
    format!(
        "SELECT 0 AS queryid, 0 AS userid, 0 AS dbid, true AS toplevel, pg_catalog.count(*) AS statements, {}{info} \
         FROM {schema}.pg_stat_statements(false) n",
        sums.join(", ")
    )
}

/// Whether 1.8 brought the column, not only its name.
fn is_of_1_8(column: &str) -> bool {
    column.starts_with("wal_") || column.starts_with("plan") || column.ends_with("_plan_time")
}

/// Before 1.8 times were those of execution alone.
fn old_name(found: &Statements, column: &str) -> String {
    match found.has_wal {
        true => column.to_owned(),
        false => column.replace("_exec_time", "_time"),
    }
}

fn statements_sql(found: &Statements) -> String {
    let schema = &found.installed.schema;
    let squares = |kind: &str, count: &str| {
        let [mean, deviation] = ["mean", "stddev"]
            .map(|of| format!("n.{}", old_name(found, &format!("{of}_{kind}_time"))));
        format!("n.{count} * ({mean} * {mean} + {deviation} * {deviation}) AS {kind}_time_squares")
    };
    let mut columns = vec![squares("exec", "calls")];
    if found.has_wal {
        columns.push(squares("plan", "plans"));
    }
    if found.has_toplevel {
        columns.push(format!(
            "(SELECT i.stats_reset FROM {schema}.pg_stat_statements_info i) AS stats_reset"
        ));
    }
    let same_level = match found.has_toplevel {
        true => "AND t.toplevel = p.toplevel",
        false => "",
    };
    let time = old_name(found, "total_exec_time");
    format!(
        "WITH p AS (SELECT n.*, {} FROM {schema}.pg_stat_statements(false) n WHERE n.queryid IS NOT NULL \
                    ORDER BY n.{time} DESC LIMIT {ASKED_FOR}) \
         SELECT p.*, r.rolname AS role_name, d.datname AS database_name, pg_catalog.left(t.query, 10000) AS query \
         FROM p LEFT JOIN {schema}.pg_stat_statements(true) t \
              ON t.queryid = p.queryid AND t.userid = p.userid AND t.dbid = p.dbid {same_level} \
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = p.userid \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = p.dbid",
        columns.join(", ")
    )
}

pub fn reading(scope: &Scope, answers: Vec<Vec<Row>>) -> Result<Reading> {
    let mut answers = answers.into_iter();
    let mut together = answers.next().unwrap_or_default();
    let mut statements = answers.next().unwrap_or_default();
    statements.iter_mut().for_each(made_new);
    together.iter_mut().for_each(made_new);
    rows::forget_untimed(&mut statements, scope.timing.io, &super::BLOCK_TIMES);
    let counted = counted(scope, &statements)?;
    let picked = pick(scope, &counted, &mut OneTransaction)?;
    let texts = texts(scope, &counted, &picked, &statements)?;
    let of_picked = picked.statements.iter().filter_map(|due| {
        let mut row = statements.get(due.place)?.clone();
        row.insert("before_sample_id".to_owned(), due.before.into());
        Some(row)
    });
    let of_picked: Vec<Row> = of_picked.collect();
    for row in &mut together {
        let all = row.get("statements").and_then(Value::as_u64).unwrap_or(0);
        let unknown = (all as usize).saturating_sub(statements.len());
        row.insert("left_out".to_owned(), (picked.left_out + unknown).into());
        row.insert(
            "max_left_out_time".to_owned(),
            left_out_time(&picked, unknown, &statements).into(),
        );
        if let Some(longest_s) = postponing::longest_s(scope).filter(|_| picked.postponed) {
            let since = server::timestamp_now() - (longest_s * 1e6) as i64;
            let since = server::timestamp_text(since);
            row.insert("postponed_since".to_owned(), since.into());
        }
    }
    Ok(Reading {
        tables: vec![
            ("statement_history", rows::values(together).into()),
            ("statement_history", rows::values(of_picked).into()),
            ("statement_texts", rows::values(texts).into()),
        ],
        note: None,
    })
}

/// Those that were not asked for have taken no more than the last one that was.
fn left_out_time(picked: &Picked, unknown: usize, statements: &[Row]) -> Option<f64> {
    let last = statements
        .iter()
        .filter_map(|row| row.get("total_exec_time")?.as_f64());
    let least = last.reduce(f64::min).filter(|_| unknown > 0);
    picked
        .left_out_time
        .into_iter()
        .chain(least)
        .reduce(f64::max)
}

/// A row under the names of later versions.
fn made_new(row: &mut Row) {
    for of in ["total", "min", "max", "mean", "stddev"] {
        if let Some(time) = row.remove(&format!("{of}_time")) {
            row.insert(format!("{of}_exec_time"), time);
        }
    }
    row.entry("toplevel").or_insert(true.into());
    rename(row);
}

/// The keys and counters of these statements, and what the sample before tells.
fn counted(scope: &Scope, statements: &[Row]) -> Result<Counted> {
    #[derive(Default, Deserialize)]
    struct Before {
        since: Option<String>,
        together: Option<postponing::Amounts>,
    }
    let node = scope.node_id.as_str();
    let before: Option<Before> = spi::select_one(&format!("SELECT {}", before()), &[node.into()])?;
    let Before { since, together } = before.unwrap_or_default();
    let mut counted = Counted {
        since,
        together,
        ..Counted::default()
    };
    for row in statements {
        let number = |name: &str| row.get(name).and_then(Value::as_i64).unwrap_or_default();
        let oid = |name: &str| match row.get(name) {
            Some(Value::String(text)) => text.parse().unwrap_or_default(),
            _ => number(name) as u32,
        };
        counted.queryid.push(number("queryid"));
        counted.userid.push(oid("userid"));
        counted.dbid.push(oid("dbid"));
        let toplevel = row.get("toplevel").and_then(Value::as_bool);
        counted.toplevel.push(toplevel.unwrap_or(true));
        counted.amounts.push(postponing::of_row(row));
    }
    Ok(counted)
}

/// The texts of picked statements that have none yet.
fn texts(
    scope: &Scope,
    counted: &Counted,
    picked: &Picked,
    statements: &[Row],
) -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct Place {
        place: usize,
    }
    let places: Vec<usize> = picked.statements.iter().map(|due| due.place).collect();
    let without: Vec<Place> = spi::select(
        &format!(
            "SELECT k.place FROM {KEYS} WHERE NOT EXISTS (SELECT FROM pgperf.statement_texts t \
                 WHERE t.node_id = $1::pg_catalog.uuid AND t.queryid = k.queryid AND t.dbid = k.dbid::pg_catalog.oid)"
        ),
        &arguments(&scope.node_id, counted, &places),
    )?;
    let mut seen = HashSet::new();
    let text = |Place { place }: Place| {
        let row = statements.get(place)?;
        let column = |name: &str| Some((name.to_owned(), row.get(name)?.clone()));
        let text: Map<String, Value> = ["queryid", "dbid", "query"]
            .into_iter()
            .filter_map(column)
            .collect();
        let is_new = seen.insert((counted.queryid.get(place)?, counted.dbid.get(place)?));
        (is_new && text.get("query").is_some_and(Value::is_string)).then_some(text)
    };
    Ok(without.into_iter().filter_map(text).collect())
}
