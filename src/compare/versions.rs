//! The table of a version comparison: runs of two versions side by side, in a few lines.

use super::cells::{cell, deciding_p};
use super::compared_run::Run;
use super::row::{Comparison, Row, Verdict};
use super::sections::is_significant;
use super::statements::ALL;
use super::text::{caution, mark};
use super::totals::{ALL_INDEXES, ALL_TABLES};
use crate::error::{Result, invalid};
use crate::show::markdown::{code, escape, table};
use crate::show::text::{WIDTH, one_line, table as columns, wrap};
use std::collections::BTreeSet;

/// The style of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Text,
    Markdown,
}

impl Style {
    /// # Errors No style has that name.
    pub fn named(name: Option<&str>) -> Result<Style> {
        match name.unwrap_or("text") {
            "text" => Ok(Style::Text),
            "markdown" => Ok(Style::Markdown),
            other => Err(invalid(format!(
                "style must be text or markdown, not \"{other}\""
            ))),
        }
    }
}

/// A row's name, and where in a comparison it is found: object and metric.
const ROWS: [(&str, Option<&str>, &str); 8] = [
    ("mean statement time, ms", Some(ALL), "latency_avg_ms"),
    ("growth of the database", None, "database_growth_bytes"),
    ("WAL", None, "wal_bytes"),
    ("hit ratio, %", None, "hit_percent"),
    ("live tuples, %", Some(ALL_TABLES), "tuple_percent"),
    ("autovacuums", None, "autovacuum_count"),
    ("size of tables", Some(ALL_TABLES), "size_bytes"),
    ("size of indexes", Some(ALL_INDEXES), "size_bytes"),
];
const STATEMENT_WIDTH: usize = 30;
const LEGEND: &str = "~ not significant; ? single observation; - not comparable; * significant";

/// The lines of the table.
pub fn lines(comparison: &Comparison, style: Style) -> Vec<String> {
    let sides = heads([&comparison.baseline, &comparison.candidate]);
    let found: Vec<(&str, Option<&Row>)> = ROWS
        .into_iter()
        .map(|(name, object, metric)| (name, find(comparison, object, metric)))
        .collect();
    let heads = ["", &sides[0], &sides[1], "change", "p", ""];
    let rows: Vec<[String; 6]> = found
        .iter()
        .map(|(name, row)| figures(name, *row))
        .collect();
    let statements = statements(comparison);
    let of_statements = ["statement", "mean ms", "mean ms", "change", "stddev", ""];
    let mut lines = match style {
        Style::Text => {
            let mut lines = caution(comparison);
            lines.extend(left(heads, &rows));
            if !statements.is_empty() {
                lines.push(String::new());
                lines.extend(left(of_statements, &statements));
            }
            lines
        }
        Style::Markdown => {
            let mut lines = Vec::new();
            if let Some(caution) = &comparison.caution {
                lines.extend([format!("> {}", escape(caution)), String::new()]);
            }
            lines.extend(marked(heads, &rows));
            if !statements.is_empty() {
                lines.push(String::new());
                lines.extend(marked(of_statements, &statements));
            }
            lines
        }
    };
    let notes = reasons(&found).into_iter().chain(comparison.notes.clone());
    lines.push(String::new());
    match style {
        Style::Text => {
            lines.extend(notes.flat_map(|note| wrap(&format!("({note})"), WIDTH)));
            lines.push(LEGEND.to_owned());
        }
        Style::Markdown => {
            lines.extend(notes.map(|note| format!("* {}", escape(&note))));
            lines.push(format!("* {}", escape(LEGEND)));
        }
    }
    lines
}

