//! The table of a version comparison: runs of one version beside those of another, in a few lines.

use super::cells::{cell, deciding_p, percent};
use super::compared_run::Run;
use super::row::{Comparison, Row, Verdict};
use super::sections::is_significant;
use super::statements::ALL;
use super::totals::{ALL_INDEXES, ALL_TABLES};
use crate::error::{Error, Result};
use crate::format::{WIDTH, one_line, table as columns, wrap};
use crate::report::markdown::{code, escape, table};
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
            other => Err(Error::InvalidArgument {
                message: format!("style must be text or markdown, not \"{other}\""),
                hint: None,
            }),
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
    let sides = [&comparison.baseline, &comparison.candidate].map(|runs| version(runs));
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
            let mut lines = left(heads, &rows);
            if !statements.is_empty() {
                lines.push(String::new());
                lines.extend(left(of_statements, &statements));
            }
            lines
        }
        Style::Markdown => {
            let mut lines = marked(heads, &rows);
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

/// The versions of a side's servers.
fn version(runs: &[Run]) -> String {
    let versions: BTreeSet<&str> = runs.iter().map(|run| run.server_version.as_str()).collect();
    let versions: Vec<&str> = versions
        .into_iter()
        // As packagers write it: "15.20 (Debian 15.20-1)".
        .filter_map(|version| version.split_whitespace().next())
        .collect();
    one_line(&versions.join(", "), 12)
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
        row.and_then(|row| row.change_percent)
            .map_or_else(dash, percent),
        row.and_then(deciding_p).unwrap_or_default(),
        row.map_or_else(String::new, mark),
    ]
}

/// The verdict as in a report of 80 columns.
fn mark(row: &Row) -> String {
    match &row.verdict {
        Verdict::NoDifference => "~".to_owned(),
        Verdict::SingleObservation => "?".to_owned(),
        Verdict::NotComparable(_) => "-".to_owned(),
        verdict => verdict.to_string(),
    }
}

/// Each statement's mean latency on both sides, its change, and that of its standard deviation.
fn statements(comparison: &Comparison) -> Vec<[String; 6]> {
    let of_metric = |metric: &'static str| {
        let rows = comparison.rows.iter();
        rows.filter(move |row| row.category == "statements" && row.metric == metric)
    };
    of_metric("latency_avg_ms")
        .filter(|row| row.object.as_deref() != Some(ALL))
        .map(|row| {
            let change = |row: &Row| {
                let text = row.change_percent.map_or_else(|| "-".to_owned(), percent);
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

/// Why a figure is missing, or cannot be compared.
fn reasons(found: &[(&str, Option<&Row>)]) -> Vec<String> {
    found
        .iter()
        .filter_map(|(name, row)| match row.map(|row| &row.verdict) {
            Some(Verdict::NotComparable(reason)) => Some(format!("{name}: {reason}")),
            Some(_) => None,
            None => Some(format!("{name}: neither side has stored it")),
        })
        .collect()
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
