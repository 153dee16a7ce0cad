//! The circumstances of a run: settings, server and machine, further figures.

use crate::report::model::{Environment, Figure, Report, Setting};
use crate::show::blocks::{Block, Column, Listing, Topic, code, figure, name};
use crate::show::number::{bytes, number, setting};
use maud::{Markup, html};

const WHY: &str = "stored when a run begins: this one is from before pgperf did so, or never began";
const SETTINGS: &str = "Those of the clients' sessions that were not at their defaults.";

pub fn sections(report: &Report) -> impl Iterator<Item = Topic> {
    let totals = by_category(
        &report.metrics,
        |it| &it.category,
        || {
            let value = |figure: &Figure| Some(with_unit(figure.value?, &figure.unit));
            [
                name("figure", |it: &Figure| it.metric.replace('_', " ")),
                figure("value", value),
            ]
        },
    );
    let facts = by_category(
        &report.environment,
        |it| &it.category,
        || {
            let fact = |fact: &Environment| fact.name.clone();
            [name("fact", fact), name("value", value)]
        },
    );
    let totals = totals.map(|totals| Topic::page("totals", "Totals", totals));
    let settings = Topic::of("settings", "Settings", settings(&report.settings), WHY);
    let environment = Topic::of("environment", "Environment", facts, WHY);
    totals.into_iter().chain([settings, environment])
}

fn settings(settings: &[Setting]) -> Option<Markup> {
    let written = |value: &Option<String>, unit: &Option<String>| match value {
        Some(value) => setting(value, unit.as_deref()),
        None => "\u{2013}".to_owned(),
    };
    let columns = vec![
        code("setting", |it: &Setting| it.name.clone()),
        name("value", |it: &Setting| written(&it.setting, &it.unit)),
        name("default", |it: &Setting| {
            written(&it.default_setting, &it.unit)
        }),
        name("source", |it: &Setting| it.source.clone()),
    ];
    let table = Block::Table(Listing::of(settings, columns));
    let note = Block::Remark(SETTINGS.to_owned());
    (!settings.is_empty()).then(|| html! { (table) (note) })
}

/// A category as a title.
pub fn heading(category: &str) -> String {
    match category {
        "wal" | "cpu" => category.to_uppercase(),
        "pgperf" => category.to_owned(),
        "iostat" => "Devices at and between checkpoints".to_owned(),
        other => {
            let mut letters = other.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect()
        }
    }
}

/// A value in readable form.
pub fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "bytes" => bytes(value),
        "" | "count" | "times" => number(value),
        "percent" => format!("{} %", number(value)),
        unit => format!("{} {unit}", number(value)),
    }
}

/// A table for each category; None: there is nothing.
fn by_category<T>(
    rows: &[T],
    category: fn(&T) -> &str,
    columns: fn() -> [Column<'static, T>; 2],
) -> Option<Markup> {
    let tables = || {
        html! {
            div class="columns" {
                @for rows in rows.chunk_by(|a, b| category(a) == category(b)) {
                    div {
                        h3 { (heading(rows.first().map_or("", category))) }
                        (Block::Table(Listing::of(rows, columns().into())))
                    }
                }
            }
        }
    };
    (!rows.is_empty()).then(tables)
}

fn value(fact: &Environment) -> String {
    match (&fact.value, fact.unit.as_deref(), &fact.note) {
        (Some(value), Some(unit), _) => match value.parse() {
            Ok(value) => with_unit(value, unit),
            Err(_) => format!("{value} {unit}"),
        },
        (Some(value), None, Some(note)) => format!("{value}: {note}"),
        (Some(value), None, None) => value.clone(),
        (None, _, Some(note)) => format!("not known: {note}"),
        (None, _, None) => "not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_out() {
        assert_eq!(with_unit(2048.0, "bytes"), "2 kB");
        assert_eq!(with_unit(12.0, "count"), "12");
        assert_eq!(heading("wal"), "WAL");
        assert_eq!(heading("file system"), "File system");
    }
}
