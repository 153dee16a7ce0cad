//! The statistics that the views of sweeps use.

use crate::error::{Result, invalid};
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use measure::scalability::{self, Scalability};
use measure::statistics::{Estimate, Precision, mean_interval as interval_of, welch, width};
use pgrx::prelude::*;
use serde_json::json;

fn present(sample: Vec<Option<f64>>) -> Vec<f64> {
    sample.into_iter().flatten().collect()
}

/// `pgperf.mean_interval`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn mean_interval(
    sample: Vec<Option<f64>>,
) -> TableIterator<
    'static,
    (
        name!(n, i32),
        name!(mean, Option<f64>),
        name!(ci_low, Option<f64>),
        name!(ci_high, Option<f64>),
    ),
> {
    let sample = present(sample);
    let (mean, low, high) = match (interval_of(&sample), sample.as_slice()) {
        (Some(interval), _) => (Some(interval.mean), Some(interval.low), Some(interval.high)),
        (None, [single]) => (Some(*single), None, None),
        (None, _) => (None, None, None),
    };
    TableIterator::once((sample.len() as i32, mean, low, high))
}

/// `pgperf_internal.precision_of`: the rule by which a sweep decides on further runs.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)] // the columns
fn precision_of(
    sample: Vec<Option<f64>>,
    wanted: f64,
    fewest: i32,
    most: i32,
) -> TableIterator<
    'static,
    (
        name!(precision_percent, Option<f64>),
        name!(precise, bool),
        name!(missing, Option<i32>),
    ),
> {
    let sample = present(sample);
    let count = |value: i32| usize::try_from(value).unwrap_or(0);
    let precision = Precision {
        wanted,
        fewest: count(fewest),
        most: count(most),
    };
    let missing = precision.missing(&sample);
    TableIterator::once((
        width(&sample).map(|width| 100.0 * width),
        precision.holds(&sample),
        missing.map(|missing| missing as i32),
    ))
}

/// `pgperf.welch_p_value`.
#[pg_extern(sql = false)]
fn welch_p_value(a: Vec<Option<f64>>, b: Vec<Option<f64>>) -> Option<f64> {
    let a = Estimate::of_runs(&present(a), 0.0)?;
    let b = Estimate::of_runs(&present(b), 0.0)?;
    Some(welch(&a, &b)?.p)
}

/// `pgperf.fit_scalability`.
#[pg_extern(sql = false)]
fn fit_scalability(
    clients: Vec<Option<f64>>,
    tps: Vec<Option<f64>>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let (law, reason) = match scalability::fit(&pairs(&clients, &tps)?) {
        Ok(law) => (Some(law), None),
        Err(reason) => (None, Some(reason.to_string())),
    };
    let of = |value: fn(&Scalability) -> Option<f64>| law.as_ref().and_then(value);
    let row = json!({
        "lambda": of(|law| Some(law.lambda.value)),
        "sigma": of(|law| Some(law.sigma.value)),
        "kappa": of(|law| Some(law.kappa.value)),
        "lambda_error": of(|law| law.lambda.standard_error),
        "sigma_error": of(|law| law.sigma.standard_error),
        "kappa_error": of(|law| law.kappa.standard_error),
        "r_squared": of(|law| law.r_squared),
        "residual_tps": of(|law| law.residual_stddev),
        "peak_clients": of(|law| Some(law.peak()?.clients)),
        "peak_tps": of(|law| Some(law.peak()?.throughput)),
        "limit_tps": of(Scalability::limit),
        "reason": reason,
    });
    Ok(rows::give(fcinfo, [row])?)
}

fn pairs(clients: &[Option<f64>], tps: &[Option<f64>]) -> Result<Vec<(f64, f64)>> {
    let wrong = |message: &str| invalid(message.to_owned());
    if clients.len() != tps.len() {
        return Err(wrong(
            "clients and tps must have the same number of elements",
        ));
    }
    let pairs: Vec<(f64, f64)> = clients
        .iter()
        .zip(tps)
        .filter_map(|(clients, tps)| clients.zip(*tps))
        .collect();
    if pairs
        .iter()
        .any(|(n, x)| !(n.is_finite() && *n >= 1.0 && x.is_finite()))
    {
        return Err(wrong("clients must be at least 1, and tps finite"));
    }
    Ok(pairs)
}
