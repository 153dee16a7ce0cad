//! What was read of a window: the contents of its page, text and document. `docs/history.schema.json` describes it; a unit test
//! keeps the two together.

#[cfg(test)]
mod schema_test;

use super::ahead::Statement;
use super::findings::{self, Finding, judge};
use super::samples::Samples;
use super::sections;
use super::shared;
use super::sources::Sources;
use super::window::Window;
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::subxact::subtransaction;
use crate::show::section::part::{self, Part, Row};
use crate::show::section::{FIRST, Section, Table};
use serde::Serialize;

/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// A window of the history. Absent values are null.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct History {
    /// Changes when a reader of an older document would misread a newer one.
    pub format_version: u32,
    /// The version of pgperf that wrote the document.
    pub pgperf_version: &'static str,
    pub window: Window,
    /// What has to be known before the figures: each a sentence.
    pub notes: Vec<String>,
    /// What stands out, the weightiest first.
    pub findings: Vec<Finding>,
    pub sections: Vec<Part>,
}

/// Reads a window; the current user must be able to read pgperf's tables.
pub fn load(window: Window, samples: &Samples) -> Result<History> {
    let sections = sections::all();
    let sources = Sources::load(&window, samples, sections)?;
    let parts = sections
        .iter()
        .map(|section| part_or_error(section, &window, samples, &sources));
    let parts = parts.collect::<Result<_>>()?;
    Ok(History {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        notes: window.notes(),
        findings: judge(&window, samples),
        sections: parts,
        window,
    })
}

/// What [`load`] reads of the samples.
pub fn statements() -> Vec<Statement> {
    let mut statements = findings::statements();
    for section in sections::all() {
        let tables = section.tables.iter().map(|table| Statement {
            sql: first_rows(table, shown(table), FIRST),
            collector: Some(table.collector.to_owned()),
        });
        let charts = section.charts.iter().map(|chart| Statement {
            sql: chart.sql.to_owned(),
            collector: Some(chart.collector.to_owned()),
        });
        statements.extend(tables.chain(charts));
    }
    statements
}

/// An error of the server in one section leaves the others as they are.
fn part_or_error(
    section: &'static Section,
    window: &Window,
    samples: &Samples,
    sources: &Sources,
) -> Result<Part> {
    let read = || part(section, window, samples, sources);
    // There, a conflict with replay within a subtransaction would end the session.
    if server::in_recovery() {
        return read();
    }
    subtransaction(read).unwrap_or_else(|error| {
        let why = format!("this could not be read: {}", error.message);
        Ok(Part::without_rows(section, why))
    })
}

fn part(
    section: &'static Section,
    window: &Window,
    samples: &Samples,
    sources: &Sources,
) -> Result<Part> {
    let mut tables = Vec::new();
    for table in section.tables {
        tables.extend(part::tables(table, read(table, window, samples)?));
    }
    let mut charts = Vec::new();
    for chart in section.charts {
        let rows = shared::select(chart.sql, Some(chart.collector), window, samples)?;
        charts.extend(part::drawings(chart, rows));
    }
    if tables.is_empty() && charts.is_empty() {
        return Ok(Part::without_rows(section, sources.why_empty(section)));
    }
    Ok(Part {
        notes: sources.notes(section),
        tables,
        charts,
        ..Part::of(section)
    })
}

/// No table has more lists.
const LISTS: usize = 10;

/// The rows of a table that are shown, and one more if there are more.
pub fn read(table: &Table, window: &Window, samples: &Samples) -> Result<Vec<Row>> {
    let sql = first_rows(table, shown(table), FIRST);
    shared::select(&sql, Some(table.collector), window, samples)
}

/// At least so many rows of a table, of each of its lists if it has some.
pub fn read_further(
    table: &Table,
    first: usize,
    window: &Window,
    samples: &Samples,
) -> Result<Vec<Row>> {
    let lists = if table.each.is_empty() { 1 } else { LISTS };
    let sql = first_rows(table, first * lists, first);
    shared::select(&sql, Some(table.collector), window, samples)
}

fn first_rows(table: &Table, limit: usize, first: usize) -> String {
    format!("{}\nLIMIT {limit}", table.sql_of(first))
}

/// One more than a page shows: it says that there are more.
fn shown(table: &Table) -> usize {
    table.limit as usize + 1
}
