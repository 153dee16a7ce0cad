//! A window as a page.

use super::findings;
use super::glance;
use super::model::History;
use super::text;
use super::timeline;
use crate::show::blocks::Topic;
use crate::show::charts::Clock;
use crate::show::page::page;
use crate::show::section;
use crate::show::section::page::Axis;
use crate::show::text::moment;
use maud::{Markup, html};

/// The page of a window.
pub fn html(history: &History) -> String {
    // Times of day are those of the window's start, whose time zone is the session's.
    let axis = Axis {
        clock: Clock::at(&history.window.span.from),
        at_least: Some((0.0, history.window.span.seconds)),
        marks: timeline::marks(&history.timeline),
        ..Axis::default()
    };
    let found = std::iter::once(findings::shown::section(
        &history.findings,
        history.muted_findings,
    ));
    let parts = history
        .sections
        .iter()
        .map(|part| section::page::topic(part, &axis));
    let sections: Vec<Topic> = found.chain(parts).collect();
    let [name, times] = text::about(history);
    page(
        &format!("{name}, {}", moment(&history.window.span.from)),
        header(history, &name, &times, &axis),
        &sections,
        html! { p { "Written by pgperf " (history.pgperf_version) "." } },
    )
}

fn header(history: &History, name: &str, times: &str, axis: &Axis) -> Markup {
    let database = history.window.database_name.as_deref();
    let database = database.map(|name| format!("database {name}"));
    let place: Vec<String> = (text::server(history).into_iter().chain(database)).collect();
    html! {
        p class="kind" { "Window of the history" }
        h1 { (name) }
        p class="what" { (times) }
        @if !place.is_empty() { p class="where" { (place.join(" \u{b7} ")) } }
        @for note in &history.notes { p class="warning" { (note) } }
        (findings::shown::chips(&history.findings))
        (glance::cards(&history.glance, axis))
        @if let Some([from, to]) = text::comparison(history) {
            p class="note" { "The day before: " code { "SELECT pgperf.history_compare_html('" (from) "', '" (to) "');" } }
        }
        (timeline::lanes(&history.timeline, axis.clock, history.window.span.seconds))
    }
}
