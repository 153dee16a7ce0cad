//! `pgperf.compare_sweeps`: two sweeps, point by point.

use super::panels::{Panel, panels, values};
use super::sides;
use crate::compare::Verdict;
use crate::error::{Result, invalid};
use crate::experiment::report::facts::Point;
use crate::experiment::sweeps::{ExistingSweep, names};
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::text::Text;
use crate::show::delta::Delta;
use measure::statistics::LEVEL;
use pgrx::prelude::*;
use serde::Serialize;

/// A point of both sweeps.
#[derive(Serialize)]
struct ComparedPoint<'a> {
    workload: &'a str,
    combination: &'a str,
    clients: i64,
    baseline_tps: Option<f64>,
    candidate_tps: Option<f64>,
    #[serde(flatten)]
    change: Delta,
    n_baseline: i64,
    n_candidate: i64,
    verdict: Verdict,
}

/// `pgperf_internal.compare_points`: implements all forms of `pgperf.compare_sweeps`.
#[pg_extern(sql = false)]
fn compare_points(
    baseline: Option<Text>,
    candidate: Option<Text>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let names = [&baseline, &candidate].map(|name| name.as_ref().map(|name| name.to_string()));
    let mut found = Vec::new();
    for (side, name) in ["baseline", "candidate"].iter().zip(names) {
        found.push(one(side, name)?);
    }
    let sides = sides(&found)?;
    let panels = panels(&sides);
    let pairs = panels.iter().flat_map(|panel| {
        let at = |side: usize, clients| panel.curves.get(side).and_then(|it| it.at(clients));
        let clients = panel.clients().into_iter();
        clients.map(move |clients| (panel, clients, at(0, clients), at(1, clients)))
    });
    let pairs: Vec<(&Panel, i64, Option<&Point>, Option<&Point>)> = pairs.collect();
    let of_runs = |point: Option<&'_ Point>| point.map(values).unwrap_or_default().to_vec();
    let runs: Vec<_> = (pairs.iter())
        .map(|(.., before, after)| (of_runs(*before), of_runs(*after)))
        .collect();
    let runs: Vec<(&[f64], &[f64])> = runs.iter().map(|(a, b)| (&a[..], &b[..])).collect();
    let rows = pairs.into_iter().zip(Delta::of_runs(&runs));
    let rows = rows.map(|((panel, clients, before, after), change)| ComparedPoint {
        workload: panel.workload,
        combination: panel.combination,
        clients,
        baseline_tps: before.and_then(|point| point.tps),
        candidate_tps: after.and_then(|point| point.tps),
        n_baseline: before.map_or(0, |point| point.n),
        n_candidate: after.map_or(0, |point| point.n),
        verdict: verdict(before, after, &change),
        change,
    });
    Ok(rows::give(fcinfo, rows)?)
}

fn one(side: &str, name: Option<String>) -> Result<ExistingSweep> {
    let found = names::resolve(&[name])?;
    match <[_; 1]>::try_from(found) {
        Ok([one]) => Ok(one),
        Err(several) => Err(invalid(format!("{side} names {} sweeps", several.len()))
            .hinting("Name one of them, by its sweep_id or as 'node name/sweep_id'.")),
    }
}

/// In the words of `pgperf.compare`.
fn verdict(before: Option<&Point>, after: Option<&Point>, change: &Delta) -> Verdict {
    let has_runs = |point: Option<&Point>| point.is_some_and(|point| point.n > 0);
    match (change.p_adjusted, change.change_percent) {
        (Some(p), Some(percent)) if p < LEVEL && percent > 0.0 => Verdict::Better,
        (Some(p), Some(_)) if p < LEVEL => Verdict::Worse,
        (Some(_), _) => Verdict::NoDifference,
        _ if !has_runs(before) => {
            Verdict::NotComparable("the baseline has no run there".to_owned())
        }
        _ if !has_runs(after) => {
            Verdict::NotComparable("the candidate has no run there".to_owned())
        }
        _ => Verdict::SingleObservation,
    }
}
