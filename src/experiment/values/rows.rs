//! `pgperf.sweep_values`: a sweep by values as rows.

use super::{Figure, Group, MARGIN, load};
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
        it.values
            .iter()
            .zip(&group.points)
            .zip(0..)
            .map(move |((spread, point), place)| {
                let change = spread.change;
                (
                    point.point_no as i32,
                    group.workload.clone().into(),
                    group.clients as i32,
                    point.name().into(),
                    group.baseline == Some(place),
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

fn groups(sweep_id: Option<i64>, margin_percent: Option<f64>) -> Result<Vec<Group>> {
    let margin = margin_percent.map_or(Ok(MARGIN), margin)?;
    let sweep = sweeps::by_id(sweep_id)?;
    sweep.check_visible()?;
    role::as_owner(|| load(&sweep.node_id, sweep.sweep_id, margin))
}
