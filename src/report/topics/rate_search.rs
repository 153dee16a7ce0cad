//! The search for a rate: its result and its steps.

use crate::report::model::rate_search::{Outcome, RateSearch, Step};
use crate::show::blocks::{Block, Listing, Topic, count, figure, name, percent, plain, time};
use crate::show::number::Unit;

const NOTE: &str = "Each step holds a rate until a test says whether the criteria hold; \"rather\": the time of the step was over before. \
    Stays: of what comes, the share that piles up.";

/// The result, its interval, what gives way, and the steps.
pub fn topic(search: &RateSearch) -> Topic {
    let p99 = |step: &Step| step.latency_p99_ms.map(|ms| Unit::Milliseconds.write(ms));
    let columns = vec![
        count("step", |step: &Step| Some(step.step_no.into())),
        plain("rate", |step: &Step| Some(step.rate)),
        time("for", |step: &Step| Some(step.seconds)),
        plain("tps", |step: &Step| step.tps),
        figure("p99", p99),
        percent("stays", |step: &Step| step.growth_percent),
        name("verdict", verdict),
    ];
    let mut blocks: Vec<Block> = (sentences(&search.result).into_iter())
        .map(Block::Remark)
        .collect();
    if !search.steps.is_empty() {
        blocks.push(Block::Table(Listing::of(&search.steps, columns)));
        blocks.push(Block::Remark(NOTE.to_owned()));
    }
    Topic::new("rate-search", "Sustainable rate", blocks)
}

fn sentences(result: &Outcome) -> Vec<String> {
    let mut lines = vec![highest(result)];
    if let (Some(low), Some(high)) = (result.rate_low, result.rate_high) {
        lines.push(format!("interval: {low:.1} holds, {high:.1} fails"));
    }
    if let Some(criterion) = &result.criterion {
        lines.push(format!("what gives way: {criterion}"));
    }
    lines
}

/// Whether the tests decided, and what gives way.
fn verdict(step: &Step) -> String {
    let surely = if step.decided { "" } else { "rather " };
    let of = step.criterion.as_deref();
    let of = of.map_or_else(String::new, |criterion| format!(" {criterion}"));
    format!("{surely}{}{of}", step.verdict)
}

fn highest(result: &Outcome) -> String {
    let holds = result.rate.map_or("no rate so far".to_owned(), |rate| {
        format!("{rate:.1} transactions per second")
    });
    match result.status.as_str() {
        "found" => format!("highest sustainable rate: {holds}"),
        "max_rate holds" => {
            format!("highest sustainable rate: at least {holds}, the highest that was allowed")
        }
        "none holds" => {
            "highest sustainable rate: none, even the lowest that was tried fails".to_owned()
        }
        status => format!("{status}; the highest rate that holds: {holds}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_as_text() {
        let result = Outcome {
            status: "found".to_owned(),
            rate: Some(195.0),
            rate_low: Some(195.0),
            rate_high: Some(204.1),
            criterion: Some("replication_lag".to_owned()),
            ..Outcome::default()
        };
        let step = Step {
            step_no: 1,
            rate: 300.0,
            seconds: 12.2,
            verdict: "fails".to_owned(),
            criterion: Some("replication_lag".to_owned()),
            growth_percent: Some(33.31),
            tps: Some(299.7),
            ..Step::default()
        };
        let search = RateSearch {
            result,
            steps: vec![step],
        };
        let text = topic(&search).lines().join("\n");
        for part in [
            "highest sustainable rate: 195.0 transactions per second",
            "interval: 195.0 holds, 204.1 fails",
            "what gives way: replication_lag",
            "rather fails replication_lag",
            "33.3 %",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
