//! The page of a run.

mod alternation;
mod axis;
pub mod circumstances;
mod disturbances;
pub mod header;
mod hit_curve;
mod observer;
mod rate_search;
mod receivers;
mod relations;
mod server;
mod statements;
mod timeline;

use super::model::Report;
use crate::show::page::page;
use crate::show::section::part::Part;

/// The page of a run. `parts`: the sections of its samples.
pub fn run(report: &Report, parts: &[Part]) -> String {
    let axis = axis::of(report);
    let mut sections = vec![timeline::rates(report, &axis)];
    if report.run.work().has_transactions {
        sections.push(timeline::latency(report, &axis));
    }
    sections.extend(rate_search::section(report.rate_search.as_ref()));
    sections.extend(alternation::section(report.alternation.as_ref()));
    sections.extend(disturbances::section(&report.disturbances));
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
