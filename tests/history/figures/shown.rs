//! The text of a window: each figure of the document stands in it under its head, in its unit.

use super::sections::{planted, read};
use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;
use serde_json::Value;

/// A column as documents have it, with the unit that is behind its head, or behind each figure where these are lines.
struct Column {
    name: String,
    kind: String,
    head: String,
    unit: &'static str,
}

impl Column {
    fn head_with_unit(&self) -> String {
        format!("{}{}", self.head, self.unit)
    }
}

fn columns(table: &Value) -> Vec<Column> {
    let text = |column: &Value, name: &str| column[name].as_str().unwrap_or_default().to_owned();
    let columns = table["columns"].as_array().expect("columns").iter();
    let figures = columns.filter(|column| column["kind"] != "key");
    let column = |column: &Value| {
        let kind = text(column, "kind");
        let unit = match kind.as_str() {
            "milliseconds" => " ms",
            "percent" => " %",
            _ => "",
        };
        Column {
            name: text(column, "name"),
            head: text(column, "head"),
            unit,
            kind,
        }
    };
    figures.map(column).collect()
}

/// The parts of a line, which have two spaces or more between them.
fn split(line: &str) -> Vec<&str> {
    let parts = line.split("  ").map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// What a cell says, in the unit of its kind, and how far it may be off by its rounding; None: it is no number.
fn said(cell: &str, kind: &str) -> Option<(f64, f64)> {
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
    // Three digits.
    let rounded = |value: f64| (value, 0.006 * value.abs());
    match kind {
        "bytes" => {
            let (size, unit) = cell.split_once(' ')?;
            let power = ["bytes", "kB", "MB", "GB", "TB"]
                .iter()
                .position(|known| *known == unit)?;
            Some(rounded(
                number(size)? * 1024_f64.powi(i32::try_from(power).ok()?),
            ))
        }
        "seconds" => {
            let sign = if cell.starts_with('-') { -1.0 } else { 1.0 };
            let words: Vec<&str> = cell.trim_start_matches('-').split(' ').collect();
            let (mut sum, mut last) = (0.0, 0.0);
            for pair in words.chunks(2) {
                let [size, unit] = pair else { return None };
                last = match *unit {
                    "d" => 86_400.0,
                    "h" => 3_600.0,
                    "min" => 60.0,
                    "s" => 1.0,
                    _ => return None,
                };
                sum += number(size)? * last;
            }
            let room = if words.len() == 2 && last == 1.0 {
                0.051 + 0.006 * sum
            } else {
                last
            };
            Some((sign * sum, room))
        }
        "percent" => Some((number(cell)?, 0.051)),
        "count" => Some((number(cell)?, 0.51)),
        "number" | "milliseconds" => Some(rounded(number(cell)?)),
        _ => None,
    }
}

/// Whether a cell of the text is this value.
fn is(cell: &str, value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => cell == "-",
        Value::Number(value) => {
            let value = value.as_f64().expect("a number");
            said(cell, kind).is_some_and(|(said, room)| (said - value).abs() <= room + 1e-9)
        }
        Value::Bool(value) => cell == if *value { "yes" } else { "no" },
        // A moment is shown to the second.
        Value::String(text) if kind == "time" => {
            cell.starts_with(&text[..10]) && cell[11..].starts_with(&text[11..19])
        }
        Value::String(text) => {
            cell == text || cell.ends_with("...") && text.starts_with(cell.trim_end_matches('.'))
        }
        other => panic!("{other}"),
    }
}

/// How the text of a section differs from its document.
fn differences(section: &Value, text: &[String]) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let title = section["title"].as_str().expect("a title");
    let start = (0..text.len() - 1).find(|n| text[*n] == title && text[n + 1].starts_with("--"));
    let mut lines = text[start.expect(title)..].iter();
    for table in section["tables"].as_array().expect("tables") {
        let title = format!("{}:", table["title"].as_str().expect("a title"));
        lines
            .find(|line| **line == title)
            .unwrap_or_else(|| panic!("no {title}"));
        let rows = table["rows"].as_array().expect("rows");
        let heads = split(lines.next().expect("heads"));
        let columns = columns(table);
        let keys = table["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .filter(|column| column["kind"] == "key");
        let keys: Vec<&str> = keys
            .map(|key| key["name"].as_str().expect("a name"))
            .collect();
        if keys == ["whole"] || keys == ["database"] || keys == ["phase"] {
            // A line for each figure that any row has, and its head last.
            let known = columns
                .iter()
                .filter(|column| rows.iter().any(|row| !row[&column.name].is_null()));
            for column in known {
                let cells = split(lines.next().expect("a figure"));
                let is_right = cells.len() == rows.len() + 1 && cells[rows.len()] == column.head;
                let are = rows.iter().zip(&cells).all(|(row, cell)| {
                    match cell.strip_suffix(column.unit) {
                        Some(cell) => is(cell, &row[&column.name], &column.kind),
                        None => *cell == "-" && row[&column.name].is_null(),
                    }
                });
                compared += rows.len();
                if !is_right || !are {
                    wrong.push(format!(
                        "{title} {cells:?} for {} of {:?}",
                        column.head,
                        rows.iter()
                            .map(|row| &row[&column.name])
                            .collect::<Vec<_>>()
                    ));
                }
            }
            continue;
        }
        // The figures that have room, then the name.
        let shown: Vec<&Column> = heads
            .iter()
            .map_while(|head| columns.iter().find(|it| it.head_with_unit() == *head))
            .collect();
        if shown.len() + 1 < heads.len() || shown.is_empty() {
            wrong.push(format!("{title} {heads:?}"));
        }
        for row in rows {
            let cells = split(lines.next().expect("a row"));
            for (column, cell) in shown.iter().zip(&cells) {
                compared += 1;
                if !is(cell, &row[&column.name], &column.kind) {
                    wrong.push(format!(
                        "{title} {} is {cell} for {}",
                        column.head, row[&column.name]
                    ));
                }
            }
        }
    }
    (compared, wrong)
}

fn compare(session: &mut Client, window: &(String, String)) -> (usize, Vec<String>) {
    let document = read(session, window);
    let text = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.history_report('{}', '{}') l",
        window.0, window.1
    ));
    let text: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut all = (0, Vec::new());
    for section in document["sections"].as_array().expect("sections") {
        if section["why"].is_null() {
            let (compared, wrong) = differences(section, &text);
            all.0 += compared;
            all.1.extend(wrong);
        }
    }
    all
}

#[test]
fn the_text_shows_each_figure_in_its_unit() {
    let (cluster, windows): (Cluster, _) = planted();
    let mut session = cluster.connect();
    for (window, at_least) in windows.iter().zip([300, 40]) {
        let (compared, wrong) = compare(&mut session, window);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(compared >= at_least, "{compared}");
    }
}
