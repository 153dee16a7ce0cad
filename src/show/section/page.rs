//! A section as a part of a page.

use super::cell;
use super::part::{self, Drawing, Row, Rows};
use super::{Column, Kind};
use crate::show::blocks::{Listing, Topic, column, figure};
use crate::show::charts::{Bands, BarSegment, Clock, Mark, Point, Series, TimeChart, figures_of};
use crate::show::number::{Unit, integer};
use crate::show::page::table::Cell;
use maud::{Markup, html};
use serde_json::Value;

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
pub fn topic(part: &part::Part, axis: &Axis) -> Topic {
    if let Some(why) = &part.why {
        return Topic::missing(part.name, part.title, why);
    }
    Topic::page(part.name, part.title, body(part, axis))
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
    let keys = rows.table.keys.iter().map(|key| {
        let cell = if key.code { Cell::Code } else { Cell::Text };
        let name = move |row: &Row| {
            let name = row.get(key.name).and_then(Value::as_str);
            cell(name.unwrap_or_default().to_owned())
        };
        column(key.head, name).kept()
    });
    // A bar stands before its figure, without a head of its own.
    let figures = rows.known_columns().flat_map(|it| {
        let is_long = rows.rows.iter().any(|row| is_long(row, it));
        let bar = it
            .bar
            .map(|color| column("", move |row: &Row| bar(row, it, color)).kept());
        let head = head(it.head, cell::unit(it.kind));
        let figure = column(&head, move |row: &Row| match shown(row, it) {
            Some(text) if it.kind == Kind::Plan => Cell::Code(text),
            text if is_long => Cell::text(text.unwrap_or_else(|| "\u{2013}".to_owned())),
            text => Cell::number(text),
        });
        bar.into_iter().chain([figure.kept()])
    });
    let listing = Listing::of(&rows.rows, keys.chain(figures).collect());
    html! { div class=[(listing.width() > 7).then_some("wide")] { (listing.table()) } }
}

fn shown(row: &Row, column: &Column) -> Option<String> {
    cell::shown(row.get(column.name)?, column.kind)
}

/// Whether it is a text that, unlike figures, is broken into lines.
fn is_long(row: &Row, column: &Column) -> bool {
    let text = shown(row, column).filter(|_| column.kind == Kind::Text);
    text.is_some_and(|text| text.chars().count() > LONG)
}

/// The bar of a percentage.
fn bar(row: &Row, column: &Column, color: u8) -> Cell {
    let percent = row.get(column.name).and_then(Value::as_f64).unwrap_or(0.0);
    Cell::Bar(vec![BarSegment {
        share: percent / 100.0,
        color,
        text: Unit::Percent.write(percent),
    }])
}

/// A row for each figure, a column for each object.
fn figures(rows: &Rows) -> Markup {
    let heads = column("", |it: &&Column| Cell::text(it.head));
    let objects = rows.rows.iter().map(|row| {
        let names = rows.table.keys.iter();
        let names = names.filter_map(|key| row.get(key.name)?.as_str());
        let value = |it: &&Column| cell::with_unit(row.get(it.name)?, it.kind);
        figure(&names.collect::<Vec<_>>().join(" "), value).kept()
    });
    let columns: Vec<&Column> = rows.known_columns().collect();
    let listing = Listing::of(&columns, std::iter::once(heads).chain(objects).collect());
    html! { div class="figures" { (listing.table()) } }
}

fn head(head: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| head.to_owned(), |unit| format!("{head}, {unit}"))
}
