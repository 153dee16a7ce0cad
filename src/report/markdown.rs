//! A run in short, as a comment of a pull request.

use super::model::Report;
use super::precision;
use super::topics::{errors, figures, identity, scripts, servers, statements, step_devices};
use crate::show::blocks::{self, Topic};
use maud::Markup;

/// `unicode`: whether its reader can show more than ASCII.
pub fn run(report: &Report, unicode: bool) -> String {
    let facts = &report.facts;
    let run = &facts.run;
    let mut summary = vec![
        [identity::work(run), identity::server(run)]
            .concat()
            .join(", "),
    ];
    summary.extend(identity::cautions(facts));
    summary.extend(precision::sentence(facts));
    let topics = [
        Some(figures::topic(report, unicode)),
        servers::topic(&facts.servers, &facts.run.spec.nodes),
        scripts::topic(&facts.scripts, None),
        statements::of_sql(facts).map(Topic::folded),
        step_devices::topic(&facts.step_devices).map(Topic::folded),
        errors::topic(&facts.errors),
    ];
    let comment = blocks::Report {
        name: String::new(),
        title: identity::title(run),
        summary,
        header: Markup::default(),
        topics: topics.into_iter().flatten().collect(),
    };
    comment.comment()
}
