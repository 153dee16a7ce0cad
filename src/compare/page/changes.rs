//! Changes with their intervals: at a glance, and by category.

use super::{class, value};
use crate::compare::cells::deciding_p;
use crate::compare::{Row, Verdict};
use crate::report::html::circumstances::heading;
use crate::show::charts::change_cell;
use crate::show::number::number;
use crate::show::page::Chapter;
use crate::show::text::count;
use maud::{Markup, html};

/// Metrics of the summary whose change is shown at a glance.
const AT_A_GLANCE: [&str; 11] = [
    "tps",
    "duration_s",
    "latency_avg_ms",
    "latency_stddev_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_max_ms",
    "failed_percent",
    "wal_bytes_per_tx",
    "hit_percent",
];
/// Rows of a category, at most.
const ROWS: usize = 300;

/// The main metrics' changes with their intervals, one below the other.
pub fn at_a_glance(rows: &[Row]) -> Option<Chapter> {
    let is_shown = |row: &&Row| match row.category.as_str() {
        "summary" => AT_A_GLANCE.contains(&row.metric.as_str()),
        "workload" => row.object.is_none(),
        _ => false,
    };
    let rows: Vec<&Row> = rows
        .iter()
        .filter(is_shown)
        .filter(|row| row.delta.change_percent.is_some())
        .collect();
    let reach = reach(&rows);
    let body = html! {
        div class="scroll" {
            table class="glance" {
                thead { tr {
                    th scope="col" { "metric" }
                    (change_head(reach))
                    th scope="col" class="number" { "change" }
                    th scope="col" class="number" { "95 % interval" }
                    th scope="col" { "verdict" }
                } }
                tbody {
                    @for row in &rows {
                        tr {
                            td { (row.metric) }
                            (change(row, reach))
                            td class="number" { (row.delta.change().unwrap_or_default()) }
                            td class="number" { (row.delta.interval().unwrap_or_default()) }
                            td class=(class(&row.verdict)) { (row.verdict) }
                        }
                    }
                }
            }
        }
    };
    (!rows.is_empty()).then(|| Chapter::new("changes", "Changes", body))
}

/// Differences come first, and the rest is folded: everything except the summary and each statement's latency. None:
/// all would be folded.
pub fn metrics(rows: &[&Row]) -> Option<Markup> {
    let is_detail = |row: &&Row| match row.category.as_str() {
        "summary" | "workload" => false,
        "statements" => row.metric != "latency_avg_ms",
        _ => true,
    };
    let (rest, shown): (Vec<&Row>, Vec<&Row>) = rows.iter().copied().partition(|row| {
        is_detail(row)
            && !matches!(
                row.verdict,
                Verdict::Better | Verdict::Worse | Verdict::Differs
            )
    });
    (!shown.is_empty()).then(|| html! {
        (changes(&shown))
        @if !rest.is_empty() {
            details {
                summary { (rest.len()) " without a significant difference, or that cannot be compared" }
                (changes(&rest))
            }
        }
    })
}

/// Categories in which nothing differs, or nothing can be compared.
pub fn folded(categories: &[&[&Row]]) -> Markup {
    html! {
        @for rows in categories {
            details {
                summary {
                    (heading(rows.first().map_or("", |row| &row.category))) ": "
                    (count(rows.len() as i64, "metric"))
                }
                (changes(rows))
            }
        }
    }
}

/// Several metrics of one object stand below its name, which is written once: a statement may be long.
fn changes(rows: &[&Row]) -> Markup {
    let reach = reach(rows);
    let shown = rows.get(..ROWS).unwrap_or(rows);
    let objects: Vec<&[&Row]> = shown.chunk_by(|a, b| a.object == b.object).collect();
    let below_names = objects.iter().any(|rows| {
        let named = rows.first().is_some_and(|row| row.object.is_some());
        named && rows.len() > 1
    });
    let beside_names = !below_names && rows.iter().any(|row| row.object.is_some());
    html! {
        div class="scroll" {
            table class="changes" {
                thead { tr {
                    @if beside_names { th scope="col" { "of" } }
                    th scope="col" { "metric" }
                    th scope="col" class="number" { "baseline" }
                    th scope="col" class="number" { "candidate" }
                    th scope="col" class="number" { "change" }
                    (change_head(reach))
                    th scope="col" class="number" { "95 % interval" }
                    th scope="col" class="number" { "p" }
                    th scope="col" { "verdict" }
                } }
                @for rows in objects {
                    tbody {
                        @if let (true, Some(object)) = (below_names, rows.first().and_then(|row| row.object.as_ref())) {
                            tr class="object" { th scope="rowgroup" colspan="8" { (object) } }
                        }
                        @for row in rows {
                            tr {
                                @if beside_names { td class="of" { (row.object.as_deref().unwrap_or_default()) } }
                                td { (row.metric) }
                                td class="number" { (value(row, row.baseline)) }
                                td class="number" { (value(row, row.candidate)) }
                                td class="number" { (row.delta.change().as_deref().unwrap_or("\u{2013}")) }
                                (change(row, reach))
                                td class="number" { (row.delta.interval().unwrap_or_default()) }
                                td class="number" title=[row.method.map(|method| method.name)] { (deciding_p(row).unwrap_or_default()) }
                                td class=(class(&row.verdict)) { (row.verdict) }
                            }
                        }
                    }
                }
            }
        }
        @if rows.len() > ROWS { p class="note" { "The first " (ROWS) " of " (rows.len()) "; pgperf.compare has them all." } }
    }
}

/// The scale of a column of changes.
fn change_head(reach: f64) -> Markup {
    html! {
        th scope="col" class="change" {
            div { span { "\u{2212}" (number(reach)) " %" } span { "0" } span { "+" (number(reach)) " %" } }
        }
    }
}

fn change(row: &Row, reach: f64) -> Markup {
    match row.delta.change_percent {
        Some(change) => change_cell(change, row.delta.ends(), reach, color(&row.verdict)),
        None => html! { td class="change" {} },
    }
}

/// Percent at the edges of the intervals' column: as far as nine of ten reach.
fn reach(rows: &[&Row]) -> f64 {
    let mut reaches: Vec<f64> = rows
        .iter()
        .flat_map(|row| {
            [
                row.delta.change_percent,
                row.delta.ci_low_percent,
                row.delta.ci_high_percent,
            ]
        })
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

fn color(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Better => 3,
        Verdict::Worse => 2,
        Verdict::Differs => 1,
        _ => 7,
    }
}
