//! The difference between two sides that alternated within the run, by blocks of four turns.

use crate::error::Result;
use crate::pg::sql::spi;
use crate::report::stored_run::Run;
use crate::run::request::alternate::Alternation as Turns;
use crate::show::delta::Delta;
use measure::metrics::{self, Better, Source};
use measure::statistics::{Blocks, LEVEL, TurnValue, benjamini_hochberg};
use measure::turns::{BLOCK, Side};
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

/// A turn of which less than this share was measured does not count.
const ENOUGH: f64 = 0.5;
/// Blocks that are given one by one; of a long run a point stands for several.
const POINTS: usize = 180;
/// A bucket of a histogram, and the error of a clock, as shares of a value.
const BUCKET: f64 = 1.0 / 128.0;
const CLOCK: f64 = 1e-4;

/// Two sides of settings that took turns.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Alternation {
    #[serde(flatten)]
    pub turns: Turns,
    /// Whole blocks of four turns.
    pub blocks: usize,
    pub differences: Vec<Difference>,
    /// The rates of both sides over time; of a long run a point stands for several blocks.
    pub over_time: Vec<Point>,
}

/// A metric on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    pub metric: &'static str,
    pub unit: &'static str,
    /// Which is better: `higher` or `lower`.
    pub direction: Option<&'static str>,
    /// The mean of side A over its blocks.
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// From side A to side B. The p of the first metric stands by itself; those of the others are corrected for their number.
    #[serde(flatten)]
    pub delta: Delta,
    /// Blocks that have a value on both sides.
    pub blocks: usize,
    /// `better`, `worse`, `no significant difference` or `too few blocks`: side B beside side A.
    pub verdict: &'static str,
}

/// The rates of both sides in a stretch of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    /// Seconds since the measured part began, of the middle.
    pub at_s: f64,
    pub tps_a: f64,
    pub tps_b: f64,
}

/// What is known of a turn.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Turn {
    turn_no: u64,
    side: String,
    seconds: f64,
    tps: Option<f64>,
    latency_avg_ms: Option<f64>,
    quantiles_ms: Option<[Option<f64>; 3]>,
    wal_bytes_per_tx: Option<f64>,
}

type Value = fn(&Turn) -> Option<f64>;

fn quantile(turn: &Turn, number: usize) -> Option<f64> {
    turn.quantiles_ms?[number]
}

const METRICS: [(&str, Value); 6] = [
    ("tps", |turn| turn.tps),
    ("latency_avg_ms", |turn| turn.latency_avg_ms),
    ("latency_p50_ms", |turn| quantile(turn, 0)),
    ("latency_p95_ms", |turn| quantile(turn, 1)),
    ("latency_p99_ms", |turn| quantile(turn, 2)),
    ("wal_bytes_per_tx", |turn| turn.wal_bytes_per_tx),
];

/// None: the run had no turns. `key`: node and run.
pub fn load(run: &Run, key: &[DatumWithOid]) -> Result<Option<Alternation>> {
    let Some(turns) = &run.spec.alternate else {
        return Ok(None);
    };
    let measured: Vec<Turn> = spi::select(
        "SELECT i.turn_no, i.side, pg_catalog.sum(i.seconds) AS seconds, \
                pg_catalog.sum(i.transactions) / NULLIF(pg_catalog.sum(i.seconds), 0) AS tps, \
                pg_catalog.sum(i.transactions * i.latency_avg_ms) \
                    / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0)::pg_catalog.float8 \
                    AS latency_avg_ms, \
                pgperf.histogram_quantiles(pg_catalog.array_agg(i.histogram), '{0.5, 0.95, 0.99}') AS quantiles_ms, \
                pg_catalog.sum(i.wal_bytes)::pg_catalog.float8 / NULLIF(pg_catalog.sum(i.transactions), 0)::pg_catalog.float8 \
                    AS wal_bytes_per_tx \
         FROM pgperf.run_intervals i WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2 AND i.side IS NOT NULL \
         GROUP BY i.turn_no, i.side ORDER BY i.turn_no",
        key,
    )?;
    let is_scheduled = run.spec.rate.is_some() || run.spec.terminals.is_some();
    Ok(Some(of(turns, measured, is_scheduled)))
}

