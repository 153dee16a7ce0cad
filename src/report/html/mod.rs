//! The page of a run.

mod axis;
pub mod circumstances;
pub mod header;
mod observer;
mod relations;
mod server;
mod timeline;

use super::model::Report;
use super::topics::{self, errors, statements};
use crate::show::blocks::Topic;
use crate::show::page::page;
use crate::show::section::part::Part;

const NO_INTERVALS: &str =
    "no interval was stored: the run was shorter than one, or never began to measure";
const NO_STATEMENTS: &str = "stored when a run ends: this one has none yet, or was interrupted";

/// The page of a run. `parts`: the sections of its samples.
pub fn run(report: &Report, parts: &[Part]) -> String {
    let facts = &report.facts;
    let work = facts.run.work();
    let axis = axis::of(report);
    let timeline = report.timeline.as_ref();
    let rates = timeline.map(|timeline| timeline::rates(report, timeline, &axis));
    let mut sections = vec![Topic::of("throughput", "Throughput", rates, NO_INTERVALS)];
    if work.has_transactions {
        let latency = timeline.map(|timeline| timeline::latency(report, timeline, &axis));
        sections.push(Topic::of("latency", "Latency", latency, NO_INTERVALS));
    }
    sections.extend(topics::besides(facts, report.baseline.as_ref()));
    let no_statements = || Topic::missing("statements", work.commands, NO_STATEMENTS);
    sections.push(statements::all(facts).unwrap_or_else(no_statements));
    sections.extend(errors::topic(&facts.errors));
    sections.extend(server::sections(report, parts, &axis));
    sections.extend(circumstances::sections(report));
    if facts.run.spec.results.is_some() {
        for section in &mut sections {
            section.missing_because("not in the results of the program that measured");
        }
    }
    let title = header::title(&facts.run);
    let (header, footer) = (header::header(report), header::footer(report));
    page(&title, header, &sections, footer)
}
