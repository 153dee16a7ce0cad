//! The search for a rate as text: for the text of a report, its page, and `rate_search_report`.

use super::model::rate_search::{Outcome, RateSearch, Step};
use crate::show::number::decimals;
use crate::show::text::table;

/// The result and the steps.
pub fn lines(search: &RateSearch) -> Vec<String> {
    let mut lines = sentences(&search.result);
    if search.steps.is_empty() {
        return lines;
    }
    lines.push(String::new());
    let heads = [
        "step", "rate", "seconds", "tps", "p99 ms", "verdict", "stays %", "of",
    ];
    let rows = search.steps.iter().map(|step| {
        [
            step.step_no.to_string(),
            format!("{:.1}", step.rate),
            format!("{:.0}", step.seconds),
            decimals(step.tps, 1),
            decimals(step.latency_p99_ms, 3),
            verdict(step),
            decimals(step.growth_percent, 1),
            step.criterion.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    });
    lines.extend(table(heads, &rows.collect::<Vec<_>>()));
    lines
}

/// The result, its interval and what gives way.
pub fn sentences(result: &Outcome) -> Vec<String> {
    let mut lines = vec![highest(result)];
    if let (Some(low), Some(high)) = (result.rate_low, result.rate_high) {
        lines.push(format!("interval: {low:.1} holds, {high:.1} fails"));
    }
    if let Some(criterion) = &result.criterion {
        lines.push(format!("what gives way: {criterion}"));
    }
    lines
}

/// Whether the tests decided is a part of it.
pub fn verdict(step: &Step) -> String {
    let surely = if step.decided { "" } else { "rather " };
    format!("{surely}{}", step.verdict)
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
        let text = lines(&RateSearch {
            result,
            steps: vec![step],
        })
        .join("\n");
        for part in [
            "highest sustainable rate: 195.0 transactions per second",
            "interval: 195.0 holds, 204.1 fails",
            "what gives way: replication_lag",
            "rather fails",
            "33.3",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
