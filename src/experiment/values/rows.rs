//! `pgperf.sweep_values` and `pgperf.sweep_statements`: a sweep by values as rows.

use super::statements::{Beyond, Statement};
use super::{Figure, Group, MARGIN, Place, Spread, load};
use crate::error::Result;
use crate::experiment::peak::margin;
use crate::experiment::sweeps;
use crate::pg::catalog::role;
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.sweep_values`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn sweep_values(
    sweep_id: Option<i64>,
    margin_percent: Option<f64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(point_no, i32),
            name!(workload, Text),
            name!(clients, i32),
            name!(value, Text),
            name!(is_baseline, bool),
            name!(metric, Text),
            name!(unit, Text),
            name!(is_headline, bool),
            name!(n, i32),
            name!(mean, Option<f64>),
            name!(ci_low, Option<f64>),
            name!(ci_high, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(verdict, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    let groups = groups(sweep_id, margin_percent)?;
    let figures = groups
        .iter()
        .flat_map(|group| group.figures.iter().map(move |it| (group, it)));
    let rows = figures.flat_map(|(group, it): (&Group, &Figure)| {
        at_points(group, &it.values).map(move |(spread, point, is_baseline)| {
            let change = spread.change;
            (
                point.point_no as i32,
                group.workload.clone().into(),
                group.clients as i32,
                point.name().into(),
                is_baseline,
                it.metric.into(),
                it.unit.into(),
                it.is_headline,
                spread.of_runs.len() as i32,
                spread.mean,
                spread.ci_low,
                spread.ci_high,
                change.change_percent,
                change.ci_low_percent,
                change.ci_high_percent,
                change.p_value,
                change.p_adjusted,
                spread.verdict.map(Text::from),
            )
        })
    });
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

/// `pgperf.sweep_statements`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn sweep_statements(
    sweep_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(point_no, i32),
            name!(workload, Text),
            name!(clients, i32),
            name!(value, Text),
            name!(is_baseline, bool),
            name!(script_no, i32),
            name!(script, Text),
            name!(command_no, Option<i32>),
            name!(statement, Option<Text>),
            name!(n, i32),
            name!(mean_ms, Option<f64>),
            name!(ci_low_ms, Option<f64>),
            name!(ci_high_ms, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(beyond_ms, Option<f64>),
            name!(share_percent, Option<f64>),
            name!(share_low_percent, Option<f64>),
            name!(share_high_percent, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    let groups = groups(sweep_id, None)?;
    let statements = groups
        .iter()
        .flat_map(|group| group.statements.iter().map(move |it| (group, it)));
    let rows = statements.flat_map(|(group, it): (&Group, &Statement)| {
        at_points(group, &it.values).map(move |(spread, point, is_baseline)| {
            let change = spread.change;
            let beyond = Beyond::of(&change);
            let interval = beyond.and_then(|it| it.interval);
            (
                point.point_no as i32,
                group.workload.clone().into(),
                group.clients as i32,
                point.name().into(),
                is_baseline,
                it.of.script_no as i32,
                it.of.script.clone().into(),
                it.of.command_no.map(|no| no as i32),
                it.of.statement.clone().map(Text),
                spread.of_runs.len() as i32,
                spread.mean,
                spread.ci_low,
                spread.ci_high,
                change.change_percent,
                change.ci_low_percent,
                change.ci_high_percent,
                change.p_value,
                change.p_adjusted,
                it.beyond_ms(group, spread),
                beyond.map(|it| it.percent),
                interval.map(|(low, _)| low),
                interval.map(|(_, high)| high),
            )
        })
    });
    Ok(TableIterator::new(rows.collect::<Vec<_>>()))
}

/// The values of a group's points, each with its point, and whether that is the one that others are compared with.
fn at_points<'a>(
    group: &'a Group,
    values: &'a [Spread],
) -> impl Iterator<Item = (&'a Spread, &'a Place, bool)> {
    let places = values.iter().zip(&group.points).zip(0..);
    places.map(|((spread, point), place)| (spread, point, group.baseline == Some(place)))
}

fn groups(sweep_id: Option<i64>, margin_percent: Option<f64>) -> Result<Vec<Group>> {
    let margin = margin_percent.map_or(Ok(MARGIN), margin)?;
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    role::as_owner(|| load(&sweep.node_id, sweep.sweep_id, margin))
}
