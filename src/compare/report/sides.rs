//! Two sides of runs over time, in steps that both have in common.

use crate::error::{Result, invalid};
use crate::pg::sql::spi;
use crate::report::model::Key;
use measure::Histogram;
use pgrx::datum::DatumWithOid;
use serde::Deserialize;
use std::collections::HashMap;

const NS_PER_MS: f64 = 1e6;
/// Steps of the longest run, at most.
const STEPS: i64 = 120;

/// The figures of a side's runs in a step, each counted from the beginning of its measured part.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct StepFigures {
    /// The number of the step, from 0.
    pub step: i64,
    /// The mean over the side's runs.
    pub tps: f64,
    /// The lowest and the highest of its runs.
    pub tps_min: f64,
    pub tps_max: f64,
    /// Over all transactions of its runs.
    pub latency_avg_ms: Option<f64>,
    /// Whether there was a checkpoint in at least half of its runs; None: it is not known.
    pub in_checkpoint: Option<bool>,
    #[serde(default)]
    pub latency_p95_ms: Option<f64>,
    #[serde(default)]
    pub latency_p99_ms: Option<f64>,
}

/// Both sides.
#[derive(Debug, Clone)]
pub struct Sides {
    /// Length of a step.
    pub step_s: f64,
    /// The steps that the baseline's runs have intervals in, and those of the candidate's.
    pub steps: [Vec<StepFigures>; 2],
}

/// None: no interval was stored of any run. The current user must be able to read pgperf's tables.
pub fn load(baseline: &[Key], candidate: &[Key]) -> Result<Option<Sides>> {
    let keys = Keys::of([baseline, candidate]);
    let Some(step_s) = keys.step_s()? else {
        return Ok(None);
    };
    #[derive(Deserialize)]
    struct StepOfSide {
        side: usize,
        #[serde(flatten)]
        step: StepFigures,
    }
    let mut args = keys.args();
    args.push(step_s.into());
    // The incomplete step at a run's end is dropped, unless it is all of the run.
    let rows: Vec<StepOfSide> = spi::select(
        &format!(
            "SELECT r.side, r.step, pg_catalog.avg(r.tps) AS tps, pg_catalog.min(r.tps) AS tps_min, pg_catalog.max(r.tps) AS tps_max, \
                    pg_catalog.sum(r.latency_sum_ms) / NULLIF(pg_catalog.sum(r.transactions), 0) AS latency_avg_ms, \
                    pg_catalog.avg(r.in_checkpoint::pg_catalog.int4) >= 0.5 AS in_checkpoint \
             FROM (SELECT i.side, i.run, i.step, pg_catalog.sum(i.transactions) / pg_catalog.sum(i.seconds) AS tps, \
                          pg_catalog.sum(i.transactions * i.latency_avg_ms) AS latency_sum_ms, pg_catalog.bool_or(i.in_checkpoint) AS in_checkpoint, \
                          (pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL))::pg_catalog.float8 AS transactions \
                   FROM ({INTERVALS}) i GROUP BY 1, 2, 3 \
                   HAVING pg_catalog.sum(i.seconds) >= $4 / 4 OR i.step = 0) r \
             GROUP BY 1, 2 ORDER BY 1, 2"
        ),
        &args,
    )?;
    let mut histograms = histograms(&args)?;
    let mut steps = [Vec::new(), Vec::new()];
    for StepOfSide { side, mut step } in rows {
        if let Some(histogram) = histograms.remove(&number(side, step.step)) {
            let ms = |q| Some(histogram.quantile(q)? as f64 / NS_PER_MS);
            step.latency_p95_ms = ms(0.95);
            step.latency_p99_ms = ms(0.99);
        }
        if let Some(steps) = steps.get_mut(side) {
            steps.push(step);
        }
    }
    Ok(Some(Sides { step_s, steps }))
}

