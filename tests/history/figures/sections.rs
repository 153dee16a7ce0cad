//! The documents of the history: every cell and every point of a chart, with its unit, is what the planted rows make by hand.

use super::parts::{Part, Row, expected, found};
use super::{ELSEWHERE, add_elsewhere, evaluated, execute, same};
use crate::common::runs::Runs;
use crate::common::{Cluster, checkout};
use postgres::Client;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;

const ROWS: &str = include_str!("sections.sql");
const COSTS: &str = include_str!("costs.sql");
const ELSEWHERES: &str = include_str!("elsewhere.sql");
/// What window one is not planted for.
const OF_WINDOW_TWO: [&str; 2] = ["observer", "gaps"];
/// Of the bounds of a band: Student's t comes from a table with three decimals.
const BAND: f64 = 2e-4;

/// An expression for the server: divisions leave a rest.
pub fn sql(expression: &str) -> String {
    expression
        .replace(" blocks", " * current_setting('block_size')::integer")
        .replace(" / ", "::numeric / ")
}

/// How a document differs from the expectations.
pub fn differences(session: &mut Client, expected: &[Part], found: &[Part]) -> Vec<String> {
    let mut wrong = Vec::new();
    let names = |parts: &[Part]| {
        parts
            .iter()
            .map(|part| part.name.clone())
            .collect::<Vec<_>>()
    };
    let (of_expected, of_found) = (names(expected), names(found));
    if of_expected != of_found {
        wrong.push(format!("parts {of_found:?}\nbut expected {of_expected:?}"));
    }
    for wanted in expected {
        let name = &wanted.name;
        let Some(part) = found.iter().find(|part| part.name == *name) else {
            continue;
        };
        if part.kinds != wanted.kinds || part.is_chart != wanted.is_chart {
            wrong.push(format!(
                "{name} has {:?}, {:?} expected",
                part.kinds, wanted.kinds
            ));
        }
        let rows = |part: &Part| {
            part.rows
                .iter()
                .map(|row| row.name.clone())
                .collect::<Vec<_>>()
        };
        if rows(part) != rows(wanted) {
            wrong.push(format!(
                "{name}: rows {:?}\nbut expected {:?}",
                rows(part),
                rows(wanted)
            ));
            continue;
        }
        for (wanted, row) in wanted.rows.iter().zip(&part.rows) {
            wrong.extend(
                cells(session, wanted, row)
                    .into_iter()
                    .map(|cell| format!("{name}: {}: {cell}", row.name)),
            );
        }
    }
    wrong
}

/// How a row differs.
fn cells(session: &mut Client, wanted: &Row, found: &Row) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut left: Map<String, Value> = Map::new();
    for (name, value) in &found.figures {
        left.insert(name.clone(), serde_json::from_str(value).expect("a value"));
    }
    let (texts, numbers): (Vec<_>, Vec<_>) = wanted
        .figures
        .iter()
        .partition(|(_, expression)| expression.starts_with('\''));
    let numbers: Vec<(&str, &str)> = numbers
        .iter()
        .map(|(name, e)| (name.as_str(), e.as_str()))
        .collect();
    let expressions: Vec<String> = numbers
        .iter()
        .map(|(_, e)| sql(e.trim_start_matches('~')))
        .collect();
    let values = if expressions.is_empty() {
        Vec::new()
    } else {
        evaluated(session, &expressions)
    };
    let texts = texts
        .iter()
        .map(|(name, text)| (name.as_str(), "", Value::from(text.trim_matches('\''))));
    let values = numbers
        .iter()
        .zip(values)
        .map(|((name, e), value)| (*name, *e, value));
    for (name, expression, wanted) in texts.chain(values) {
        let Some(found) = left.remove(name) else {
            wrong.push(format!("{name} is missing, {wanted} expected"));
            continue;
        };
        let is_same = match (found.as_f64(), wanted.as_f64()) {
            (Some(found), Some(wanted)) if expression.starts_with('~') => {
                (found / wanted - 1.0).abs() < BAND
            }
            // Moments and times have microseconds.
            (Some(found), Some(wanted)) => same(found, wanted) || (found - wanted).abs() < 1e-9,
            _ => found == wanted,
        };
        if !is_same {
            wrong.push(format!("{name} is {found}, {wanted} expected"));
        }
    }
    wrong.extend(
        left.iter()
            .map(|(name, value)| format!("{name} is {value}, nothing expected")),
    );
    wrong
}

/// The subjects, with the sources that declare their sections.
fn subjects() -> Vec<(String, String)> {
    let folder = checkout().join("src/subject");
    let files = fs::read_dir(folder).expect("the subjects");
    let subjects = files.filter_map(|file| {
        let path = file.expect("a file").path();
        let source = fs::read_to_string(path.join("mod.rs")).ok()?;
        Some((path.file_name()?.to_string_lossy().into_owned(), source))
    });
    subjects.collect()
}

