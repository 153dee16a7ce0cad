//! `pgperf.disturbance_impact`: the cost of a run's disturbances.

pub mod impact;
pub mod parts;

use super::model::disturbances::{Disturbance, load};
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::text::Text;
use impact::{Figure, Impact};
use pgrx::prelude::*;
use serde_json::{Value, json};

/// `pgperf.disturbance_impact(run_id bigint)`.
#[pg_extern(sql = false)]
fn disturbance_impact(run_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&by_id(run_id)?, fcinfo)
}

/// `pgperf.disturbance_impact(run text)`.
#[pg_extern(sql = false)]
fn disturbance_impact_by_name(run: Option<Text>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&named(run.as_deref())?, fcinfo)
}

fn give(run: &ExistingRun, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    let all = as_owner(|| load(&key))?;
    let rows = all
        .iter()
        .flat_map(|one| one.impact.iter().map(|impact| row(one, impact)));
    Ok(rows::give(fcinfo, rows)?)
}

/// A disturbance and a metric; figures with their bounds inside, after and outside; the change with its bounds and p; the recovery.
fn row(one: &Disturbance, impact: &Impact) -> Value {
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    let low = |figure: Option<Figure>| figure.and_then(|figure| figure.low);
    let high = |figure: Option<Figure>| figure.and_then(|figure| figure.high);
    json!({
        "name": one.name,
        "kind": one.kind,
        "occurrences": one.occurrences.len(),
        "metric": impact.metric,
        "unit": impact.unit,
        "inside": value(impact.inside),
        "inside_low": low(impact.inside),
        "inside_high": high(impact.inside),
        "after": value(impact.after),
        "after_low": low(impact.after),
        "after_high": high(impact.after),
        "outside": value(impact.outside),
        "outside_low": low(impact.outside),
        "outside_high": high(impact.outside),
        "change_percent": impact.change_percent,
        "change_low": impact.change_low,
        "change_high": impact.change_high,
        "p_value": impact.p_value,
        "recovered": impact.recovered,
        "recovery_s": impact.recovery_s,
    })
}