/// `is_scheduled`: the rate is given, so latency is what is asked about.
fn of(turns: &Turns, mut measured: Vec<Turn>, is_scheduled: bool) -> Alternation {
    let enough = ENOUGH * (turns.every_s - turns.settle_s);
    measured.retain(|turn| turn.seconds >= enough);
    let headline = if is_scheduled {
        "latency_avg_ms"
    } else {
        "tps"
    };
    let mut differences: Vec<Difference> = METRICS
        .iter()
        .map(|(metric, value)| difference(metric, &blocks(&measured, *value)))
        .collect();
    differences.sort_by_key(|difference| difference.metric != headline);
    correct(&mut differences, headline);
    Alternation {
        turns: turns.clone(),
        blocks: differences.iter().map(|it| it.blocks).max().unwrap_or(0),
        over_time: over_time(&measured, turns.every_s),
        differences,
    }
}

fn values(measured: &[Turn], value: Value) -> Vec<TurnValue> {
    let known = |turn: &Turn| {
        Some(TurnValue {
            turn: turn.turn_no,
            side: Side::named(&turn.side)?,
            value: value(turn)?,
        })
    };
    measured.iter().filter_map(known).collect()
}

fn blocks(measured: &[Turn], value: Value) -> Blocks {
    Blocks::of(&values(measured, value))
}

fn difference(metric: &'static str, blocks: &Blocks) -> Difference {
    let known = metrics::named(Source::Columns, metric);
    let (a, b) = (blocks.mean(Side::A), blocks.mean(Side::B));
    let step = if metric.starts_with("latency_p") {
        BUCKET
    } else {
        CLOCK
    };
    let change = blocks.change(step * a.unwrap_or(0.0).abs());
    let interval = change.and_then(|change| change.interval_of_amounts());
    let percent = |share: f64| 100.0 * share;
    Difference {
        metric,
        unit: known.map_or("", |known| known.unit),
        direction: known.and_then(|known| known.better).map(Better::name),
        a,
        b,
        delta: Delta {
            change_percent: change.and_then(|it| it.change).map(percent),
            ci_low_percent: interval.map(|(low, _)| percent(low)),
            ci_high_percent: interval.map(|(_, high)| percent(high)),
            p_value: change.map(|it| it.p),
            p_adjusted: None,
        },
        blocks: blocks.count(),
        verdict: "too few blocks",
    }
}

/// The headline is one question, asked before looking. The others are corrected for their number.
fn correct(differences: &mut [Difference], headline: &str) {
    let others: Vec<usize> = (0..differences.len())
        .filter(|&i| differences[i].metric != headline && differences[i].delta.p_value.is_some())
        .collect();
    let p: Vec<f64> = others
        .iter()
        .filter_map(|&i| differences[i].delta.p_value)
        .collect();
    for (&i, p) in others.iter().zip(benjamini_hochberg(&p)) {
        differences[i].delta.p_adjusted = Some(p);
    }
    for difference in differences {
        difference.delta.p_adjusted = difference.delta.p_adjusted.or(difference.delta.p_value);
        if let Some(p) = difference.delta.p_adjusted {
            difference.verdict = verdict(difference, p);
        }
    }
}

fn verdict(difference: &Difference, p: f64) -> &'static str {
    let rises = difference.b > difference.a;
    match difference.direction {
        _ if p >= LEVEL => "no significant difference",
        Some(direction) if rises == (direction == Better::Higher.name()) => "better",
        _ => "worse",
    }
}