/// The columns of tables and the lines of charts that the sections declare: `section/table column`.
fn declared() -> BTreeSet<String> {
    let mut declared = BTreeSet::new();
    for (subject, source) in subjects() {
        let mut table = String::new();
        for (place, _) in source.match_indices('"') {
            let before = source[..place].trim_end();
            let literal = source[place + 1..].split('"').next().unwrap_or_default();
            if before.ends_with("name:") {
                literal.clone_into(&mut table);
            } else if ["column(", "line(", "area(", "dotted("]
                .iter()
                .any(|call| before.ends_with(call))
            {
                declared.insert(format!("{subject}/{table} {literal}"));
            }
        }
    }
    declared
}

/// The names of the lines of charts, under which documents have them, by column.
fn line_names() -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (_, source) in subjects() {
        for call in ["line(", "area(", "dotted("] {
            for (place, _) in source.match_indices(call) {
                let mut literals = source[place + call.len()..].split('"');
                if let (Some(column), Some(name)) = (literals.nth(1), literals.nth(1)) {
                    names.push((column.to_owned(), name.to_owned()));
                }
            }
        }
    }
    names
}

#[test]
fn every_column_and_line_of_a_section_has_an_expectation() {
    let declared = declared();
    assert!(declared.len() > 250, "{} of {declared:?}", declared.len());
    let lines = line_names();
    let mut judged = BTreeSet::new();
    for part in expected("window one").iter().chain(&expected("window two")) {
        for row in &part.rows {
            if !part.is_chart {
                judged.extend(
                    row.figures
                        .iter()
                        .map(|(column, _)| format!("{} {column}", part.name)),
                );
                continue;
            }
            let name = row.name.rsplit_once(" / ").expect("a name").1;
            let columns = lines.iter().filter(|(_, of)| of == name);
            judged.extend(columns.map(|(column, _)| format!("{} {column}", part.name)));
        }
    }
    let missing: Vec<&String> = declared.difference(&judged).collect();
    assert!(missing.is_empty(), "no expectation: {missing:?}");
}

/// A cluster with both windows planted, of this node and of another one; where each begins, and how long it is.
pub fn planted() -> (Cluster, [(String, String); 2]) {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    let node = session.value("SELECT pgperf.local_node()");
    add_elsewhere(&mut session);
    let at = |session: &mut Client, minutes: i64| {
        session.value(&format!(
            "SELECT date_trunc('hour', now()) - interval '5 hours' + interval '{minutes} min'"
        ))
    };
    let windows =
        [(0, 40), (120, 170)].map(|(from, to)| (at(&mut session, from), at(&mut session, to)));
    for (sql, (from, to)) in [(ROWS, &windows[0]), (COSTS, &windows[1])] {
        let sql = sql
            .replace("{node}", &node)
            .replace("{from}", from)
            .replace("{to}", to);
        execute(&mut session, &sql);
    }
    execute(
        &mut session,
        &ELSEWHERES
            .replace("{node}", &node)
            .replace("{other}", ELSEWHERE),
    );
    (cluster, windows)
}

pub fn read(session: &mut Client, (from, to): &(String, String)) -> Value {
    let text = session.value(&format!(
        "SELECT pgperf.history_json('{from}'::timestamptz, '{to}'::timestamptz)"
    ));
    serde_json::from_str(&text).expect("a document")
}

pub fn parts_of(session: &mut Client, document: &Value, from: &str) -> Vec<Part> {
    found(document, |moment| {
        session.float(&format!(
            "SELECT extract(epoch FROM '{moment}'::timestamptz - '{from}'::timestamptz)"
        ))
    })
}

#[test]
fn every_figure_is_what_its_rows_make_by_hand() {
    let (cluster, [one, two]) = planted();
    let mut session = cluster.connect();
    let document = read(&mut session, &one);
    let mut of_one = parts_of(&mut session, &document, &one.0);
    let section = |part: &Part| part.name.split('/').next().unwrap_or_default().to_owned();
    of_one.retain(|part| !OF_WINDOW_TWO.contains(&section(part).as_str()));
    let mut wrong = differences(&mut session, &expected("window one"), &of_one);
    let document = read(&mut session, &two);
    let mut of_two = parts_of(&mut session, &document, &two.0);
    let wanted = expected("window two");
    of_two.retain(|part| wanted.iter().any(|wanted| wanted.name == part.name));
    of_two.sort_by_key(|part| wanted.iter().position(|wanted| wanted.name == part.name));
    wrong.extend(differences(&mut session, &wanted, &of_two));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // A window that begins with a sample: it lies before it, and counters begin there. One that ends with one has it.
    let earlier = session.value(&format!(
        "SELECT '{}'::timestamptz - interval '480 s'",
        one.0
    ));
    let document = read(&mut session, &(earlier.clone(), one.1.clone()));
    assert_eq!(document["window"]["samples"], 3, "{}", document["window"]);
    let load = parts_of(&mut session, &document, &earlier);
    let load = load
        .iter()
        .find(|part| part.name == "load/totals")
        .expect("the load");
    let cell = |name: &str| {
        let cell = load.rows[0]
            .figures
            .iter()
            .find(|(column, _)| column == name);
        cell.expect("a cell").1.parse::<f64>().expect("a number")
    };
    // Both samples that lie close together stand for a part of this window; the one at its beginning would have 89.
    for (name, expected) in [
        ("commits", 505.0),
        ("backends_max", 83.0),
        ("seconds", 2880.0),
    ] {
        assert!(same(cell(name), expected), "{name} in {load:?}");
    }
}
