//! The page of a comparison: the answer first, then what else differs, then every metric with its interval.

use super::circumstances::{heading, with_unit};
use super::table::{Cell, table};
use super::{Section, page};
use crate::compare::{Comparison, Row, Side, Verdict};
use crate::measure::statistics::LEVEL;
use crate::report::charts::change_cell;
use crate::report::charts::unit::number;
use crate::report::format::plural;
use maud::{Markup, html};

/// Metrics that have a card, with how they are called there.
const CARDS: [(&str, &str); 6] = [
    ("tps", "Throughput"),
    ("latency_avg_ms", "Latency, mean"),
    ("latency_p95_ms", "Latency, p95"),
    ("latency_p99_ms", "Latency, p99"),
    ("wal_bytes_per_tx", "WAL per transaction"),
    ("hit_percent", "Buffer hits"),
];
/// Rows of a category, at most.
const ROWS: usize = 300;

/// The page.
pub fn compare(comparison: &Comparison) -> String {
    let title = format!(
        "{} against {}",
        name(&comparison.candidate),
        name(&comparison.baseline)
    );
    let mut sections = vec![Section::new("runs", "Runs", runs(comparison))];
    sections.extend(circumstances(&comparison.rows));
    let measured: Vec<&Row> = comparison
        .rows
        .iter()
        .filter(|row| is_measured(row))
        .collect();
    for rows in measured.chunk_by(|a, b| a.category == b.category) {
        if let Some(first) = rows.first() {
            sections.push(Section::new(
                first.category.clone(),
                heading(&first.category),
                metrics(rows),
            ));
        }
    }
    page(&title, header(comparison), &sections, footer())
}

/// Settings and environment have texts in place of numbers.
fn is_measured(row: &Row) -> bool {
    row.baseline_text.is_none() && row.candidate_text.is_none()
}

/// A label that all runs of a side have, or else their numbers.
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
        @if let Some(row) = comparison.headline() {
            p class="answer" {
                strong class=(class(&row.verdict)) { (row.verdict) }
                " \u{2013} " (row.metric) " " (value(row, row.baseline)) " \u{2192} " (value(row, row.candidate))
                @if let Some(change) = row.change_percent { ", " (percent(change)) }
                @if let Some(interval) = interval(row) { " (95 % interval " (interval) ")" }
            }
        }
        @for note in &comparison.notes { p class="note" { (note) } }
        @if let Some(by) = comparison.pair_by { p class="note" { "paired by " (by.name()) } }
        ul class="cards" {
            @for (metric, name) in CARDS {
                @if let Some(row) = comparison.rows.iter().find(|row| row.category == "summary" && row.metric == metric) {
                    li {
                        span class="name" { (name) }
                        span class="value" { (row.change_percent.map_or_else(|| "\u{2013}".to_owned(), percent)) }
                        span class="more" { (value(row, row.baseline)) " \u{2192} " (value(row, row.candidate)) }
                        span class={ "more " (class(&row.verdict)) } { (row.verdict) }
                    }
                }
            }
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
                Cell::Number(run.clients.to_string()),
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

fn circumstances(rows: &[Row]) -> Option<Section> {
    let rows: Vec<Vec<Cell>> = rows
        .iter()
        .filter(|row| !is_measured(row))
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
        let heads = ["", "what", "baseline", "candidate"];
        Section::new("differs", "What else differs", table(&heads, &rows))
    })
}

/// Of what goes into details what differs comes first, and the rest is folded.
fn metrics(rows: &[&Row]) -> Markup {
    let is_detail =
        |row: &&Row| !matches!(row.category.as_str(), "summary" | "workload" | "statements");
    let (rest, shown): (Vec<&Row>, Vec<&Row>) = rows.iter().copied().partition(|row| {
        is_detail(row)
            && !matches!(
                row.verdict,
                Verdict::Better | Verdict::Worse | Verdict::Differs
            )
    });
    html! {
        @if shown.is_empty() { p class="why" { "No significant difference." } } @else { (changes(&shown)) }
        @if !rest.is_empty() {
            details {
                summary { (rest.len()) " without a significant difference, or that cannot be compared" }
                (changes(&rest))
            }
        }
    }
}

fn changes(rows: &[&Row]) -> Markup {
    let reach = reach(rows);
    let several = rows.iter().any(|row| row.object.is_some());
    html! {
        div class="scroll" {
            table class="changes" {
                thead { tr {
                    @if several { th scope="col" { "of" } }
                    th scope="col" { "metric" }
                    th scope="col" class="number" { "baseline" }
                    th scope="col" class="number" { "candidate" }
                    th scope="col" class="number" { "change" }
                    th scope="col" class="change" { "\u{2212}" (number(reach)) " % to +" (number(reach)) " %" }
                    th scope="col" class="number" { "95 % interval" }
                    th scope="col" class="number" { "p" }
                    th scope="col" { "verdict" }
                } }
                tbody {
                    @for row in rows.iter().take(ROWS) {
                        tr {
                            @if several { td class="of" { (row.object.as_deref().unwrap_or_default()) } }
                            td { (row.metric) }
                            td class="number" { (value(row, row.baseline)) }
                            td class="number" { (value(row, row.candidate)) }
                            td class="number" { (row.change_percent.map_or_else(|| "\u{2013}".to_owned(), percent)) }
                            @match row.change_percent {
                                Some(change) => (change_cell(change, row.ci_low_percent.zip(row.ci_high_percent), reach, color(&row.verdict))),
                                None => td class="change" {},
                            }
                            td class="number" { (interval(row).unwrap_or_default()) }
                            td class="number" title=[row.method.map(|method| method.name)] { (row.p_adjusted.or(row.p_value).map_or_else(String::new, probability)) }
                            td class=(class(&row.verdict)) { (row.verdict) }
                        }
                    }
                }
            }
        }
        @if rows.len() > ROWS { p class="note" { "The first " (ROWS) " of " (rows.len()) "; pgperf.compare has them all." } }
    }
}

/// Percent at the edges of the intervals' column: as far as nine of ten reach.
fn reach(rows: &[&Row]) -> f64 {
    let mut reaches: Vec<f64> = rows
        .iter()
        .flat_map(|row| [row.change_percent, row.ci_low_percent, row.ci_high_percent])
        .flatten()
        .map(f64::abs)
        .filter(|reach| reach.is_finite())
        .collect();
    reaches.sort_by(f64::total_cmp);
    let wanted = reaches.get(reaches.len() * 9 / 10).copied().unwrap_or(0.0);
    [2.0, 5.0, 10.0, 20.0, 50.0]
        .into_iter()
        .find(|edge| *edge >= wanted)
        .unwrap_or(100.0)
}

fn class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "verdict better",
        Verdict::Worse => "verdict worse",
        Verdict::Differs => "verdict",
        _ => "verdict why",
    }
}

fn color(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Better => 3,
        Verdict::Worse => 2,
        Verdict::Differs => 1,
        _ => 7,
    }
}

fn value(row: &Row, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "\u{2013}".to_owned();
    };
    with_unit(value, row.unit.as_deref().unwrap_or_default())
}

fn percent(value: f64) -> String {
    format!("{value:+.1} %").replace('-', "\u{2212}")
}

fn interval(row: &Row) -> Option<String> {
    let (low, high) = row.ci_low_percent.zip(row.ci_high_percent)?;
    Some(format!("{} to {}", percent(low), percent(high)))
}

fn probability(p: f64) -> String {
    if p < 0.001 {
        "<0.001".to_owned()
    } else {
        format!("{p:.3}")
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
