//! The page of a comparison: the answer first, then both sides over time and the changes at a glance, then everything else.

mod changes;
mod over_time;
pub mod sides;

use super::{Comparison, Row, Side, Verdict, of_named};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::{Text, strings};
use crate::report::html::circumstances::{heading, with_unit};
use crate::report::model::Key;
use crate::show::number::number;
use crate::show::page::table::{Cell, table};
use crate::show::page::{Chapter, page};
use crate::show::text::plural;
use changes::{at_a_glance, folded, metrics};
use maud::{Markup, html};
use measure::statistics::LEVEL;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use sides::Sides;

/// Metrics with a card, and their names there.
const CARDS: [(&str, &str); 6] = [
    ("tps", "Throughput"),
    ("latency_avg_ms", "Latency, mean"),
    ("latency_p95_ms", "Latency, p95"),
    ("latency_p99_ms", "Latency, p99"),
    ("wal_bytes_per_tx", "WAL per transaction"),
    ("hit_percent", "Buffer hits"),
];
/// Length from which a text, such as a server's configure options, goes to the end of the page.
const LONG: usize = 100;

/// The page; `sides`: the runs over time, None if that is not stored.
pub fn compare(comparison: &Comparison, sides: Option<&Sides>) -> String {
    let title = format!(
        "{} against {}",
        name(&comparison.candidate),
        name(&comparison.baseline)
    );
    let mut sections = vec![over_time::section(comparison, sides)];
    sections.extend(at_a_glance(&comparison.rows));
    sections.push(Chapter::new("runs", "Runs", runs(comparison)));
    let (long, short) = circumstances(&comparison.rows);
    sections.extend(texts("differs", "Settings and circumstances", &short));
    let measured: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| is_measured(row))
        .collect();
    let mut alike = Vec::new();
    for rows in measured.chunk_by(|a, b| a.category == b.category) {
        let Some(first) = rows.first() else { continue };
        match metrics(rows) {
            Some(body) => sections.push(Chapter::new(
                first.category.clone(),
                heading(&first.category),
                body,
            )),
            None => alike.push(rows),
        }
    }
    if !alike.is_empty() {
        let title = "Without a significant difference";
        sections.push(Chapter::new("alike", title, folded(&alike)));
    }
    sections.extend(texts("long", "Long texts that differ", &long));
    page(&title, header(comparison), &sections, footer())
}

/// Settings and environment have texts instead of numbers.
fn is_measured(row: &Row) -> bool {
    row.baseline_text.is_none() && row.candidate_text.is_none()
}

/// A label that all runs of a side have, or their numbers.
fn name(side: &[Side]) -> String {
    let first = side.first().and_then(|run| run.label.as_ref());
    match first {
        Some(label) if side.iter().all(|run| run.label.as_ref() == Some(label)) => label.clone(),
        _ => {
            let numbers: Vec<String> = side.iter().map(|run| run.run_id.to_string()).collect();
            let runs = plural(side.len() as i64, "run");
            format!("{runs} {}", numbers.join(", "))
        }
    }
}

fn header(comparison: &Comparison) -> Markup {
    html! {
        p class="kind" { "pgperf comparison" }
        h1 { (name(&comparison.candidate)) }
        p class="what" { "against " (name(&comparison.baseline)) }
        @if let Some(caution) = &comparison.caution { p class="note" { strong { (caution) } } }
        @if let Some(row) = comparison.headline() {
            p class="answer" {
                strong class=(class(&row.verdict)) { (row.verdict) }
                " \u{2013} " (row.metric) " " (from_to(row))
                @if let Some(change) = row.change_percent { ", " (percent(change)) }
                @if let Some(interval) = interval(row) { " (95 % interval " (interval) ")" }
            }
        }
        @for note in &comparison.notes { p class="note" { (note) } }
        @if let Some(by) = comparison.pair_by { p class="note" { "paired by " (by.name()) } }
        ul class="cards" {
            @for row in comparison.rates() { (card(&row.metric, row)) }
            @for (metric, name) in CARDS {
                @if let Some(row) = comparison.rows.iter().find(|row| row.category == "summary" && row.metric == metric) {
                    (card(name, row))
                }
            }
        }
    }
}

fn card(name: &str, row: &Row) -> Markup {
    html! {
        li {
            span class="name" { (name) }
            span class="value" { (row.change_percent.map_or_else(|| "\u{2013}".to_owned(), percent)) }
            span class="more" { (from_to(row)) }
            span class={ "more " (class(&row.verdict)) } { (row.verdict) }
        }
    }
}

