//! Activity of the server during a run: the sections of its samples, and beside them what only runs have.

use super::observer;
use super::relations::sizes;
use crate::report::model::Report;
use crate::report::topics::{hit_curve, receivers};
use crate::show::page::Chapter;
use crate::show::section::page::{Axis, body, charts};
use crate::show::section::part::Part;
use crate::show::section::{NO_SAMPLES, Section};
use crate::subject;
use maud::{Markup, html};

/// `parts`: the sections that were read.
pub fn sections(report: &Report, parts: &[Part], axis: &Axis) -> Vec<Chapter> {
    let of_runs = (subject::sections().iter()).filter(|section| !section.of_runs.is_empty());
    let mut chapters = Vec::new();
    for section in of_runs {
        let part = parts.iter().find(|part| part.name == section.name);
        chapters.push(chapter(report, section, part, axis));
        match section.name {
            "waits" => {
                chapters.extend(receivers::topic(&report.receivers).map(|topic| topic.chapter()))
            }
            "buffers" => {
                chapters.extend(hit_curve::topic(&report.hit_curve).map(|topic| topic.chapter()))
            }
            _ => {}
        }
    }
    chapters
}

/// A section, with what is known of the run besides.
fn chapter(report: &Report, section: &Section, part: Option<&Part>, axis: &Axis) -> Chapter {
    let known = part.filter(|part| part.why.is_none());
    let shown: Markup = match (section.name, known) {
        ("tables", _) if !report.relations.is_empty() => html! {
            (sizes(&report.relations))
            @if let Some(part) = known { (charts(part, axis)) }
        },
        ("observer", Some(part)) => html! {
            p { (observer::sentence(report)) }
            (body(part, axis))
        },
        (_, Some(part)) => body(part, axis),
        (_, None) => {
            let why = part.and_then(|part| part.why.as_deref());
            return Chapter::missing(section.name, section.title, why.unwrap_or(NO_SAMPLES));
        }
    };
    Chapter::new(section.name, section.title, shown)
}
