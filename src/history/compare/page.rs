//! A comparison as a page.

use super::rows::{FigureChange, Presence, Row, Verdict};
use super::{ComparedSection, Comparison, Pair, text};
use crate::show::page::table::{Cell, table};
use crate::show::page::{Chapter, page};
use crate::show::section::Layout;
use crate::show::section::cell;
use maud::{Markup, html};

/// The page of a comparison.
pub fn html(comparison: &Comparison) -> String {
    let title = text::title(comparison);
    let mut sections = vec![Chapter::new(
        "beyond",
        "Beyond the usual",
        html! { p { (text::usual(comparison)) } (beyond(comparison)) },
    )];
    if !comparison.settings.is_empty() {
        sections.push(Chapter::new(
            "settings-that-differ",
            "Settings that differ",
            settings(comparison),
        ));
    }
    sections.extend(comparison.sections.iter().map(section));
    page(
        &title,
        header(comparison, &title),
        &sections,
        html! { p { "Written by pgperf " (comparison.pgperf_version) "." } },
    )
}

fn header(comparison: &Comparison, title: &str) -> Markup {
    html! {
        p class="kind" { "Two windows of the history" }
        h1 { (title) }
        p class="what" { "a: " (text::about(&comparison.a)) }
        p class="what" { "b: " (text::about(&comparison.b)) }
        @for note in &comparison.notes { p class="warning" { (note) } }
    }
}

fn beyond(comparison: &Comparison) -> Markup {
    let rows: Vec<Vec<Cell>> = (comparison.beyond().iter())
        .map(|one| {
            let figure = one.figure;
            vec![
                Cell::text(text::named(one)),
                Cell::number(Some(text::value(figure.a, figure.kind))),
                Cell::number(Some(text::value(figure.b, figure.kind))),
                Cell::number(Some(text::change(figure))),
                Cell::number(Some(text::range(figure))),
                Cell::text(figure.verdict.map_or("", Verdict::name)),
            ]
        })
        .collect();
    if rows.is_empty() {
        return html! {};
    }
    html! { div { (table(&["figure", "a", "b", "change", "usual", ""], &rows)) } }
}

fn settings(comparison: &Comparison) -> Markup {
    let shown =
        |value: &Option<String>| Cell::text(value.clone().unwrap_or_else(|| "default".to_owned()));
    let rows: Vec<Vec<Cell>> = (comparison.settings.iter())
        .map(|setting| {
            vec![
                Cell::text(text::whose(setting)),
                shown(&setting.a),
                shown(&setting.b),
            ]
        })
        .collect();
    html! { div { (table(&["setting", "a", "b"], &rows)) } }
}

fn section(part: &ComparedSection) -> Chapter {
    let tables = html! {
        @for pair in &part.tables {
            h3 { (pair.title) }
            @match pair.table.layout {
                Layout::Figures => (figures(pair)),
                Layout::Objects => (objects(pair)),
            }
        }
    };
    Chapter::new(part.name, part.title, tables)
}

/// A row for each figure of each object.
fn figures(pair: &Pair) -> Markup {
    let mut rows = Vec::new();
    for of in &pair.rows {
        for figure in &of.figures {
            let name = if pair.rows.len() > 1 {
                text::name(of)
            } else {
                String::new()
            };
            rows.push(vec![
                Cell::text(name),
                Cell::text(figure.head),
                Cell::number(Some(text::value(figure.a, figure.kind))),
                Cell::number(Some(text::value(figure.b, figure.kind))),
                Cell::number(Some(text::change(figure))),
                Cell::number(Some(text::range(figure))),
                Cell::text(figure.verdict.map_or("", Verdict::name)),
            ]);
        }
    }
    html! { div { (table(&["", "figure", "a", "b", "change", "usual", ""], &rows)) } }
}

/// A row for each object; a cell has a figure of both windows.
fn objects(pair: &Pair) -> Markup {
    let columns: Vec<_> = (pair.table.columns.iter())
        .filter(|column| pair.rows.iter().any(|row| find(row, column.name).is_some()))
        .collect();
    let heads: Vec<&str> = (pair.table.keys.iter().map(|key| key.head))
        .chain([""])
        .chain(columns.iter().map(|column| column.head))
        .collect();
    let rows: Vec<Vec<Cell>> = (pair.rows.iter())
        .map(|row| {
            let names = row.names.iter().zip(pair.table.keys).map(|(name, key)| {
                if key.code {
                    Cell::Code(name.clone())
                } else {
                    Cell::text(name.as_str())
                }
            });
            let presence = match row.presence {
                Some(Presence::New) => "new",
                Some(Presence::Gone) => "gone",
                _ => "",
            };
            let figures = columns
                .iter()
                .map(|column| Cell::number(find(row, column.name).map(both)));
            let presence = Cell::number(Some(presence.to_owned()));
            names.chain([presence]).chain(figures).collect()
        })
        .collect();
    let class = match heads.len() {
        ..=5 => None,
        6..=14 => Some("wide"),
        _ => Some("wide crowded"),
    };
    html! { div class=[class] { (table(&heads, &rows)) } }
}

fn find<'a>(row: &'a Row, name: &str) -> Option<&'a FigureChange> {
    row.figures.iter().find(|figure| figure.name == name)
}

/// A figure of both windows, in the unit of the second one.
fn both(figure: &FigureChange) -> String {
    let shown = |value: Option<f64>| {
        let shown = value.and_then(|value| cell::shown(&value.into(), figure.kind));
        shown.unwrap_or_else(|| "-".to_owned())
    };
    let unit = cell::unit(figure.kind).map_or_else(String::new, |unit| format!(" {unit}"));
    let verdict = figure
        .verdict
        .map_or_else(String::new, |verdict| format!(", {}", verdict.name()));
    let change = text::change(figure);
    let change = if change.is_empty() {
        change
    } else {
        format!(" ({change}{verdict})")
    };
    format!("{} / {}{unit}{change}", shown(figure.a), shown(figure.b))
}
