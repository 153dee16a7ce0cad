//! `pgperf.disturbance_impact`: the cost of a run's disturbances.

pub mod impact;
pub mod parts;

use super::model::disturbances::load;
use super::named;
use crate::catalog::runs::{ExistingRun, by_id};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use impact::{Figure, Impact};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// A disturbance and a metric; figures with their bounds inside, after and outside; the change with its bounds and p; the recovery.
type Row = (
    Text,
    Text,
    i64,
    Text,
    Text,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<i64>,
    Option<f64>,
);

/// `pgperf.disturbance_impact(run_id bigint)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn disturbance_impact(
    run_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(name, Text),
            name!(kind, Text),
            name!(occurrences, i64),
            name!(metric, Text),
            name!(unit, Text),
            name!(inside, Option<f64>),
            name!(inside_low, Option<f64>),
            name!(inside_high, Option<f64>),
            name!(after, Option<f64>),
            name!(after_low, Option<f64>),
            name!(after_high, Option<f64>),
            name!(outside, Option<f64>),
            name!(outside_low, Option<f64>),
            name!(outside_high, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(change_low, Option<f64>),
            name!(change_high, Option<f64>),
            name!(p_value, Option<f64>),
            name!(recovered, Option<i64>),
            name!(recovery_s, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&by_id(run_id)?)?))
}

/// `pgperf.disturbance_impact(run text)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn disturbance_impact_by_name(
    run: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(name, Text),
            name!(kind, Text),
            name!(occurrences, i64),
            name!(metric, Text),
            name!(unit, Text),
            name!(inside, Option<f64>),
            name!(inside_low, Option<f64>),
            name!(inside_high, Option<f64>),
            name!(after, Option<f64>),
            name!(after_low, Option<f64>),
            name!(after_high, Option<f64>),
            name!(outside, Option<f64>),
            name!(outside_low, Option<f64>),
            name!(outside_high, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(change_low, Option<f64>),
            name!(change_high, Option<f64>),
            name!(p_value, Option<f64>),
            name!(recovered, Option<i64>),
            name!(recovery_s, Option<f64>),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&named(run.as_deref())?)?))
}

fn rows(run: &ExistingRun) -> Result<impl Iterator<Item = Row> + use<>> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let all = as_owner(|| load(&key))?;
    Ok(all.into_iter().flat_map(|one| {
        let occurrences = one.occurrences.len() as i64;
        let (name, kind) = (one.name, one.kind);
        let impact = one.impact.into_iter();
        impact.map(move |impact| row(&name, &kind, occurrences, &impact))
    }))
}

fn row(name: &str, kind: &str, occurrences: i64, impact: &Impact) -> Row {
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    let low = |figure: Option<Figure>| figure.and_then(|figure| figure.low);
    let high = |figure: Option<Figure>| figure.and_then(|figure| figure.high);
    (
        name.into(),
        kind.into(),
        occurrences,
        impact.metric.into(),
        impact.unit.into(),
        value(impact.inside),
        low(impact.inside),
        high(impact.inside),
        value(impact.after),
        low(impact.after),
        high(impact.after),
        value(impact.outside),
        low(impact.outside),
        high(impact.outside),
        impact.change_percent,
        impact.change_low,
        impact.change_high,
        impact.p_value,
        impact.recovered,
        impact.recovery_s,
    )
}
