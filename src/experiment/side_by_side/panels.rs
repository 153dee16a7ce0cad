//! The points and peaks of several sweeps, by workload.

use super::Side;
use crate::experiment::page::model::{Peak, Point};
use measure::statistics::{Change, Estimate, holm, t_test};
use std::collections::BTreeSet;

/// A workload with values of what varies besides the clients, on all sides.
pub struct Panel<'a> {
    pub title: String,
    pub workload: &'a str,
    pub combination: &'a str,
    /// In the order of the sides.
    pub curves: Vec<Curve<'a>>,
}

/// The points of a side, by number of clients; none if its sweep has no such.
pub struct Curve<'a> {
    pub points: Vec<&'a Point>,
    pub peak: Option<&'a Peak>,
    /// How the peak differs from that of the first side; None: one of them is not known well enough to say.
    pub change: Option<Tested>,
}

/// A change in percent with its 95 % interval; `p_adjusted` is corrected for the number of tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    pub percent: f64,
    pub interval: Option<(f64, f64)>,
    pub p: f64,
    pub p_adjusted: f64,
}

impl<'a> Panel<'a> {
    /// The numbers of clients that any side has.
    pub fn clients(&self) -> BTreeSet<i64> {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        points.map(|point| point.clients).collect()
    }
}

impl<'a> Curve<'a> {
    pub fn at(&self, clients: i64) -> Option<&'a Point> {
        let mut points = self.points.iter();
        points.find(|point| point.clients == clients).copied()
    }

    fn peak_values(&self) -> &'a [f64] {
        let point = self.peak.and_then(|peak| self.at(peak.clients));
        point.map(values).unwrap_or_default()
    }
}

/// The tps of its runs.
pub fn values(point: &Point) -> &[f64] {
    point.tps_values.as_deref().unwrap_or_default()
}

/// In the order in which the sides have them.
pub fn panels(sides: &[Side]) -> Vec<Panel<'_>> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for point in sides.iter().flat_map(|side| &side.facts.points) {
        let key = (point.workload.as_str(), point.combination.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter()
        .map(|(workload, combination)| panel(sides, workload, combination))
        .collect()
}

fn panel<'a>(sides: &'a [Side], workload: &'a str, combination: &'a str) -> Panel<'a> {
    let mut curves: Vec<Curve> = sides
        .iter()
        .map(|side| {
            let all = side.facts.points.iter();
            let mut points: Vec<&Point> = all
                .filter(|point| point.workload == workload && point.combination == combination)
                .collect();
            points.sort_by_key(|point| point.clients);
            let mut peaks = side.facts.peaks.iter();
            let peak = peaks.find(|peak| peak.combination == combination && !points.is_empty());
            Curve {
                points,
                peak,
                change: None,
            }
        })
        .collect();
    let pairs: Vec<(&[f64], &[f64])> = match curves.split_first() {
        Some((first, others)) => others
            .iter()
            .map(|curve| (first.peak_values(), curve.peak_values()))
            .collect(),
        None => Vec::new(),
    };
    let changes = tested(&pairs);
    for (curve, change) in curves.iter_mut().skip(1).zip(changes) {
        curve.change = change;
    }
    Panel {
        title: match combination {
            "" => format!("workload: {workload}"),
            combination => format!("{combination} (workload: {workload})"),
        },
        workload,
        combination,
        curves,
    }
}

/// The change of each pair of repeated measurements. The p-values are corrected by Holm's method for their number.
pub fn tested(pairs: &[(&[f64], &[f64])]) -> Vec<Option<Tested>> {
    let changes: Vec<Option<Change>> = pairs
        .iter()
        .map(|(baseline, candidate)| {
            let baseline = Estimate::of_runs(baseline, 0.0)?;
            t_test(&baseline, &Estimate::of_runs(candidate, 0.0)?)
        })
        .collect();
    let p: Vec<f64> = changes.iter().flatten().map(|change| change.p).collect();
    let mut corrected = holm(&p).into_iter();
    changes
        .into_iter()
        .map(|change| {
            let change = change?;
            let p_adjusted = corrected.next()?;
            Some(Tested {
                percent: 100.0 * change.change?,
                interval: change
                    .interval_of_amounts()
                    .map(|(low, high)| (100.0 * low, 100.0 * high)),
                p: change.p,
                p_adjusted,
            })
        })
        .collect()
}
