//! A section's SQL as Grafana's PostgreSQL data source takes it: its macros in place of the arguments.

use crate::show::section::{Chart, Column, FIRST, Table};
use crate::show::span::of_span;
use crate::show::span::placeholders::{ALL, FEW, with_parts};
use crate::show::span::shared::{self, Shared};
use std::fmt::Write;

/// The nodes to choose from, this server's own first.
pub const NODES: &str = "SELECT n.name AS __text, n.node_id::pg_catalog.text AS __value FROM pgperf.nodes n \
    ORDER BY n.node_id = pgperf.local_node() DESC, n.name";

/// What stands for samples. The report reads them once and hands them to each statement; a panel has one statement, and the width of a page.
const SAMPLES: &str = include_str!("samples.sql");

/// The macros are quoted literals, and `sqlstring` quotes the value.
fn with_macros(sql: &str, collector: &str) -> String {
    let record = (SAMPLES.trim_end()).replace("{collector}", collector);
    let sql = (shared::by_name(sql.trim_end()))
        .replace(ALL, &record)
        .replace(FEW, &record);
    with_parts(&of_span(&sql, None))
        .replace("$1", "${node:sqlstring}")
        .replace("$2", "$__timeFrom()")
        .replace("$3", "$__timeTo()")
        .replace(
            "$5",
            "(${node:sqlstring}::pg_catalog.uuid = (SELECT pgperf.local_node()))",
        )
}

/// What a report reads once for several statements is a part of each that reads it.
fn with_shared(sql: &str) -> String {
    let read = shared::ALL
        .iter()
        .filter(|shared| sql.contains(shared.place));
    let members: Vec<String> = read
        .map(
            |Shared {
                 name,
                 sql,
                 collector,
                 ..
             }| {
                format!("{name} AS MATERIALIZED (\n{})", with_macros(sql, collector))
            },
        )
        .collect();
    match members.is_empty() {
        true => String::new(),
        false => format!("WITH {}\n", members.join(",\n")),
    }
}

/// A name in double quotes. Names of columns are this crate's own.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The points of a chart, each at the end of the stretch that it stands for.
pub fn points(chart: &Chart) -> String {
    let mut columns = String::from(
        "$__timeFrom()::pg_catalog.timestamptz + (x.at_s + x.seconds) * '1 second'::pg_catalog.interval AS \"time\"",
    );
    if !chart.each.is_empty() {
        let _ = write!(columns, ",\n       x.{} AS metric", quoted(chart.each));
    }
    for line in chart.lines {
        let _ = write!(
            columns,
            ",\n       x.{} AS {}",
            quoted(line.column),
            quoted(line.name)
        );
    }
    let sql = with_macros(chart.sql, chart.collector);
    format!(
        "{}SELECT {columns}\nFROM (\n{sql}\n) x\nORDER BY 1",
        with_shared(chart.sql)
    )
}

/// The rows of a table, its columns under their heads.
pub fn rows(table: &Table) -> String {
    // Where one definition makes several tables, a column says which.
    let list = (!table.each.is_empty()).then(|| (table.each, table.each.to_owned()));
    let keys = (table.keys.iter()).map(|key| (key.name, head(key.name, key.head).to_owned()));
    let columns = (table.columns.iter()).map(|column| (column.name, label(table, column)));
    let columns: Vec<String> = (list.into_iter().chain(keys).chain(columns))
        .map(|(name, label)| format!("x.{} AS {}", quoted(name), quoted(&label)))
        .collect();
    let sql = with_macros(&table.sql_of(FIRST), table.collector);
    format!(
        "{}SELECT {}\nFROM (\n{sql}\nLIMIT {}\n) x",
        with_shared(table.sql),
        columns.join(",\n       "),
        table.limit
    )
}

/// The name of a column: in a report its unit tells it from others with the same head.
pub fn label(table: &Table, column: &Column) -> String {
    let heads = (table.columns.iter()).filter(|other| other.head == column.head);
    match heads.count() {
        1 => column.head.to_owned(),
        _ => format!("{} ({})", column.head, column.kind.name()),
    }
}

/// A column needs a head.
fn head<'a>(name: &'a str, head: &'a str) -> &'a str {
    if head.is_empty() { name } else { head }
}

#[test]
fn arguments_become_macros() {
    let sql = with_macros(
        "SELECT $1::uuid FROM {samples} WHERE x > $2 AND x <= $3\n",
        "wal",
    );
    assert!(sql.starts_with("SELECT ${node:sqlstring}::uuid FROM (SELECT "));
    assert!(sql.ends_with(" p WHERE x > $__timeFrom() AND x <= $__timeTo()"));
    assert!(sql.contains("OPERATOR(pg_catalog.->) 'wal'"));
    assert!(
        !sql.contains("$1")
            && !sql.contains("$2")
            && !sql.contains("$3")
            && !sql.contains("{collector}")
    );
}
