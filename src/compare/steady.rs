//! `pgperf.steady_state`: advice on how much of a run was warm-up.

use super::names;
use crate::error::Result;
use crate::measure::statistics::{SHORTEST_SERIES, steady_from};
use crate::pg::role::as_owner;
use crate::pg::spi;
use crate::report::find::Found;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Interval {
    interval_no: i32,
    seconds: f64,
    transactions: f64,
    tps: f64,
}

/// From when the rate of a run is steady.
struct Advice {
    steady: Option<bool>,
    from_interval: Option<i32>,
    warmup_s: Option<f64>,
    tps_before: Option<f64>,
    tps: Option<f64>,
    advice: String,
}

/// `pgperf.steady_state_of`: what `pgperf.steady_state` does.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn steady_state_of(
    run: Option<String>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(steady, Option<bool>),
            name!(from_interval, Option<i32>),
            name!(warmup_s, Option<f64>),
            name!(tps_before, Option<f64>),
            name!(tps, Option<f64>),
            name!(advice, String),
        ),
    >,
    ErrorReport,
> {
    let mut advice = Vec::new();
    for run in names::resolve("run", &[run])? {
        advice.push(advise(&intervals(&run)?));
    }
    Ok(TableIterator::new(advice.into_iter().map(|advice| {
        (
            advice.steady,
            advice.from_interval,
            advice.warmup_s,
            advice.tps_before,
            advice.tps,
            advice.advice,
        )
    })))
}

fn intervals(run: &Found) -> Result<Vec<Interval>> {
    as_owner(|| {
        spi::select(
            "SELECT i.interval_no, i.seconds, i.transactions, i.tps FROM pgperf.run_intervals i \
             WHERE i.node_id = $1::uuid AND i.run_id = $2 ORDER BY i.interval_no",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })
}

fn advise(intervals: &[Interval]) -> Advice {
    let rates: Vec<f64> = intervals.iter().map(|interval| interval.tps).collect();
    let Some(found) = steady_from(&rates) else {
        return Advice {
            steady: None,
            from_interval: None,
            warmup_s: None,
            tps_before: None,
            tps: tps(intervals),
            advice: format!(
                "too short to tell: {} intervals, at least {SHORTEST_SERIES} are needed",
                rates.len()
            ),
        };
    };
    let (before, after) = intervals.split_at(found.warmup.min(intervals.len()));
    // The sum of nothing is -0.
    let warmup_s = before
        .iter()
        .fold(0.0, |sum, interval| sum + interval.seconds);
    let advice = match (found.steady, found.warmup) {
        (false, _) => {
            "the rate is not steady: run longer, or see what changes on the way".to_owned()
        }
        (true, 0) => "steady from the start".to_owned(),
        (true, _) => format!(
            "steady after {warmup_s:.0} s: warmup => '{} s' would leave that out",
            warmup_s.ceil()
        ),
    };
    Advice {
        steady: Some(found.steady),
        from_interval: after
            .first()
            .filter(|_| found.steady)
            .map(|interval| interval.interval_no),
        warmup_s: found.steady.then_some(warmup_s),
        tps_before: tps(before),
        tps: tps(after),
        advice,
    }
}

fn tps(intervals: &[Interval]) -> Option<f64> {
    let seconds: f64 = intervals.iter().map(|interval| interval.seconds).sum();
    let transactions: f64 = intervals.iter().map(|interval| interval.transactions).sum();
    (seconds > 0.0).then(|| transactions / seconds)
}
