//! Two windows of the history side by side, and what lies beyond the usual of the same hour on other days.
//!
//! The tables are those of the report ([`crate::show::section`]): what a row is about, which figures it has, and which way is better is
//! data there, so that every section compares by the same mechanism.
//!
//! * [`rows`]: rows of both windows that belong together, by their [`identity`]; [`usual`]: the figures of earlier days, and their spread;
//! * [`settings`]: those that differ; [`report`]: how it is shown; [`functions`]: the calls.

pub mod functions;
mod identity;
mod report;
mod rows;
mod settings;
mod usual;

use super::glance::{self, GlanceFigure};
use super::window::Window;
use crate::error::Result;
use crate::show::section::{Table, read};
use crate::show::span::samples::Samples;
use crate::subject;
use identity::{Read, Side};
use rows::{ComparedRow, FigureChange, Verdict};
use serde::Serialize;
use settings::Difference;
use usual::Days;

/// Changes when a reader of an older document would misread a newer one.
const FORMAT_VERSION: u32 = 1;

/// So many rows of a table, or of each of its lists, are read, many more than are shown: a row is new or gone only if the other window
/// does not have it.
const READ: usize = 500;

/// Two windows. Absent values are null.
#[derive(Debug, Serialize)]
struct Comparison {
    format_version: u32,
    /// The version of pgperf that wrote the document.
    pgperf_version: &'static str,
    /// The window to compare with.
    a: Window,
    /// The window in question.
    b: Window,
    /// What has to be known before the figures: each a sentence.
    notes: Vec<String>,
    /// The windows from which the usual is known.
    usual: Usual,
    /// The figures to begin with, of both windows.
    glance: Vec<glance::Beside>,
    /// Settings whose values differ between the ends of the windows.
    settings: Vec<Difference>,
    sections: Vec<ComparedSection>,
}

/// What the usual is made of.
#[derive(Debug, Serialize)]
struct Usual {
    /// Earlier days with samples at the hour of window b.
    days: usize,
    /// Figures with a usual range.
    figures: usize,
    /// Those of window b that lie beyond it.
    beyond: usize,
    /// Why nothing is known; null: something is.
    why: Option<String>,
}

/// A section.
#[derive(Debug, Serialize)]
struct ComparedSection {
    name: &'static str,
    title: &'static str,
    tables: Vec<Pair>,
}

/// A table of both windows.
#[derive(Debug, Serialize)]
struct Pair {
    name: &'static str,
    title: &'static str,
    rows: Vec<ComparedRow>,
    #[serde(skip)]
    table: &'static Table,
}

/// A figure beyond the usual, with its place.
struct Beyond<'a> {
    part: &'a ComparedSection,
    pair: &'a Pair,
    row: &'a ComparedRow,
    figure: &'a FigureChange,
}

/// Reads both windows and the earlier days of the second one.
fn load(a: (Window, Samples), b: (Window, Samples)) -> Result<Comparison> {
    let days = Days::before(&b.0)?;
    let mut parts = Vec::new();
    for section in subject::sections() {
        let mut tables = Vec::new();
        let with_figures = |table: &&Table| table.columns.iter().any(rows::is_figure);
        let tables_of = section.tables.iter().filter(with_figures);
        for table in tables_of.filter(|table| !rows::is_of_changes(table)) {
            let (old, new) = (
                read::further_rows(table, READ, &a.1)?,
                read::further_rows(table, READ, &b.1)?,
            );
            let together = identity::together(table, [&old, &new]);
            let apart = |rows: Vec<Read>| identity::of_parts(rows, together.as_ref());
            let side = |samples: &Samples, rows: &[Read]| -> Result<Side> {
                let shown = match table.each {
                    "" => None,
                    _ => Some(apart(read::rows(table, samples)?)),
                };
                let was_sampled = samples.inside(table.collector) > 0;
                let read = if was_sampled { READ } else { 0 };
                Ok(Side::of(table, apart(rows.to_vec()), shown, read))
            };
            let usual = days.of(table, together.as_ref())?;
            let rows = rows::paired(table, &side(&a.1, &old)?, &side(&b.1, &new)?, &usual);
            if !rows.is_empty() {
                let (name, title) = (table.name, table.title);
                tables.push(Pair {
                    name,
                    title,
                    rows,
                    table,
                });
            }
        }
        let (name, title) = (section.name, section.title);
        parts.push(ComparedSection {
            name,
            title,
            tables,
        });
    }
    parts.retain(|part| !part.tables.is_empty());
    let settings = settings::differences(&a.0, &b.0)?;
    let first = |(_, samples): &(Window, Samples)| -> Result<Vec<GlanceFigure>> {
        Ok(glance::figures(&read::parts(&glance::SOURCES, samples)?))
    };
    let glance = glance::beside(first(&a)?, first(&b)?);
    let known = figures(&parts).filter(|one| one.figure.usual.is_some());
    let usual = Usual {
        days: days.count(),
        figures: known.count(),
        beyond: figures(&parts)
            .filter(|one| one.figure.verdict.is_some())
            .count(),
        why: days.why().map(str::to_owned),
    };
    Ok(Comparison {
        format_version: FORMAT_VERSION,
        pgperf_version: env!("CARGO_PKG_VERSION"),
        notes: notes(&a.0, &b.0),
        a: a.0,
        b: b.0,
        usual,
        glance,
        settings,
        sections: parts,
    })
}

fn figures(parts: &[ComparedSection]) -> impl Iterator<Item = Beyond<'_>> {
    parts.iter().flat_map(|part| {
        part.tables.iter().flat_map(move |pair| {
            pair.rows.iter().flat_map(move |row| {
                let figures = row.figures.iter();
                figures.map(move |figure| Beyond {
                    part,
                    pair,
                    row,
                    figure,
                })
            })
        })
    })
}

impl Comparison {
    /// What lies beyond the usual, the furthest first; what is worse before what is only different.
    fn beyond(&self) -> Vec<Beyond<'_>> {
        let mut beyond: Vec<Beyond> = figures(&self.sections)
            .filter(|one| one.figure.verdict.is_some())
            .collect();
        let rank = |one: &Beyond| match one.figure.verdict {
            Some(Verdict::Worse) => 0,
            _ => 1,
        };
        beyond.sort_by(|x, y| {
            rank(x)
                .cmp(&rank(y))
                .then(y.figure.distance.total_cmp(&x.figure.distance))
        });
        beyond
    }
}

/// Windows of different length have different totals.
fn notes(a: &Window, b: &Window) -> Vec<String> {
    const ALIKE: f64 = 0.05;
    let mut notes = Vec::new();
    for (name, window) in [("a", a), ("b", b)] {
        notes.extend(window.notes().iter().map(|note| format!("{name}: {note}")));
    }
    if (a.span.seconds - b.span.seconds).abs() > ALIKE * a.span.seconds.max(b.span.seconds) {
        notes.push("The windows differ in length: compare rates and means, not totals.".to_owned());
    }
    notes
}
