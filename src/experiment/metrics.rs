//! The metrics of a sweep's workloads at its points.

use crate::error::Result;
use crate::pg::sql::spi;
use measure::metrics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the metrics of single receivers begin with.
pub const OF_RECEIVER: &str = "sustainable_tps.";

/// A row of `pgperf.sweep_metrics`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Metric {
    pub point_no: i64,
    pub metric: String,
    pub unit: String,
    pub mean: Option<f64>,
    pub ci_high: Option<f64>,
}

impl Metric {
    /// See [`half_percent`].
    pub fn half_percent(&self) -> Option<f64> {
        half_percent(self.mean, self.ci_high)
    }
}

/// Half of a 95 % interval, from its mean and its upper end, as a share of the mean in percent.
pub fn half_percent(mean: Option<f64>, high: Option<f64>) -> Option<f64> {
    let (mean, high) = mean.filter(|&mean| mean > 0.0).zip(high)?;
    Some(100.0 * (high - mean) / mean)
}

/// The metrics of a sweep that its reports show, by point.
pub fn load(node_id: &str, sweep_id: i64) -> Result<Vec<Metric>> {
    let all: Vec<Metric> = spi::select(
        "SELECT m.point_no, m.metric, m.unit, m.mean, m.ci_high FROM pgperf.sweep_metrics m \
          WHERE m.node_id = $1::pg_catalog.uuid AND m.sweep_id = $2 ORDER BY m.metric, m.point_no",
        &[node_id.into(), sweep_id.into()],
    )?;
    let shown = all.into_iter();
    Ok(shown
        .filter(|metric| {
            metrics::is_headline(&metric.metric) || metric.metric.starts_with(OF_RECEIVER)
        })
        .collect())
}

/// So many metrics are shown.
const MOST: usize = 8;

/// The names of the first metrics that points of these numbers have.
pub fn names(metrics: &[Metric], points: impl Iterator<Item = i64>) -> BTreeSet<&str> {
    let points: BTreeSet<i64> = points.collect();
    let those = metrics
        .iter()
        .filter(|metric| points.contains(&metric.point_no))
        // Those of receivers are a table of their own.
        .filter(|metric| !metric.metric.starts_with(OF_RECEIVER));
    let all: BTreeSet<&str> = those.map(|metric| metric.metric.as_str()).collect();
    all.into_iter().take(MOST).collect()
}

/// A metric at a point.
pub fn at<'a>(metrics: &'a [Metric], name: &str, point_no: i64) -> Option<&'a Metric> {
    let mut all = metrics.iter();
    all.find(|metric| metric.point_no == point_no && metric.metric == name)
}
