//! Activity of the server during a run: the sections of its samples, and beside them what only runs have.

use super::observer;
use super::relations::sizes;
use crate::report::model::Report;
use crate::show::blocks::Topic;
use crate::show::section::page::{Axis, body, charts};
use crate::show::section::part::Part;
use crate::show::section::{NO_SAMPLES, Section};
use crate::subject;
use maud::{Markup, html};

/// `parts`: the sections that were read.
pub fn sections(report: &Report, parts: &[Part], axis: &Axis) -> impl Iterator<Item = Topic> {
    let part_of = |section: &Section| parts.iter().find(|part| part.name == section.name);
    let of_run =
        move |section: &&&Section| !section.of_runs.is_empty() || part_of(section).is_some();
    (subject::sections().iter())
        .filter(of_run)
        .map(move |section| {
            let part = part_of(section);
            let why = part.and_then(|part| part.why.as_deref());
            let known = part.filter(|part| part.why.is_none());
            let shown = shown(report, section, known, axis);
            let why = why.unwrap_or(NO_SAMPLES);
            Topic::of(section.name, section.title, shown, why)
        })
}

/// A section, with what is known of the run besides.
fn shown(report: &Report, section: &Section, part: Option<&Part>, axis: &Axis) -> Option<Markup> {
    Some(match (section.name, part) {
        ("tables", _) if !report.relations.is_empty() => html! {
            @for block in sizes(&report.relations) { (block) }
            @if let Some(part) = part { (charts(part, axis)) }
        },
        ("observer", Some(part)) => html! {
            p { (observer::sentence(report)) }
            (body(part, axis))
        },
        (_, part) => body(part?, axis),
    })
}
