//! The page of a comparison: the answer first, then both sides over time and the changes at a glance, then everything else.

mod changes;
mod over_time;
pub mod sides;

use super::{Comparison, Row, Side, Verdict, differences, of_named};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::{Text, strings};
use crate::report::html::circumstances::{heading, with_unit};
use crate::report::model::Key;
use crate::show::blocks::{Block, Listing, code, figure, name};
use crate::show::page::{Chapter, page};
use crate::show::text::plural;
use changes::{at_a_glance, folded, metrics};
use maud::{Markup, Render, html};
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
    let (baseline, candidate) = (named(&comparison.baseline), named(&comparison.candidate));
    let title = format!("{candidate} against {baseline}");
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
fn named(side: &[Side]) -> String {
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
        h1 { (named(&comparison.candidate)) }
        p class="what" { "against " (named(&comparison.baseline)) }
        @if let Some(caution) = &comparison.caution { p class="note" { strong { (caution) } } }
        @if let Some(row) = comparison.headline() {
            p class="answer" {
                strong class=(class(&row.verdict)) { (row.verdict) }
                " \u{2013} " (row.metric) " " (from_to(row))
                @if let Some(change) = row.delta.change() { ", " (change) }
                @if let Some(interval) = row.delta.interval() { " (95 % interval " (interval) ")" }
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
            span class="value" { (row.delta.change().as_deref().unwrap_or("\u{2013}")) }
            span class="more" { (from_to(row)) }
            span class={ "more " (class(&row.verdict)) } { (row.verdict) }
        }
    }
}

fn runs(comparison: &Comparison) -> Markup {
    type Row<'a> = (&'static str, &'a Side);
    let baseline = comparison.baseline.iter().map(|run| ("baseline", run));
    let candidate = comparison.candidate.iter().map(|run| ("candidate", run));
    let rows: Vec<Row> = baseline.chain(candidate).collect();
    let columns = vec![
        name("side", |(side, _): &Row| (*side).to_owned()),
        figure("run", |(_, run): &Row| Some(run.run_id.to_string())),
        name("label", |(_, run): &Row| {
            run.label.clone().unwrap_or_default()
        }),
        name("node", |(_, run): &Row| {
            run.node_name.clone().unwrap_or_default()
        }),
        name("workload", |(_, run): &Row| run.workload.clone()),
        figure("clients", |(_, run): &Row| {
            run.clients.map(|clients| clients.to_string())
        }),
        figure("scale", |(_, run): &Row| {
            run.scale.map(|scale| scale.to_string())
        }),
        name("PostgreSQL", |(_, run): &Row| run.server_version.clone()),
        name("status", |(_, run): &Row| run.status.clone()),
    ];
    Block::Table(Listing::of(&rows, columns)).render()
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
    let dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "\u{2013}".to_owned());
    let columns = vec![
        name("", |row: &&Row| row.category.clone()),
        code("name", |row: &&Row| differences::name(row)),
        name("baseline", |row: &&Row| dash(&row.baseline_text)),
        name("candidate", |row: &&Row| dash(&row.candidate_text)),
    ];
    let table = Block::Table(Listing::of(rows, columns));
    let body = html! { div class="texts" { (table) } };
    (!rows.is_empty()).then(|| Chapter::new(id, title, body))
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
