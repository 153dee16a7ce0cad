//! Every figure of the views with shares and rates is what its rows make by hand.

use super::sections::{planted, sql};
use super::{evaluated, execute, same, value};
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;
use std::collections::BTreeSet;

const ROWS: &str = include_str!("views.sql");
/// See its head.
const EXPECTED: &str = include_str!("views.txt");

/// The columns of a view that are numbers, without those that name a row.
fn figures(session: &mut Client, view: &str) -> BTreeSet<String> {
    let columns = session.value(&format!(
        "SELECT coalesce(string_agg(a.attname, ' '), '') FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
         WHERE a.attrelid = 'pgperf.{view}'::regclass AND a.attnum > 0 AND t.typcategory = 'N' AND a.attname NOT IN ('sample_id', 'run_id')"
    ));
    columns.split(' ').map(str::to_owned).collect()
}

/// What is wrong with a line of the expectations; the columns that it has.
fn judge(session: &mut Client, view: &str, line: &str) -> (Vec<String>, Vec<String>) {
    let (place, figures) = line.split_once(" :: ").expect(line);
    let (sample, condition) = place.split_once(" | ").expect(line);
    let row = value(
        session,
        &format!(
            "SELECT to_jsonb(v)::text FROM pgperf.{view} v WHERE v.node_id = pgperf.local_node() AND v.sample_id = {sample} AND ({condition})"
        ),
    );
    let row: Value = serde_json::from_str(&row).expect(&row);
    let pairs = figures
        .split("; ")
        .map(|figure| figure.split_once(" = ").expect(figure));
    let (columns, expressions): (Vec<String>, Vec<String>) = pairs
        .map(|(column, expression)| (column.to_owned(), sql(expression)))
        .unzip();
    let expected = evaluated(session, &expressions);
    let wrong = columns.iter().zip(expected).filter(|(column, expected)| {
        match (row[column.as_str()].as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => !same(found, expected),
            (found, expected) => found.is_some() || expected.is_some(),
        }
    });
    let wrong = wrong
        .map(|(column, expected)| {
            format!(
                "{view} {place}: {column} is {}, not {expected}",
                row[column.as_str()]
            )
        })
        .collect();
    (wrong, columns)
}

#[test]
fn every_figure_of_a_view_is_what_its_rows_make_by_hand() {
    let (cluster, _) = planted();
    let mut session = cluster.connect();
    execute(&mut session, ROWS);
    let mut wrong = Vec::new();
    for block in EXPECTED.split("\n== ").skip(1) {
        let (head, lines) = block.split_once('\n').expect(block);
        let (view, others) = head.split_once(':').expect(head);
        let mut missing = figures(&mut session, view);
        for other in others
            .split(", ")
            .map(str::trim)
            .filter(|other| !other.is_empty())
        {
            let is_view = value(
                &mut session,
                &format!("SELECT (to_regclass('pgperf.{other}') IS NOT NULL)::text"),
            ) == "true";
            let columns = if is_view {
                figures(&mut session, other)
            } else {
                BTreeSet::from([other.to_owned()])
            };
            missing.retain(|column| !columns.contains(column));
        }
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let (of_line, columns) = judge(&mut session, view, line);
            wrong.extend(of_line);
            missing.retain(|column| !columns.contains(column));
        }
        wrong.extend(
            missing
                .iter()
                .map(|column| format!("{view}: no expectation of {column}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