fn runs(comparison: &Comparison) -> Markup {
    let sides = [
        ("baseline", &comparison.baseline),
        ("candidate", &comparison.candidate),
    ];
    let rows: Vec<Vec<Cell>> = sides
        .into_iter()
        .flat_map(|(side, runs)| runs.iter().map(move |run| (side, run)))
        .map(|(side, run)| {
            let dash = || "\u{2013}".to_owned();
            vec![
                Cell::text(side),
                Cell::Number(run.run_id.to_string()),
                Cell::text(run.label.clone().unwrap_or_else(dash)),
                Cell::text(run.node_name.clone().unwrap_or_else(dash)),
                Cell::text(&run.workload),
                Cell::number(run.clients.map(|clients| clients.to_string())),
                Cell::number(run.scale.map(|scale| scale.to_string())),
                Cell::text(&run.server_version),
                Cell::text(&run.status),
            ]
        })
        .collect();
    let heads = [
        "side",
        "run",
        "label",
        "node",
        "workload",
        "clients",
        "scale",
        "PostgreSQL",
        "status",
    ];
    table(&heads, &rows)
}

/// The settings and circumstances that differ: those with a long text, and the others.
fn circumstances(rows: &[Row]) -> (Vec<&Row>, Vec<&Row>) {
    let is_long = |text: &Option<String>| {
        let length = text.as_ref().map(|text| text.chars().count());
        length.is_some_and(|length| length > LONG)
    };
    rows.iter()
        .filter(|row| !is_measured(row))
        .partition(|row| is_long(&row.baseline_text) || is_long(&row.candidate_text))
}

fn texts(id: &str, title: &str, rows: &[&Row]) -> Option<Chapter> {
    let rows: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let name = match &row.object {
                Some(object) => format!("{object}.{}", row.metric),
                None => row.metric.clone(),
            };
            let text = |text: &Option<String>| {
                Cell::text(text.clone().unwrap_or_else(|| "\u{2013}".to_owned()))
            };
            vec![
                Cell::text(&row.category),
                Cell::Code(name),
                text(&row.baseline_text),
                text(&row.candidate_text),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        let heads = ["", "name", "baseline", "candidate"];
        Chapter::new(
            id,
            title,
            html! { div class="texts" { (table(&heads, &rows)) } },
        )
    })
}

fn class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "verdict better",
        Verdict::Worse => "verdict worse",
        Verdict::Differs => "verdict",
        _ => "verdict why",
    }
}

fn value(row: &Row, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "\u{2013}".to_owned();
    };
    with_unit(value, row.unit.as_deref().unwrap_or_default())
}

/// Both sides' means, with one unit where both have the same.
fn from_to(row: &Row) -> String {
    let (from, to) = (value(row, row.baseline), value(row, row.candidate));
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((from, unit)), Some((to, same))) if unit == same => {
            format!("{from} \u{2192} {to} {unit}")
        }
        _ => format!("{from} \u{2192} {to}"),
    }
}

/// A change without its unit; decimals only where they may matter.
fn signed(value: f64) -> String {
    let text = if value.abs() < 1_000.0 {
        format!("{value:+.1}")
    } else {
        format!(
            "{}{}",
            if value < 0.0 { "-" } else { "+" },
            number(value.abs())
        )
    };
    text.replace('-', "\u{2212}")
}

fn percent(value: f64) -> String {
    format!("{} %", signed(value))
}

fn interval(row: &Row) -> Option<String> {
    let (low, high) = row.ci_low_percent.zip(row.ci_high_percent)?;
    Some(format!("{} to {}", signed(low), percent(high)))
}

fn footer() -> Markup {
    html! {
        p {
            "Change in percent of the baseline. A difference is called better or worse only if its p, corrected for the number of metrics tested, \
             is below " (LEVEL) ". Single observation: nothing tells how much of it is noise."
        }
        p { "Written by pgperf " (env!("CARGO_PKG_VERSION")) "." }
    }
}

/// `pgperf_internal.compare_page`: implements all forms of `pgperf.compare_html`.
#[pg_extern(sql = false)]
fn compare_page(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<Text, ErrorReport> {
    let (baseline, candidate) = (
        strings(baseline.unwrap_or_default()),
        strings(candidate.unwrap_or_default()),
    );
    let comparison = of_named(&baseline, &candidate, pair_by.as_deref())?;
    let baseline: Vec<Key> = comparison.baseline.iter().map(key).collect();
    let candidate: Vec<Key> = comparison.candidate.iter().map(key).collect();
    let sides = as_owner(|| sides::load(&baseline, &candidate))?;
    Ok(compare(&comparison, sides.as_ref()).into())
}

/// An imported run is stored under the node on which it ran.
fn key(run: &Side) -> Key<'_> {
    Key {
        node_id: &run.node_id,
        run_id: run.run_id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_changes_have_no_decimals() {
        assert_eq!(percent(-5.04), "\u{2212}5.0 %");
        assert_eq!(percent(0.04), "+0.0 %");
        assert_eq!(percent(13_090.83), "+13,091 %");
    }
}
