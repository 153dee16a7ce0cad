//! The reading of sections from the samples of a span.

use super::part::{self, Part, Row};
use super::{FIRST, Section, Table};
use crate::error::Result;
use crate::pg::server;
use crate::pg::sql::subxact::subtransaction;
use crate::show::span::ahead::Statement;
use crate::show::span::samples::Samples;
use crate::show::span::sources::Sources;

/// Reads sections, or of a run's span what its page shows of them; the current user must be able to read pgperf's tables.
pub fn parts(sections: &[&'static Section], samples: &Samples) -> Result<Vec<Part>> {
    let sources = Sources::load(samples, sections)?;
    let parts = (sections.iter())
        .filter(|section| section.is_in(&samples.span))
        .map(|section| part_or_error(section, samples, &sources));
    parts.collect()
}

/// What [`parts`] reads.
pub fn statements(sections: &[&'static Section]) -> Vec<Statement> {
    let mut statements = Vec::new();
    for section in sections {
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
fn part_or_error(section: &'static Section, samples: &Samples, sources: &Sources) -> Result<Part> {
    let read = || part(section, samples, sources);
    // There, a conflict with replay within a subtransaction would end the session.
    if server::in_recovery() {
        return read();
    }
    subtransaction(read).unwrap_or_else(|error| {
        let why = format!("this could not be read: {}", error.message);
        Ok(Part::without_rows(section, why))
    })
}

fn part(section: &'static Section, samples: &Samples, sources: &Sources) -> Result<Part> {
    let is_shown = |name: &str| section.shows(name, &samples.span);
    let mut tables = Vec::new();
    for table in section.tables.iter().filter(|table| is_shown(table.name)) {
        tables.extend(part::tables(table, rows(table, samples)?));
    }
    let mut charts = Vec::new();
    for chart in section.charts.iter().filter(|chart| is_shown(chart.name)) {
        let rows = samples.select(chart.sql, Some(chart.collector))?;
        charts.extend(part::drawings(chart, rows, samples.span.zero_s()));
    }
    if tables.is_empty() && charts.is_empty() {
        return Ok(Part::without_rows(section, sources.why_empty(section)));
    }
    // The call is one for all of the history.
    let call = samples.span.run.map_or(section.call, |_| "");
    Ok(Part {
        call,
        notes: sources.notes(section),
        tables,
        charts,
        ..Part::of(section)
    })
}

/// No table has more lists.
const LISTS: usize = 10;

/// The rows of a table that are shown, and one more if there are more.
pub fn rows(table: &Table, samples: &Samples) -> Result<Vec<Row>> {
    let sql = first_rows(table, shown(table), FIRST);
    samples.select(&sql, Some(table.collector))
}

/// At least so many rows of a table, of each of its lists if it has some.
pub fn further_rows(table: &Table, first: usize, samples: &Samples) -> Result<Vec<Row>> {
    let lists = if table.each.is_empty() { 1 } else { LISTS };
    let sql = first_rows(table, first * lists, first);
    samples.select(&sql, Some(table.collector))
}

fn first_rows(table: &Table, limit: usize, first: usize) -> String {
    format!("{}\nLIMIT {limit}", table.sql_of(first))
}

/// One more than a page shows: it says that there are more.
fn shown(table: &Table) -> usize {
    table.limit as usize + 1
}
