//! The intervals of a run: all of them, or, for a long run, stretches of equal numbers of them.

use super::{Key, POINTS};
use crate::error::{Result, invalid};
use crate::pg::sql::spi;
use crate::show::charts::Point;
use measure::Histogram;
use pgrx::datum::DatumWithOid;
use serde::{Deserialize, Serialize};

const NS_PER_MS: f64 = 1e6;
/// Rows of the heat map and columns of the distribution, at most.
const HEAT_ROWS: usize = 36;
const COLUMNS: usize = 60;
/// Smallest ratio of a row's end to its start: far wider than the histograms' own counters.
const NARROWEST: f64 = 1.05;

/// Rates and latencies over time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timeline {
    /// When the first interval began: all times in seconds count from here.
    pub started_at: String,
    /// Intervals that were stored.
    pub stored_intervals: i64,
    /// The number of them for which each of `intervals` stands.
    pub condensed: i64,
    pub intervals: Vec<Interval>,
    /// Where the rows of the heat map begin, and where the last one ends; ms. Empty: there are no histograms.
    pub heat_edges_ms: Vec<f64>,
}

impl Timeline {
    /// When the last interval ended: seconds since the measured part began.
    pub fn end_s(&self) -> f64 {
        self.intervals
            .last()
            .map_or(0.0, |last| last.at_s + last.seconds)
    }
}

/// A stretch of the measured part.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interval {
    /// Seconds since the measured part began.
    pub at_s: f64,
    pub seconds: f64,
    pub transactions: i64,
    pub tps: f64,
    /// The lowest and the highest of the intervals that it stands for.
    pub tps_min: f64,
    pub tps_max: f64,
    pub latency_avg_ms: Option<f64>,
    #[serde(default)]
    pub latency_p50_ms: Option<f64>,
    #[serde(default)]
    pub latency_p95_ms: Option<f64>,
    #[serde(default)]
    pub latency_p99_ms: Option<f64>,
    #[serde(default)]
    pub latency_p999_ms: Option<f64>,
    pub latency_max_ms: Option<f64>,
    /// This and the following: null: it is not known.
    pub failed: Option<i64>,
    pub retried: Option<i64>,
    pub skipped: Option<i64>,
    pub in_checkpoint: Option<bool>,
    /// Transactions in each row of the heat map.
    #[serde(default)]
    pub heat: Vec<u64>,
}

impl Interval {
    /// In a chart.
    pub fn point(&self) -> Point {
        Point {
            at_s: self.at_s,
            seconds: self.seconds,
        }
    }
}

/// Numbers of transactions on a logarithmic axis of latency.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Latency {
    /// Where the columns begin, and where the last one ends; ms.
    pub edges_ms: Vec<f64>,
    /// Transactions in each column.
    pub counts: Vec<u64>,
}

/// None: no interval was stored.
pub fn load(key: &Key) -> Result<Option<(Timeline, Option<Latency>)>> {
    #[derive(Deserialize)]
    struct Extent {
        started_at: Option<String>,
        first: Option<i64>,
        last: Option<i64>,
        intervals: i64,
    }
    let extent: Option<Extent> = spi::select_one(
        "SELECT pg_catalog.min(i.started_at) AS started_at, pg_catalog.min(i.interval_no) AS first, \
         pg_catalog.max(i.interval_no) AS last, pg_catalog.count(*) AS intervals \
         FROM pgperf.run_intervals i WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2",
        &[key.node_id.into(), key.run_id.into()],
    )?;
    let Some(Extent {
        started_at: Some(started_at),
        first: Some(first),
        last: Some(last),
        intervals: stored_intervals,
    }) = extent
    else {
        return Ok(None);
    };
    let condensed = (last - first).div_euclid(POINTS) + 1;
    let intervals = intervals(stretches(key, first, condensed), &started_at)?;
    let histograms = histograms(&stretches(key, first, condensed))?;
    let mut timeline = Timeline {
        started_at,
        stored_intervals,
        condensed,
        intervals: Vec::with_capacity(intervals.len()),
        heat_edges_ms: edges(&histograms.all, HEAT_ROWS),
    };
    for (stretch, mut interval) in intervals {
        if let Some(Some(histogram)) = histograms.of_stretch.get(stretch) {
            // A quantile is the top of its counter, which can lie above the true maximum.
            let quantile = |q| {
                let ms = histogram.quantile(q)? as f64 / NS_PER_MS;
                Some(interval.latency_max_ms.map_or(ms, |max| ms.min(max)))
            };
            interval.latency_p50_ms = quantile(0.5);
            interval.latency_p95_ms = quantile(0.95);
            interval.latency_p99_ms = quantile(0.99);
            interval.latency_p999_ms = quantile(0.999);
            interval.heat = counts(histogram, &timeline.heat_edges_ms);
        }
        timeline.intervals.push(interval);
    }
    let latency = (histograms.all.count() > 0).then(|| {
        let edges_ms = edges(&histograms.all, COLUMNS);
        Latency {
            counts: counts(&histograms.all, &edges_ms),
            edges_ms,
        }
    });
    Ok(Some((timeline, latency)))
}

/// The arguments of both queries: the run, its first interval, and the number condensed into one.
fn stretches<'a>(key: &Key<'a>, first: i64, condensed: i64) -> [DatumWithOid<'a>; 4] {
    [
        key.node_id.into(),
        key.run_id.into(),
        first.into(),
        condensed.into(),
    ]
}