fn over_time(measured: &[Turn], every_s: f64) -> Vec<Point> {
    let rates = values(measured, |turn| turn.tps);
    let mut points: Vec<Point> = rates
        .chunk_by(|one, next| one.turn / BLOCK == next.turn / BLOCK)
        .filter_map(|block| {
            let means = Blocks::of(block);
            Some(Point {
                at_s: ((block.first()?.turn / BLOCK) as f64 + 0.5) * BLOCK as f64 * every_s,
                tps_a: means.mean(Side::A)?,
                tps_b: means.mean(Side::B)?,
            })
        })
        .collect();
    let condensed = points.len().div_ceil(POINTS);
    if condensed > 1 {
        points = points.chunks(condensed).map(middle).collect();
    }
    points
}

/// The means of several points.
fn middle(points: &[Point]) -> Point {
    let mean =
        |value: fn(&Point) -> f64| points.iter().map(value).sum::<f64>() / points.len() as f64;
    Point {
        at_s: mean(|point| point.at_s),
        tps_a: mean(|point| point.tps_a),
        tps_b: mean(|point| point.tps_b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::turns::side_of;

    fn turns() -> Turns {
        Turns {
            of_server: Default::default(),
            scripts: None,
            settings: Default::default(),
            every_s: 5.0,
            settle_s: 1.0,
        }
    }

    /// Side B has four fifths of side A's latency, and a tenth more WAL; nothing is twice the same.
    fn measured(count: u64) -> Vec<Turn> {
        (0..count)
            .map(|turn_no| {
                let side = side_of(turn_no, 7);
                let noise = 1.0 + ((turn_no * 7919) % 13) as f64 / 1000.0;
                let latency = noise * if side == Side::A { 1.0 } else { 0.8 };
                Turn {
                    turn_no,
                    side: side.name().to_owned(),
                    seconds: 4.0,
                    tps: Some(1000.0 / latency),
                    latency_avg_ms: Some(latency),
                    quantiles_ms: Some([Some(latency), Some(latency), None]),
                    wal_bytes_per_tx: Some(if side == Side::A { 500.0 } else { 550.0 } * noise),
                }
            })
            .collect()
    }

    fn named<'a>(of: &'a Alternation, metric: &str) -> &'a Difference {
        of.differences
            .iter()
            .find(|it| it.metric == metric)
            .unwrap()
    }

    #[test]
    fn sides_are_compared_metric_by_metric() {
        let alternation = of(&turns(), measured(41), false);
        assert_eq!((alternation.blocks, alternation.over_time.len()), (10, 10));
        assert_eq!(alternation.over_time[1].at_s, 30.0);
        let tps = &alternation.differences[0];
        assert_eq!((tps.metric, tps.verdict), ("tps", "better"));
        assert!(
            (tps.delta.change_percent.unwrap() - 25.0).abs() < 1.0,
            "{tps:?}"
        );
        assert_eq!(tps.delta.p_value, tps.delta.p_adjusted);
        assert_eq!(named(&alternation, "latency_p50_ms").verdict, "better");
        let wal = named(&alternation, "wal_bytes_per_tx");
        assert_eq!((wal.verdict, wal.direction), ("worse", Some("lower")));
        let unknown = named(&alternation, "latency_p99_ms");
        assert_eq!((unknown.a, unknown.delta.p_value), (None, None));
        assert_eq!(unknown.verdict, "too few blocks");
    }

    #[test]
    fn a_given_rate_is_no_answer() {
        let alternation = of(&turns(), measured(16), true);
        assert_eq!(alternation.differences[0].metric, "latency_avg_ms");
    }

    #[test]
    fn turns_that_were_hardly_measured_do_not_count() {
        let mut measured = measured(16);
        measured[9].seconds = 1.9;
        assert_eq!(of(&turns(), measured, false).blocks, 3);
        let none = of(&turns(), Vec::new(), false);
        assert_eq!((none.blocks, none.differences.len()), (0, METRICS.len()));
        assert!(
            none.differences
                .iter()
                .all(|it| it.verdict == "too few blocks")
        );
    }

    #[test]
    fn a_long_run_has_a_point_for_several_blocks() {
        let count = 4 * 1000;
        let points = of(&turns(), measured(count), false).over_time;
        assert!(points.len() <= POINTS && points.len() > POINTS / 2);
        assert!(points.is_sorted_by(|one, next| one.at_s < next.at_s));
    }
}
