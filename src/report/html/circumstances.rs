//! The circumstances of a run: settings, server and machine, further figures.

use crate::report::model::{Environment, Figure, Report, Setting};
use crate::show::number::{bytes, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::{Markup, html};

pub fn sections(report: &Report) -> Vec<Chapter> {
    let mut sections = Vec::new();
    if !report.metrics.is_empty() {
        sections.push(Chapter::new("totals", "Totals", totals(&report.metrics)));
    }
    let why = "stored when a run begins: this one is from before pgperf did so, or never began";
    sections.push(match report.settings.as_slice() {
        [] => Chapter::missing("settings", "Settings", why),
        settings => Chapter::new("settings", "Settings", list(settings)),
    });
    sections.push(match report.environment.as_slice() {
        [] => Chapter::missing("environment", "Environment", why),
        facts => Chapter::new("environment", "Environment", environment(facts)),
    });
    sections
}

fn totals(metrics: &[Figure]) -> Markup {
    let of_category = metrics.chunk_by(|a, b| a.category == b.category);
    html! {
        div class="columns" {
            @for figures in of_category {
                @let rows: Vec<Vec<Cell>> = figures.iter().map(total).collect();
                div {
                    h3 { (heading(figures.first().map_or("", |figure| &figure.category))) }
                    (table(&["figure", "value"], &rows))
                }
            }
        }
    }
}

/// A category as a title.
pub fn heading(category: &str) -> String {
    match category {
        "wal" | "cpu" => category.to_uppercase(),
        "pgperf" => category.to_owned(),
        other => {
            let mut letters = other.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect()
        }
    }
}

fn total(figure: &Figure) -> Vec<Cell> {
    vec![
        Cell::text(figure.metric.replace('_', " ")),
        Cell::number(figure.value.map(|value| with_unit(value, &figure.unit))),
    ]
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

fn list(settings: &[Setting]) -> Markup {
    let rows: Vec<Vec<Cell>> = settings
        .iter()
        .map(|setting| {
            let unit = setting.unit.as_deref();
            let value = |value: &Option<String>| {
                Cell::text(
                    value
                        .as_ref()
                        .map_or_else(|| "\u{2013}".to_owned(), |value| setting_value(value, unit)),
                )
            };
            vec![
                Cell::Code(setting.name.clone()),
                value(&setting.setting),
                value(&setting.default_setting),
                Cell::text(&setting.source),
            ]
        })
        .collect();
    html! {
        (table(&["setting", "value", "default", "source"], &rows))
        p class="note" { "Those of the clients' sessions that were not at their defaults." }
    }
}

/// `16384` of `8kB` is 128 MB.
fn setting_value(value: &str, unit: Option<&str>) -> String {
    let size = match unit {
        Some("B") => 1.0,
        Some("kB") => 1024.0,
        Some("8kB") => 8192.0,
        Some("16kB") => 16_384.0,
        Some("32kB") => 32_768.0,
        Some("MB") => 1_048_576.0,
        Some(unit) => return format!("{value} {unit}"),
        None => return value.to_owned(),
    };
    match value.parse::<f64>() {
        // -1 and 0 are words rather than sizes.
        Ok(count) if count > 0.0 => bytes(count * size),
        _ => value.to_owned(),
    }
}

fn environment(facts: &[Environment]) -> Markup {
    html! {
        div class="columns" {
            @for facts in facts.chunk_by(|a, b| a.category == b.category) {
                @let rows: Vec<Vec<Cell>> = facts.iter().map(fact).collect();
                div {
                    h3 { (heading(facts.first().map_or("", |fact| &fact.category))) }
                    (table(&["fact", "value"], &rows))
                }
            }
        }
    }
}

fn fact(fact: &Environment) -> Vec<Cell> {
    let value = match (&fact.value, fact.unit.as_deref(), &fact.note) {
        (Some(value), Some(unit), _) => match value.parse() {
            Ok(value) => with_unit(value, unit),
            Err(_) => format!("{value} {unit}"),
        },
        (Some(value), None, Some(note)) => format!("{value}: {note}"),
        (Some(value), None, None) => value.clone(),
        (None, _, Some(note)) => format!("not known: {note}"),
        (None, _, None) => "not known".to_owned(),
    };
    vec![Cell::text(&fact.name), Cell::text(value)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_out() {
        assert_eq!(setting_value("16384", Some("8kB")), "128 MB");
        assert_eq!(setting_value("-1", Some("kB")), "-1");
        assert_eq!(setting_value("300", Some("s")), "300 s");
        assert_eq!(setting_value("off", None), "off");
        assert_eq!(with_unit(2048.0, "bytes"), "2 kB");
        assert_eq!(with_unit(12.0, "count"), "12");
        assert_eq!(heading("wal"), "WAL");
        assert_eq!(heading("file system"), "File system");
    }
}
