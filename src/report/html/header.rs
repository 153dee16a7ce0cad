//! The top of a run's page, its description and the most important figures, and its end.

use crate::report::call;
use crate::report::model::Report;
use crate::report::precision;
use crate::report::stored_run::Run;
use crate::report::topics::{figures, identity};
use crate::show::page::card;
use maud::{Markup, html};

/// The name of the run.
pub fn title(run: &Run) -> String {
    match &run.label {
        Some(label) => format!("{label} \u{2013} pgperf run {}", run.run_id),
        None => format!("pgperf run {}", run.run_id),
    }
}

pub fn header(report: &Report) -> Markup {
    let run = &report.facts.run;
    let place = [identity::place(run), vec![format!("run {}", run.run_id)]].concat();
    html! {
        p class="kind" {
            @match &run.spec.results {
                None => (run.work().name),
                Some(results) => { "results of " (results.program) },
            }
        }
        h1 {
            @if let Some(label) = &run.label { (label) } @else { "Run " (run.run_id) }
            span class={ "status " (run.status.replace(' ', "-")) } { (run.status) }
        }
        p class="what" { (identity::work(run).join(" \u{b7} ")) }
        p class="where" { (place.join(" \u{b7} ")) }
        @if let Some(machine) = report.facts.conditions.machine() { p class="where" { (machine) } }
        @for caution in identity::cautions(&report.facts) {
            p class="warning" { (caution) }
        }
        @if let Some(precision) = precision::sentence(&report.facts) { p class="why" { (precision) } }
        ul class="cards" {
            @for card in figures::all(report) {
                (card::of_words(&card.name, &card.value, html! { span class="more" { (card.more) } }))
            }
        }
        @if let Some(origin) = identity::origin(run) { p class="why" { (origin) } }
    }
}

pub fn footer(report: &Report) -> Markup {
    html! {
        @if let Some(call) = &report.call {
            h2 { "To reproduce" }
            pre class="scroll" { code { @for load in call::loads(&report.facts.run) { (load) "\n" } (call) } }
        }
        p { "Written by pgperf " (report.pgperf_version) "." }
    }
}
