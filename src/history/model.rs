//! What was read of a window: the contents of its page, text and document. `docs/history.schema.json` describes it; a unit test
//! keeps the two together.

#[cfg(test)]
mod schema_test;

use super::ahead::Statement;
use super::findings::{self, Finding, judge};
use super::samples::Samples;
use super::section::{Chart, FIRST, Layout, Section, Table};
use super::sections;
use super::shared;
use super::sources::Sources;
use super::window::Window;
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::subxact::subtransaction;
use serde::Serialize;
use serde_json::{Map, Value};

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

/// A section as it was read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    pub name: &'static str,
    pub title: &'static str,
    /// How to read it.
    pub reading: &'static str,
    /// What to run to see more.
    pub call: &'static str,
    /// Why it is empty, or could not be read: half a sentence; null: it is not.
    pub why: Option<String>,
    /// Parts that are missing: each a sentence.
    pub notes: Vec<String>,
    pub tables: Vec<Rows>,
    pub charts: Vec<Drawing>,
}

/// A table as it was read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rows {
    pub name: &'static str,
    pub title: String,
    pub columns: Vec<Head>,
    /// One object for each row, with the columns' names.
    pub rows: Vec<Map<String, Value>>,
    /// Whether there are more rows than these.
    pub more: bool,
    #[serde(skip)]
    pub table: &'static Table,
}

/// What a column is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Head {
    pub name: &'static str,
    pub head: &'static str,
    /// `key` for the name of what the row is about, otherwise what the value is: count, number, bytes, milliseconds, seconds, percent,
    /// text, time.
    pub kind: &'static str,
    /// `higher` or `lower`; null: neither is better by itself.
    pub better: Option<&'static str>,
}

/// A chart as it was read.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Drawing {
    pub name: &'static str,
    pub title: &'static str,
    /// Of several objects that have a chart each, the one that this is about.
    pub object: Option<String>,
    pub unit: String,
    pub lines: Vec<Curve>,
    /// Seconds since the window began: where each point begins.
    pub at_s: Vec<f64>,
    /// The length of each point; 0: a moment.
    pub seconds: Vec<f64>,
    #[serde(skip)]
    pub chart: &'static Chart,
}

/// A line of a chart.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Curve {
    pub name: &'static str,
    /// One for each point.
    pub values: Vec<Option<f64>>,
}

/// A row of a query.
type Row = Map<String, Value>;

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
        tables.extend(rows(table, window, samples)?);
    }
    let mut charts = Vec::new();
    for chart in section.charts {
        charts.extend(drawings(chart, window, samples)?);
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

impl Part {
    fn of(section: &'static Section) -> Part {
        Part {
            name: section.name,
            title: section.title,
            reading: section.reading,
            call: section.call,
            why: None,
            notes: Vec::new(),
            tables: Vec::new(),
            charts: Vec::new(),
        }
    }

    fn without_rows(section: &'static Section, why: String) -> Part {
        Part {
            why: Some(why),
            ..Part::of(section)
        }
    }
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

/// The tables of a definition: those without rows are left out.
fn rows(table: &'static Table, window: &Window, samples: &Samples) -> Result<Vec<Rows>> {
    let limit = table.limit as usize;
    let mut rows = read(table, window, samples)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let parts = by_object(rows, table.each);
    let last = parts.len().saturating_sub(1);
    let tables = parts
        .into_iter()
        .enumerate()
        .map(|(number, (list, rows))| Rows {
            name: table.name,
            title: list.unwrap_or_else(|| table.title.to_owned()),
            columns: heads(table),
            rows,
            more: more && number == last,
            table,
        });
    Ok(tables.collect())
}

fn heads(table: &Table) -> Vec<Head> {
    let keys = table.keys.iter().map(|key| Head {
        name: key.name,
        head: key.head,
        kind: "key",
        better: None,
    });
    let columns = table.columns.iter().map(|column| Head {
        name: column.name,
        head: column.head,
        kind: column.kind.name(),
        better: column.better.map(measure::metrics::Better::name),
    });
    keys.chain(columns).collect()
}

/// The rows by the value of a column, in the order in which the values appear; all together if they have no such column.
fn by_object(rows: Vec<Row>, column: &str) -> Vec<(Option<String>, Vec<Row>)> {
    let mut objects: Vec<(Option<String>, Vec<Row>)> = Vec::new();
    for row in rows {
        let object = row.get(column).and_then(Value::as_str).map(str::to_owned);
        match objects.iter_mut().find(|(known, _)| *known == object) {
            Some((_, rows)) => rows.push(row),
            None => objects.push((object, vec![row])),
        }
    }
    objects
}

/// A chart for each object, or one; those without a value are left out.
fn drawings(chart: &'static Chart, window: &Window, samples: &Samples) -> Result<Vec<Drawing>> {
    let rows: Vec<Row> = shared::select(chart.sql, Some(chart.collector), window, samples)?;
    let objects = by_object(rows, chart.each);
    let drawings = objects
        .into_iter()
        .map(|(object, rows)| drawing(chart, object, &rows));
    Ok(drawings.filter(Drawing::has_values).collect())
}

fn drawing(chart: &'static Chart, object: Option<String>, rows: &[Row]) -> Drawing {
    let value = |row: &Row, column: &str| row.get(column).and_then(Value::as_f64);
    let all = |column: &str| {
        rows.iter()
            .map(|row| value(row, column))
            .collect::<Vec<_>>()
    };
    let known = |column: &str| {
        all(column)
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect()
    };
    Drawing {
        name: chart.name,
        title: chart.title,
        object,
        unit: chart.unit.name().to_owned(),
        lines: (chart.lines.iter())
            .map(|line| Curve {
                name: line.name,
                values: all(line.column),
            })
            .collect(),
        at_s: known("at_s"),
        seconds: known("seconds"),
        chart,
    }
}

impl Drawing {
    fn has_values(&self) -> bool {
        let values = self.lines.iter().flat_map(|line| &line.values);
        values.flatten().next().is_some()
    }
}

impl Rows {
    /// Whether it has a line for each figure, and a column for each object.
    pub fn is_turned(&self) -> bool {
        self.table.layout == Layout::Figures
    }
}
