//! The result of a search as text and as JSON.

use crate::catalog::runs::{Found, by_id};
use crate::error::{Result, hinted};
use crate::format::{decimals, table};
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::text::{Json, Text};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A row of `pgperf.rate_searches`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
struct Search {
    run_id: i64,
    workload: String,
    clients: Option<i32>,
    status: String,
    rate: Option<f64>,
    rate_low: Option<f64>,
    rate_high: Option<f64>,
    criterion: Option<String>,
    spec: Value,
}

/// A row of `pgperf.rate_search_steps`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
struct Step {
    step_no: i32,
    rate: f64,
    seconds: f64,
    verdict: String,
    decided: bool,
    criterion: Option<String>,
    growth_percent: Option<f64>,
    growth_low_percent: Option<f64>,
    growth_high_percent: Option<f64>,
    tps: Option<f64>,
    latency_p99_ms: Option<f64>,
    observed: Value,
}

/// `pgperf.rate_search_report`.
#[pg_extern(sql = false)]
fn rate_search_report(
    run_id: Option<i64>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    let lines = lines_of(&by_id(run_id)?)?;
    Ok(SetOfIterator::new(lines.into_iter().map(Text)))
}

/// `pgperf.rate_search_json`.
#[pg_extern(sql = false)]
fn rate_search_json(run_id: Option<i64>) -> std::result::Result<Json, ErrorReport> {
    let (search, steps) = load(&by_id(run_id)?)?;
    Ok(Json(json!({"search": search, "steps": steps})))
}

/// The report of a run's search.
pub fn lines_of(run: &Found) -> Result<Vec<String>> {
    let (search, steps) = load(run)?;
    Ok(lines(&search, &steps))
}

fn load(run: &Found) -> Result<(Search, Vec<Step>)> {
    run.check_visible()?;
    let key = || [run.node_id.as_str().into(), run.run_id.into()];
    role::as_owner(|| {
        let search: Option<Search> = spi::select_one(
            "SELECT run_id, workload, clients, status, rate, rate_low, rate_high, criterion, spec FROM pgperf.rate_searches \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &key(),
        )?;
        let search = search.ok_or_else(|| {
            hinted(
                format!("run {} is no search of a rate", run.run_id),
                "pgperf.rate_searches lists them; CALL pgperf.find_rate(...) makes one.",
            )
        })?;
        let steps = spi::select(
            "SELECT step_no, rate, seconds, verdict, decided, criterion, growth_percent, growth_low_percent, \
                    growth_high_percent, tps, latency_p99_ms, observed FROM pgperf.rate_search_steps \
              WHERE node_id = $1::pg_catalog.uuid AND run_id = $2 ORDER BY step_no",
            &key(),
        )?;
        Ok((search, steps))
    })
}

fn lines(search: &Search, steps: &[Step]) -> Vec<String> {
    let clients = search.clients.unwrap_or(1);
    let mut lines = vec![
        format!(
            "search of a rate, run {}: {}, {clients} client{}",
            search.run_id,
            search.workload,
            if clients == 1 { "" } else { "s" }
        ),
        result(search),
    ];
    if let (Some(low), Some(high)) = (search.rate_low, search.rate_high) {
        lines.push(format!("interval: {low:.1} holds, {high:.1} fails"));
    }
    if let Some(criterion) = &search.criterion {
        lines.push(format!("what gives way: {criterion}"));
    }
    if steps.is_empty() {
        return lines;
    }
    lines.push(String::new());
    let heads = [
        "step", "rate", "seconds", "tps", "p99 ms", "verdict", "stays %", "of",
    ];
    let rows = steps.iter().map(|step| {
        [
            step.step_no.to_string(),
            format!("{:.1}", step.rate),
            format!("{:.0}", step.seconds),
            decimals(step.tps, 1),
            decimals(step.latency_p99_ms, 3),
            format!(
                "{}{}",
                if step.decided { "" } else { "rather " },
                step.verdict
            ),
            decimals(step.growth_percent, 1),
            step.criterion.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    });
    lines.extend(table(heads, &rows.collect::<Vec<_>>()));
    lines
}

fn result(search: &Search) -> String {
    let holds = search.rate.map_or("no rate so far".to_owned(), |rate| {
        format!("{rate:.1} transactions per second")
    });
    match search.status.as_str() {
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
        let search = Search {
            run_id: 7,
            workload: "tpcb-like".to_owned(),
            clients: Some(2),
            status: "found".to_owned(),
            rate: Some(195.0),
            rate_low: Some(195.0),
            rate_high: Some(204.1),
            criterion: Some("replication_lag".to_owned()),
            spec: Value::Null,
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
        let text = lines(&search, &[step]).join("\n");
        for part in [
            "run 7: tpcb-like, 2 clients",
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
