//! `pgperf.compare_sweeps`: two sweeps, point by point.

use super::panels::{Tested, panels, tested, values};
use super::{names, sides};
use crate::compare::Verdict;
use crate::error::{Result, invalid};
use crate::experiment::page::model::Point;
use crate::pg::sql::text::Text;
use measure::statistics::LEVEL;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf_internal.compare_points`: implements all forms of `pgperf.compare_sweeps`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn compare_points(
    baseline: Option<Text>,
    candidate: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(workload, Text),
            name!(combination, Text),
            name!(clients, i32),
            name!(baseline, Option<f64>),
            name!(candidate, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(n_baseline, i32),
            name!(n_candidate, i32),
            name!(verdict, Text),
        ),
    >,
    ErrorReport,
> {
    let names = [&baseline, &candidate].map(|name| name.as_ref().map(|name| name.to_string()));
    let mut found = Vec::new();
    for (side, name) in ["baseline", "candidate"].iter().zip(names) {
        found.push(one(side, name)?);
    }
    let sides = sides(&found)?;
    let mut pairs: Vec<(String, String, i64, Option<&Point>, Option<&Point>)> = Vec::new();
    for panel in panels(&sides) {
        let [before, after] = panel.curves.as_slice() else {
            continue;
        };
        for clients in panel.clients() {
            pairs.push((
                panel.workload.to_owned(),
                panel.combination.to_owned(),
                clients,
                before.at(clients),
                after.at(clients),
            ));
        }
    }
    let of = |point: Option<&'_ Point>| point.map(values).unwrap_or_default().to_vec();
    let both: Vec<(Vec<f64>, Vec<f64>)> = pairs
        .iter()
        .map(|(.., before, after)| (of(*before), of(*after)))
        .collect();
    let slices: Vec<(&[f64], &[f64])> = both
        .iter()
        .map(|(before, after)| (before.as_slice(), after.as_slice()))
        .collect();
    let rows: Vec<_> = pairs
        .into_iter()
        .zip(tested(&slices))
        .map(
            |((workload, combination, clients, before, after), change)| {
                (
                    workload.into(),
                    combination.into(),
                    clients as i32,
                    before.and_then(|point| point.tps),
                    after.and_then(|point| point.tps),
                    change.map(|change| change.percent),
                    change.and_then(|change| change.interval).map(|ends| ends.0),
                    change.and_then(|change| change.interval).map(|ends| ends.1),
                    change.map(|change| change.p),
                    change.map(|change| change.p_adjusted),
                    before.map_or(0, |point| point.n as i32),
                    after.map_or(0, |point| point.n as i32),
                    verdict(before, after, change.as_ref()).to_string().into(),
                )
            },
        )
        .collect();
    Ok(TableIterator::new(rows))
}

fn one(side: &str, name: Option<String>) -> Result<crate::experiment::sweeps::Found> {
    let found = names::resolve(&[name])?;
    match <[_; 1]>::try_from(found) {
        Ok([one]) => Ok(one),
        Err(several) => Err(invalid(format!("{side} names {} sweeps", several.len()))
            .hinting("Name one of them, by its sweep_id or as 'node name/sweep_id'.")),
    }
}

/// In the words of `pgperf.compare`.
fn verdict(before: Option<&Point>, after: Option<&Point>, change: Option<&Tested>) -> Verdict {
    let runs = |point: Option<&Point>| point.is_some_and(|point| point.n > 0);
    match change {
        Some(change) if change.p_adjusted < LEVEL && change.percent > 0.0 => Verdict::Better,
        Some(change) if change.p_adjusted < LEVEL => Verdict::Worse,
        Some(_) => Verdict::NoDifference,
        None if !runs(before) => Verdict::NotComparable("the baseline has no run there".to_owned()),
        None if !runs(after) => Verdict::NotComparable("the candidate has no run there".to_owned()),
        None => Verdict::SingleObservation,
    }
}