/// Stretches by number, without the figures from their histograms.
fn intervals(stretches: [DatumWithOid; 4], since: &str) -> Result<Vec<(usize, Interval)>> {
    #[derive(Deserialize)]
    struct NumberedInterval {
        stretch: usize,
        #[serde(flatten)]
        interval: Interval,
    }
    let [node_id, run_id, first, condensed] = stretches;
    let rows: Vec<NumberedInterval> = spi::select(
        "SELECT s.*, s.transactions / NULLIF(s.seconds, 0) AS tps FROM ( \
         SELECT (i.interval_no - $3) / $4 AS stretch, \
                EXTRACT(epoch FROM pg_catalog.min(i.started_at) - $5::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, \
                pg_catalog.sum(i.seconds) AS seconds, pg_catalog.sum(i.transactions)::pg_catalog.int8 AS transactions, \
                pg_catalog.min(i.tps) AS tps_min, pg_catalog.max(i.tps) AS tps_max, \
                pg_catalog.sum(i.transactions * i.latency_avg_ms) \
                    / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0)::pg_catalog.float8 \
                    AS latency_avg_ms, \
                pg_catalog.max(i.latency_max_ms) AS latency_max_ms, \
                pg_catalog.sum(i.failed)::pg_catalog.int8 AS failed, pg_catalog.sum(i.retried)::pg_catalog.int8 AS retried, \
                pg_catalog.sum(i.skipped)::pg_catalog.int8 AS skipped, pg_catalog.bool_or(i.in_checkpoint) AS in_checkpoint \
         FROM pgperf.run_intervals i WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2 GROUP BY 1) s \
         WHERE s.seconds > 0 ORDER BY s.stretch",
        &[node_id, run_id, first, condensed, since.into()],
    )?;
    Ok(rows
        .into_iter()
        .map(|row| (row.stretch, row.interval))
        .collect())
}

/// Sums of the stored histograms.
struct Histograms {
    all: Histogram,
    of_stretch: Vec<Option<Histogram>>,
}

/// In an order that needs no sort: a histogram is 34 kB in memory, all stretches' together 6 MB.
fn histograms(stretches: &[DatumWithOid; 4]) -> Result<Histograms> {
    let mut of_stretch: Vec<Option<Histogram>> = vec![None; POINTS as usize + 1];
    spi::stream(
        "SELECT (i.interval_no - $3) / $4, i.histogram FROM pgperf.run_intervals i \
         WHERE i.node_id = $1::pg_catalog.uuid AND i.run_id = $2 AND i.histogram IS NOT NULL",
        stretches,
        |stretch: i64, encoded: &[u8]| {
            let slot = usize::try_from(stretch)
                .ok()
                .and_then(|stretch| of_stretch.get_mut(stretch));
            slot.map_or(Ok(()), |slot| {
                slot.get_or_insert_default().add_encoded(encoded)
            })
            .map_err(|error| invalid(error.to_string()))
        },
    )?;
    let mut all = Histogram::new();
    for histogram in of_stretch.iter().flatten() {
        all.merge(histogram);
    }
    Ok(Histograms { all, of_stretch })
}

/// Equal steps on a logarithmic axis from the shortest to the longest latency, ms.
fn edges(all: &Histogram, most: usize) -> Vec<f64> {
    let mut buckets = all.buckets();
    let Some((low, high, _)) = buckets.next() else {
        return Vec::new();
    };
    let high = buckets.last().map_or(high, |(_, high, _)| high);
    // The first counter begins at 0, which such an axis has not.
    let (low, high) = (low.max(4) as f64 / NS_PER_MS, (high + 1) as f64 / NS_PER_MS);
    let rows = ((high / low).ln() / NARROWEST.ln())
        .floor()
        .clamp(1.0, most as f64) as usize;
    let factor = (high / low).powf(1.0 / rows as f64);
    (0..=rows)
        .map(|row| low * factor.powi(row as i32))
        .collect()
}

/// How many latencies lie between each two edges.
fn counts(histogram: &Histogram, edges_ms: &[f64]) -> Vec<u64> {
    let mut counts = vec![0; edges_ms.len().saturating_sub(1)];
    for (low, high, count) in histogram.buckets() {
        let middle = (low + high) as f64 / 2.0 / NS_PER_MS;
        let above = edges_ms.partition_point(|edge| *edge <= middle);
        let row = above.clamp(1, counts.len().max(1)) - 1;
        if let Some(counted) = counts.get_mut(row) {
            *counted += count;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_lies_between_two_edges() {
        let mut histogram = Histogram::new();
        for ns in [0, 5, 900, 50_000, 51_000, 1_000_000, 3_000_000_000] {
            histogram.record(ns);
        }
        for most in [1, 5, HEAT_ROWS] {
            let edges = edges(&histogram, most);
            assert!(edges.len() >= 2 && edges.len() <= most + 1);
            assert!(edges.is_sorted());
            assert_eq!(counts(&histogram, &edges).iter().sum::<u64>(), 7);
        }
        assert!(edges(&Histogram::new(), 5).is_empty());
        assert!(counts(&histogram, &[]).is_empty());
    }

    #[test]
    fn rows_are_wider_than_the_histogram_s_counters() {
        let mut histogram = Histogram::new();
        histogram.record(1_000_000);
        histogram.record(1_100_000);
        let edges = edges(&histogram, 60);
        assert_eq!(edges.len(), 3);
        assert_eq!(counts(&histogram, &edges), [1, 1]);
    }
}
