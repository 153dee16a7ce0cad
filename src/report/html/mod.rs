//! The page of a run.

mod alternation;
mod checkpoints;
pub mod circumstances;
mod disturbances;
pub mod header;
mod hit_curve;
mod machine;
mod observer;
mod rate_search;
mod receivers;
mod relations;
mod series;
mod server;
mod statements;
mod timeline;

use super::model::Report;
use crate::show::page::page;
use checkpoints::Checkpoints;

/// The page of a run.
pub fn run(report: &Report) -> String {
    let checkpoints = Checkpoints::of(report);
    let mut sections = vec![timeline::rates(report, &checkpoints)];
    if report.run.work().has_transactions {
        sections.push(timeline::latency(report, &checkpoints));
    }
    sections.extend(rate_search::section(report.rate_search.as_ref()));
    sections.extend(alternation::section(report.alternation.as_ref()));
    sections.extend(disturbances::section(&report.disturbances));
    sections.push(statements::section(report));
    sections.extend(server::sections(report, &checkpoints));
    sections.extend(circumstances::sections(report));
    sections.push(observer::section(report, &checkpoints));
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
