//! The search for a rate, on a run's page.

use crate::report::model::rate_search::{RateSearch, Step};
use crate::report::rate_search::{sentences, verdict};
use crate::show::number::{Unit, duration, number};
use crate::show::page::Chapter;
use crate::show::page::table::{Cell, table};
use maud::html;

/// None: the run is no search.
pub fn section(search: Option<&RateSearch>) -> Option<Chapter> {
    let search = search?;
    let heads = [
        "step", "rate", "observed", "tps", "p99", "verdict", "stays", "of",
    ];
    let rows: Vec<Vec<Cell>> = search.steps.iter().map(row).collect();
    let content = html! {
        ul { @for sentence in sentences(&search.result) { li { (sentence) } } }
        @if !rows.is_empty() { (table(&heads, &rows)) }
        p class="note" {
            "Each step holds a rate until a test says whether the criteria hold; \u{201c}rather\u{201d}: the time of the step was over before. \
             Stays: of what comes, the share that piles up."
        }
    };
    Some(Chapter::new("rate-search", "Sustainable rate", content))
}

fn row(step: &Step) -> Vec<Cell> {
    let percent = |value: f64| format!("{value:.1} %");
    vec![
        Cell::number(Some(step.step_no.to_string())),
        Cell::number(Some(number(step.rate))),
        Cell::number(Some(duration(step.seconds))),
        Cell::number(step.tps.map(number)),
        Cell::number(
            step.latency_p99_ms
                .map(|value| Unit::Milliseconds.write(value)),
        ),
        Cell::text(verdict(step)),
        Cell::number(step.growth_percent.map(percent)),
        Cell::text(step.criterion.as_deref().unwrap_or("\u{2013}")),
    ]
}
