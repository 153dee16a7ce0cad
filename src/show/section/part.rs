//! A section with its data, from which its text, page and document are made.

use super::{Chart, Column, Layout, Section, Table};
use serde::Serialize;
use serde_json::{Map, Value};

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
    /// text, time, plan.
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
pub type Row = Map<String, Value>;

impl Part {
    pub fn of(section: &'static Section) -> Part {
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

    pub fn without_rows(section: &'static Section, why: String) -> Part {
        Part {
            why: Some(why),
            ..Part::of(section)
        }
    }
}

/// The tables of a definition, of its rows in order, of which there may be one more than are shown: those without rows are left out.
pub fn tables(table: &'static Table, mut rows: Vec<Row>) -> Vec<Rows> {
    let limit = table.limit as usize;
    let more = rows.len() > limit;
    rows.truncate(limit);
    // What else is read of a row is for its users alone.
    for row in &mut rows {
        row.retain(|name, _| table.has(name));
    }
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
    tables.collect()
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

/// A chart for each object, or one; those without a value are left out. `zero_s`: the zero of its times.
pub fn drawings(chart: &'static Chart, rows: Vec<Row>, zero_s: f64) -> Vec<Drawing> {
    let objects = by_object(rows, chart.each);
    let drawings = objects
        .into_iter()
        .map(|(object, rows)| drawing(chart, object, &rows, zero_s));
    drawings.filter(Drawing::has_values).collect()
}

fn drawing(chart: &'static Chart, object: Option<String>, rows: &[Row], zero_s: f64) -> Drawing {
    let value = |row: &Row, column: &str| row.get(column).and_then(Value::as_f64);
    let all = |column: &str| {
        rows.iter()
            .map(|row| value(row, column))
            .collect::<Vec<_>>()
    };
    let times = |column: &str| all(column).into_iter().map(Option::unwrap_or_default);
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
        at_s: times("at_s").map(|at_s| at_s - zero_s).collect(),
        seconds: times("seconds").collect(),
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
    /// The columns that have a value in some row.
    pub fn known_columns(&self) -> impl Iterator<Item = &'static Column> {
        let is_known = |column: &&Column| {
            let mut values = self.rows.iter().filter_map(|row| row.get(column.name));
            values.any(|value| !value.is_null())
        };
        self.table.columns.iter().filter(is_known)
    }

    /// Whether it has a line for each figure, and a column for each object.
    pub fn is_turned(&self) -> bool {
        self.table.layout == Layout::Figures
    }
}