/// What tells the two sides apart: the versions of their servers or, where these are the same, their labels, their nodes, the
/// numbers of their runs.
fn heads(sides: [&[Run]; 2]) -> [String; 2] {
    const WIDEST: usize = 12;
    let by = |name: fn(&Run) -> Option<String>| {
        let [baseline, candidate] = sides.map(|runs| {
            let names: Option<BTreeSet<String>> = runs.iter().map(name).collect();
            names.map(|names| names.into_iter().collect::<Vec<_>>().join(", "))
        });
        Some([one_line(&baseline?, WIDEST), one_line(&candidate?, WIDEST)])
    };
    // As packagers write it: "15.20 (Debian 15.20-1)".
    let version = |run: &Run| {
        run.server_version
            .split_whitespace()
            .next()
            .map(str::to_owned)
    };
    let number = |run: &Run| Some(format!("run {}", run.run_id));
    [
        by(version),
        by(|run| run.label.clone()),
        by(|run| run.node_name.clone()),
        by(number),
    ]
    .into_iter()
    .flatten()
    .find(|[baseline, candidate]| baseline != candidate)
    .unwrap_or_else(|| ["baseline", "candidate"].map(str::to_owned))
}

/// Figures of the run as a whole may be known from its summary and, more exactly, as metrics: the first one found.
fn find<'a>(comparison: &'a Comparison, object: Option<&str>, metric: &str) -> Option<&'a Row> {
    comparison.rows.iter().find(|row| {
        row.baseline_text.is_none() && row.object.as_deref() == object && row.metric == metric
    })
}

fn figures(name: &str, row: Option<&Row>) -> [String; 6] {
    let dash = || "-".to_owned();
    let value = |of: fn(&Row) -> Option<f64>| row.map_or_else(dash, |row| cell(row, of(row)));
    [
        name.to_owned(),
        value(|row| row.baseline),
        value(|row| row.candidate),
        row.and_then(|row| row.delta.change()).unwrap_or_else(dash),
        row.and_then(deciding_p).unwrap_or_default(),
        row.map_or_else(String::new, mark),
    ]
}

/// The mean latency on both sides of each statement that these have in common, its change, and that of its standard deviation. Of
/// others there is nothing to say but that they are there, which a note does.
fn statements(comparison: &Comparison) -> Vec<[String; 6]> {
    let of_metric = |metric: &'static str| {
        let rows = comparison.rows.iter();
        rows.filter(move |row| row.category == "statements" && row.metric == metric)
    };
    of_metric("latency_avg_ms")
        .filter(|row| row.object.as_deref() != Some(ALL))
        .filter(|row| !matches!(row.verdict, Verdict::NotComparable(_)))
        .map(|row| {
            let change = |row: &Row| {
                let text = row.delta.change().unwrap_or_else(|| "-".to_owned());
                let mark = if is_significant(row) { "*" } else { "" };
                format!("{text}{mark}")
            };
            let stddev = of_metric("latency_stddev_ms").find(|other| other.object == row.object);
            [
                row.object.clone().unwrap_or_default(),
                cell(row, row.baseline),
                cell(row, row.candidate),
                change(row),
                stddev.map_or_else(|| "-".to_owned(), change),
                mark(row),
            ]
        })
        .collect()
}

/// Why figures are missing, or cannot be compared: each reason with the names of those it is true of.
fn reasons(found: &[(&str, Option<&Row>)]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, row) in found {
        let reason = match row.map(|row| &row.verdict) {
            Some(Verdict::NotComparable(reason)) => reason,
            Some(_) => continue,
            None => "neither side has stored it",
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let line = |(reason, names): (&str, Vec<&str>)| format!("{}: {reason}", names.join("; "));
    reasons.into_iter().map(line).collect()
}

/// As [`columns`], but the first one to the left and no wider than it has to be.
fn left(heads: [&str; 6], rows: &[[String; 6]]) -> Vec<String> {
    let names = rows.iter().map(|row| one_line(&row[0], STATEMENT_WIDTH));
    let names: Vec<String> = std::iter::once(heads[0].to_owned()).chain(names).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let values: Vec<[String; 5]> = rows.iter().map(|[_, values @ ..]| values.clone()).collect();
    let [_, heads @ ..] = heads;
    names
        .iter()
        .zip(columns(heads, &values))
        .map(|(name, values)| format!("{name:<width$}{values}").trim_end().to_owned())
        .collect()
}

fn marked(heads: [&str; 6], rows: &[[String; 6]]) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|[name, values @ ..]| {
            let name = if heads[0].is_empty() {
                escape(name)
            } else {
                code(&one_line(name, 100))
            };
            let values = values.iter().map(|value| escape(value));
            std::iter::once(name).chain(values).collect()
        })
        .collect();
    table(&heads, &rows)
}
