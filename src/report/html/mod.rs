//! The page of a run.

mod axis;
pub mod circumstances;
pub mod header;
mod observer;
mod relations;
mod server;
mod statements;
mod timeline;

use super::model::Report;
use super::topics::{alternation, disturbances, rate_search};
use crate::show::blocks::Topic;
use crate::show::page::page;
use crate::show::section::part::Part;

/// The page of a run. `parts`: the sections of its samples.
pub fn run(report: &Report, parts: &[Part]) -> String {
    let axis = axis::of(report);
    let mut sections = vec![timeline::rates(report, &axis)];
    if report.run.work().has_transactions {
        sections.push(timeline::latency(report, &axis));
    }
    let topics = [
        report.rate_search.as_ref().map(rate_search::topic),
        report.alternation.as_ref().map(alternation::topic),
        disturbances::topic(&report.disturbances),
    ];
    sections.extend(topics.iter().flatten().map(Topic::chapter));
    sections.push(statements::section(report));
    sections.extend(server::sections(report, parts, &axis));
    sections.extend(circumstances::sections(report));
    if report.run.spec.results.is_some() {
        for section in &mut sections {
            section.missing_because("not in the results of the program that measured");
        }
    }
    let title = header::title(&report.run);
    page(
        &title,
        header::header(report),
        &sections,
        header::footer(report),
    )
}
