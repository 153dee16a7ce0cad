//! The points and peaks of several sweeps, by workload.

use super::Side;
use crate::experiment::report::facts::{Peak, Point};
use crate::experiment::report::heading;
use crate::show::delta::Delta;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// A workload with values of what varies besides the clients, on all sweeps.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PanelDocument"))]
pub struct Panel<'a> {
    #[serde(skip)]
    pub title: String,
    pub workload: &'a str,
    pub combination: &'a str,
    /// In the order of the sweeps.
    #[serde(rename = "sides")]
    pub curves: Vec<Curve<'a>>,
}

/// What a sweep has of a panel.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SideDocument"))]
pub struct Curve<'a> {
    /// The sweep.
    pub name: &'a str,
    /// Its points of this panel, by number of clients.
    #[serde(rename = "point_nos", serialize_with = "numbers")]
    #[cfg_attr(test, schemars(with = "Vec<i64>"))]
    pub points: Vec<&'a Point>,
    #[serde(skip)]
    pub peak: Option<&'a Peak>,
    /// Null: it has none.
    peak_clients: Option<i64>,
    peak_tps: Option<f64>,
    /// How the peak differs from that of the first sweep; unknown if one of them has one run.
    #[serde(flatten)]
    pub change: Delta,
}

fn numbers<S: Serializer>(points: &[&Point], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.iter().map(|point| point.point_no))
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

    pub fn peak_point(&self) -> Option<&'a Point> {
        self.at(self.peak?.clients)
    }

    fn peak_values(&self) -> &'a [f64] {
        self.peak_point().map(values).unwrap_or_default()
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
            let peak = side.facts.peak(combination).filter(|_| !points.is_empty());
            Curve {
                name: &side.name,
                peak,
                peak_clients: peak.map(|peak| peak.clients),
                peak_tps: peak.map(|peak| peak.tps),
                points,
                change: Delta::default(),
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
    let changes = Delta::of_runs(&pairs);
    for (curve, change) in curves.iter_mut().skip(1).zip(changes) {
        curve.change = change;
    }
    Panel {
        title: heading(workload, combination),
        workload,
        combination,
        curves,
    }
}
