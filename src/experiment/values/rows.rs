//! `pgperf.sweep_values` and `pgperf.sweep_statements`: a sweep by values as rows.

use super::statements::{Beyond, Of};
use super::{Group, MARGIN, Spread, load};
use crate::error::Result;
use crate::experiment::peak::margin;
use crate::experiment::sweeps;
use crate::pg::catalog::role;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::show::delta::Delta;
use pgrx::prelude::*;
use serde::Serialize;

/// A figure of a point, or the time of a statement there.
#[derive(Serialize)]
struct AtPoint<'a, Of: Serialize> {
    workload: &'a str,
    clients: i64,
    /// Its values in one text.
    value: String,
    is_baseline: bool,
    n: usize,
    #[serde(flatten)]
    of: Of,
    #[serde(flatten)]
    spread: &'a Spread,
    #[serde(flatten)]
    change: &'a Delta,
}

/// A figure without its values.
#[derive(Serialize)]
struct OfFigure {
    metric: &'static str,
    unit: &'static str,
    is_headline: bool,
}

/// `pgperf.sweep_values`.
#[pg_extern(sql = false)]
fn sweep_values(
    sweep_id: Option<i64>,
    margin_percent: Option<f64>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let groups = groups(sweep_id, margin_percent)?;
    let figures = groups
        .iter()
        .flat_map(|group| group.figures.iter().map(move |it| (group, it)));
    let rows = figures.flat_map(|(group, it)| {
        at_points(group, &it.values, |_| OfFigure {
            metric: it.metric,
            unit: it.unit,
            is_headline: it.is_headline,
        })
    });
    Ok(rows::give(fcinfo, rows)?)
}

/// A statement, and what its time has beyond that of the baseline.
#[derive(Serialize)]
struct TimedStatement<'a> {
    #[serde(flatten)]
    of: &'a Of,
    mean_ms: Option<f64>,
    ci_low_ms: Option<f64>,
    ci_high_ms: Option<f64>,
    beyond_ms: Option<f64>,
    share_percent: Option<f64>,
    share_low_percent: Option<f64>,
    share_high_percent: Option<f64>,
}

/// `pgperf.sweep_statements`.
#[pg_extern(sql = false)]
fn sweep_statements(sweep_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let groups = groups(sweep_id, None)?;
    let statements = groups
        .iter()
        .flat_map(|group| group.statements.iter().map(move |it| (group, it)));
    let rows = statements.flat_map(|(group, it)| {
        at_points(group, &it.values, move |spread| {
            let beyond = Beyond::of(&spread.change);
            let interval = beyond.and_then(|it| it.interval);
            TimedStatement {
                of: &it.of,
                mean_ms: spread.mean,
                ci_low_ms: spread.ci_low,
                ci_high_ms: spread.ci_high,
                beyond_ms: it.beyond_ms(group, spread),
                share_percent: beyond.map(|it| it.percent),
                share_low_percent: interval.map(|(low, _)| low),
                share_high_percent: interval.map(|(_, high)| high),
            }
        })
    });
    Ok(rows::give(fcinfo, rows)?)
}

/// The values of a group's points as rows; `of`: what else is in them.
fn at_points<'a, Of: Serialize>(
    group: &'a Group,
    values: &'a [Spread],
    of: impl Fn(&'a Spread) -> Of,
) -> impl Iterator<Item = AtPoint<'a, Of>> {
    let places = values.iter().zip(&group.points).zip(0..);
    places.map(move |((spread, point), place)| AtPoint {
        workload: &group.workload,
        clients: group.clients,
        value: point.name(),
        is_baseline: group.baseline == Some(place),
        n: spread.of_runs.len(),
        of: of(spread),
        spread,
        change: &spread.change,
    })
}

fn groups(sweep_id: Option<i64>, margin_percent: Option<f64>) -> Result<Vec<Group>> {
    let margin = margin_percent.map_or(Ok(MARGIN), margin)?;
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    role::as_owner(|| load(&sweep.node_id, sweep.sweep_id, margin))
}
