//! What reports say of a run, each subject once: as a topic, or in sentences and figures that text, comment and page show alike.

pub mod alternation;
pub mod counted;
pub mod disturbances;
pub mod errors;
pub mod figures;
pub mod hit_curve;
pub mod identity;
pub mod latency;
pub mod meta_commands;
pub mod rate_search;
pub mod receivers;
pub mod replay;
pub mod scripts;
pub mod segments;
pub mod servers;
pub mod statements;
pub mod step_devices;

use super::model::Baseline;
use super::stored_run::Facts;
use crate::show::blocks::Topic;

/// What text and page show besides, in this order: most runs have little of it.
pub fn besides(facts: &Facts, baseline: Option<&Baseline>) -> impl Iterator<Item = Topic> {
    let topics = [
        facts.replay.as_ref().map(replay::topic),
        segments::topic(&facts.segments),
        servers::topic(&facts.servers, &facts.run.spec.nodes),
        facts.rate_search.as_ref().map(rate_search::topic),
        facts.alternation.as_ref().map(alternation::topic),
        disturbances::topic(&facts.disturbances),
        receivers::topic(&facts.receivers),
        hit_curve::topic(&facts.hit_curve),
        scripts::topic(&facts.scripts, baseline),
        step_devices::topic(&facts.step_devices),
    ];
    topics.into_iter().flatten()
}
