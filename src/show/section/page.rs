//! A section as a part of a page.

use super::cell;
use super::part::{self, Drawing, Rows};
use super::{Column, Key, Kind};
use crate::show::charts::{Bands, BarSegment, Clock, Mark, Point, Series, TimeChart, figures_of};
use crate::show::number::{Unit, integer};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};
use serde_json::{Map, Value};

/// A text of more characters may be broken into lines.
const LONG: usize = 24;

/// The time axis that all charts have.
#[derive(Default)]
pub struct Axis {
    /// None: times are seconds since its zero.
    pub clock: Option<Clock>,
    /// The time that every chart shows at least: seconds.
    pub at_least: Option<(f64, f64)>,
    /// The checkpoints; None: they are not known.
    pub checkpoints: Option<Bands>,
    /// What happened at some moments.
    pub marks: Vec<Mark>,
}

impl Axis {
    /// The chart with this axis.
    pub fn of_chart(&self, mut chart: TimeChart) -> TimeChart {
        chart.clock = self.clock;
        chart.at_least = chart.at_least.or(self.at_least);
        chart.bands.extend(self.checkpoints.clone());
        chart.marks.extend_from_slice(&self.marks);
        chart
    }
}

/// The section with its charts and tables.
pub fn chapter(part: &part::Part, axis: &Axis) -> Chapter {
    if let Some(why) = &part.why {
        return Chapter::missing(part.name, part.title, why);
    }
    Chapter::new(part.name, part.title, body(part, axis))
}

/// Its contents, below the title.
pub fn body(part: &part::Part, axis: &Axis) -> Markup {
    html! {
        p class="note" { (part.reading) }
        @for note in &part.notes { p class="why" { (note) } }
        (charts(part, axis))
        @for table in &part.tables { (rows(table)) }
        @if !part.call.is_empty() { p class="note" { "More: " code { (part.call) } } }
    }
}

/// Its charts: those of objects are smaller, and those with too few points are a table.
pub fn charts(part: &part::Part, axis: &Axis) -> Markup {
    let charts = part.charts.iter().map(|it| (it, drawing(it, axis)));
    let (few, charts): (Vec<_>, Vec<_>) = charts.partition(|(_, chart)| chart.has_few_points());
    let few: Vec<TimeChart> = few.into_iter().map(|(_, chart)| chart).collect();
    let (alone, of_objects): (Vec<_>, Vec<_>) = charts
        .iter()
        .partition(|(drawing, _)| drawing.object.is_none());
    html! {
        @if let [(_, chart)] = alone.as_slice() { (chart.render()) }
        @else if !alone.is_empty() { div class="pair" { @for (_, chart) in alone { (chart.render()) } } }
        @if !of_objects.is_empty() { div class="small-charts" { @for (_, chart) in of_objects { (chart.render()) } } }
        (figures_of(&few))
    }
}

fn drawing(drawing: &Drawing, axis: &Axis) -> TimeChart {
    let points = Point::along(&drawing.at_s, &drawing.seconds);
    let series = (drawing.lines.iter().zip(drawing.chart.lines))
        .filter(|(curve, _)| curve.values.iter().any(Option::is_some))
        .map(|(curve, line)| Series::new(curve.name, line.color, line.shape, curve.values.clone()));
    let title = match &drawing.object {
        Some(object) => format!("{}: {object}", drawing.title),
        None => drawing.title.to_owned(),
    };
    let note = (!drawing.chart.note.is_empty()).then(|| drawing.chart.note.to_owned());
    let height = if drawing.object.is_some() {
        140.0
    } else {
        200.0
    };
    let chart = TimeChart::new(&title, drawing.chart.unit, points, series.collect());
    axis.of_chart(chart.with_note(note).with_height(height))
}