/// The intervals of all runs with the step that their middle lies in: $1 to $3 are the runs, $4 the length of a step.
const INTERVALS: &str = "SELECT k.side, k.run, i.seconds, i.transactions, i.latency_avg_ms, i.in_checkpoint, i.histogram, \
        pg_catalog.floor((EXTRACT(epoch FROM i.started_at - f.first)::pg_catalog.float8 + i.seconds / 2) / $4)::pg_catalog.int8 AS step \
     FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.int8[]), pg_catalog.unnest($3::pg_catalog.int4[])) \
          WITH ORDINALITY k(node_id, run_id, side, run) \
     CROSS JOIN LATERAL (SELECT pg_catalog.min(x.started_at) AS first FROM pgperf.run_intervals x \
                         WHERE x.node_id = k.node_id::pg_catalog.uuid AND x.run_id = k.run_id) f \
     JOIN pgperf.run_intervals i ON i.node_id = k.node_id::pg_catalog.uuid AND i.run_id = k.run_id \
     WHERE i.seconds > 0";

/// The runs of both sides as arguments of a query.
struct Keys<'a> {
    node_ids: Vec<&'a str>,
    run_ids: Vec<i64>,
    sides: Vec<i32>,
}

impl<'a> Keys<'a> {
    fn of(sides: [&[Key<'a>]; 2]) -> Keys<'a> {
        let all = || {
            (0..)
                .zip(sides)
                .flat_map(|(side, keys)| keys.iter().map(move |key| (side, key)))
        };
        Keys {
            node_ids: all().map(|(_, key)| key.node_id).collect(),
            run_ids: all().map(|(_, key)| key.run_id).collect(),
            sides: all().map(|(side, _)| side).collect(),
        }
    }

    fn args(&self) -> Vec<DatumWithOid<'a>> {
        vec![
            self.node_ids.clone().into(),
            self.run_ids.clone().into(),
            self.sides.clone().into(),
        ]
    }

    /// Seconds of a step: as many of the usual intervals as leave no more than [`STEPS`].
    fn step_s(&self) -> Result<Option<f64>> {
        #[derive(Deserialize)]
        struct Extent {
            longest_s: Option<f64>,
            interval_s: Option<f64>,
        }
        // Nearly all intervals of a run are that long: one that a stall made longer does not count.
        let extent: Option<Extent> = spi::select_one(
            "SELECT pg_catalog.max(r.length_s) AS longest_s, pg_catalog.max(r.interval_s) AS interval_s \
             FROM (SELECT EXTRACT(epoch FROM pg_catalog.max(i.started_at) - pg_catalog.min(i.started_at))::pg_catalog.float8 \
                            + pg_catalog.min(i.seconds) AS length_s, \
                          pg_catalog.percentile_disc(0.95) WITHIN GROUP (ORDER BY i.seconds) AS interval_s \
                   FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.int8[])) k(node_id, run_id) \
                   JOIN pgperf.run_intervals i ON i.node_id = k.node_id::pg_catalog.uuid AND i.run_id = k.run_id \
                   WHERE i.seconds > 0 GROUP BY k.node_id, k.run_id) r",
            &[self.node_ids.clone().into(), self.run_ids.clone().into()],
        )?;
        Ok(extent.and_then(|extent| Some(step_s(extent.longest_s?, extent.interval_s?))))
    }
}

fn step_s(longest_s: f64, interval_s: f64) -> f64 {
    let intervals = (longest_s / interval_s / STEPS as f64).ceil().max(1.0);
    intervals * interval_s
}

/// One number for a step of a side.
fn number(side: usize, step: i64) -> i64 {
    step * 2 + side as i64
}

/// The sums of the stored histograms by the step's number.
fn histograms(args: &[DatumWithOid]) -> Result<HashMap<i64, Histogram>> {
    let mut sums: HashMap<i64, Histogram> = HashMap::new();
    spi::stream(
        &format!(
            "SELECT i.step * 2 + i.side, i.histogram FROM ({INTERVALS}) i WHERE i.histogram IS NOT NULL"
        ),
        args,
        |number: i64, encoded: &[u8]| {
            let sum = sums.entry(number).or_default();
            sum.add_encoded(encoded)
                .map_err(|error| invalid(error.to_string()))
        },
    )?;
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_whole_number_of_intervals() {
        assert_eq!(step_s(60.0, 1.0), 1.0);
        assert_eq!(step_s(120.0, 1.0), 1.0);
        assert_eq!(step_s(121.0, 1.0), 2.0);
        assert_eq!(step_s(3_600.0, 1.0), 30.0);
        assert_eq!(step_s(3.0, 60.0), 60.0);
    }

    #[test]
    fn each_step_of_each_side_has_its_own_number() {
        let all: Vec<i64> = (0..3)
            .flat_map(|step| [number(0, step), number(1, step)])
            .collect();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    }
}