fn rows(rows: &Rows) -> Markup {
    html! {
        h3 { (rows.title) }
        @if rows.is_turned() { (figures(rows)) } @else { (objects(rows)) }
        @if rows.more { p class="note" { "The first " (integer(i64::from(rows.table.limit))) " of more." } }
        @if !rows.table.note.is_empty() { p class="note" { (rows.table.note) } }
    }
}

/// A row for each object.
fn objects(rows: &Rows) -> Markup {
    let columns: Vec<_> = (rows.table.columns.iter())
        .filter(|column| {
            let mut values = rows.rows.iter().filter_map(|row| row.get(column.name));
            values.any(|value| !value.is_null())
        })
        .collect();
    // A bar stands before its figure, without a head of its own.
    let heads_of = |column: &&Column| {
        let bar = column.bar.map(|_| String::new());
        bar.into_iter()
            .chain([head(column.head, cell::unit(column.kind))])
    };
    let heads: Vec<String> = (rows.table.keys.iter().map(|key| key.head.to_owned()))
        .chain(columns.iter().flat_map(heads_of))
        .collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let shown = |row: &Map<String, Value>, column: &Column| {
        row.get(column.name)
            .and_then(|value| cell::shown(value, column.kind))
    };
    // Unlike figures they are broken into lines.
    let is_long = |column: &&&Column| {
        column.kind == Kind::Text
            && (rows.rows.iter())
                .filter_map(|row| shown(row, column))
                .any(|text| text.chars().count() > LONG)
    };
    let long: Vec<&str> = (columns.iter().filter(is_long))
        .map(|column| column.name)
        .collect();
    let cells = rows.rows.iter().map(|row| {
        let names = rows
            .table
            .keys
            .iter()
            .map(|key| named(key, row.get(key.name)));
        let figures = columns.iter().flat_map(|column| {
            let text = shown(row, column);
            let cell = match text {
                Some(text) if column.kind == Kind::Plan => Cell::Code(text),
                text => match long.contains(&column.name) {
                    true => Cell::text(text.unwrap_or_else(|| "\u{2013}".to_owned())),
                    false => Cell::number(text),
                },
            };
            bar(row, column).into_iter().chain([cell])
        });
        names.chain(figures).collect()
    });
    let cells: Vec<Vec<Cell>> = cells.collect();
    html! { div class=[(heads.len() > 7).then_some("wide")] { (table(&heads, &cells)) } }
}

/// The bar of a percentage that has one.
fn bar(row: &Map<String, Value>, column: &Column) -> Option<Cell> {
    let color = column.bar?;
    let percent = row.get(column.name).and_then(Value::as_f64).unwrap_or(0.0);
    Some(Cell::Bar(vec![BarSegment {
        share: percent / 100.0,
        color,
        text: Unit::Percent.write(percent),
    }]))
}

/// A row for each figure, a column for each object.
fn figures(rows: &Rows) -> Markup {
    let names = rows.rows.iter().map(|row| {
        let names = rows
            .table
            .keys
            .iter()
            .filter_map(|key| row.get(key.name)?.as_str());
        names.collect::<Vec<_>>().join(" ")
    });
    let heads: Vec<String> = std::iter::once(String::new()).chain(names).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let lines = rows.table.columns.iter().filter_map(|column| {
        let values: Vec<Option<String>> = (rows.rows.iter())
            .map(|row| cell::with_unit(row.get(column.name)?, column.kind))
            .collect();
        values.iter().any(Option::is_some).then(|| {
            std::iter::once(Cell::text(column.head))
                .chain(values.into_iter().map(Cell::number))
                .collect()
        })
    });
    let lines: Vec<Vec<Cell>> = lines.collect();
    html! { div class="figures" { (table(&heads, &lines)) } }
}

fn head(head: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| head.to_owned(), |unit| format!("{head}, {unit}"))
}

fn named(key: &Key, value: Option<&serde_json::Value>) -> Cell {
    let text = value
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default();
    if key.code {
        Cell::Code(text.to_owned())
    } else {
        Cell::text(text)
    }
}
