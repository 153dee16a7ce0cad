//! A sweep by the values that vary besides the clients: [`axis`] has their order, [`figures`] what is known of them, [`buffers`] [`statements`] their times, [`buffers`] what
//! `shared_buffers` held. [`report`] shows them where there is one number of clients, [`rows`] returns them.

mod axis;
pub mod buffers;
mod charts;
mod figures;
pub mod report;
mod rows;
mod statements;
#[cfg(test)]
mod tests;

pub use axis::Axis;
pub use figures::{Figure, Spread};

use self::axis::{GridPoint, WORKLOAD, axes};
use self::buffers::Held;
use self::figures::{OF_EVERY_RUN, Observed};
use self::statements::{Statement, Timed};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::blocks::{Column, name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The margin, as a share, within which a value is as good as the best, if nobody says another one.
pub const MARGIN: f64 = 0.05;

/// Between the values of several dimensions, and between their names.
pub const BESIDE: &str = " / ";

/// The points of a workload with a number of clients.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// Of several workloads that are an axis themselves, the first.
    pub workload: String,
    pub clients: i64,
    /// What varies besides the clients.
    pub axes: Vec<Axis>,
    /// By their places on the axes, the last of which varies fastest.
    pub points: Vec<Place>,
    /// The place of the point, from 0, that the others are compared with; null: the grid lacks it.
    pub baseline: Option<usize>,
    /// The headline first.
    pub figures: Vec<Figure>,
    /// Times of statements; of several workloads that are an axis themselves, none.
    pub statements: Vec<Statement>,
    /// What `shared_buffers` held at the end of the last run of each point, of which a sample tells it.
    pub buffers: Vec<Held>,
}

/// A point on the axes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    pub point_no: i64,
    /// Its value on each axis.
    pub values: Vec<String>,
    /// The places of these values on the axes, from 0.
    pub places: Vec<usize>,
}

impl Place {
    /// Its values in one text.
    pub fn name(&self) -> String {
        self.values.join(BESIDE)
    }
}

impl Group {
    /// The point at these places of the axes: its place in the group.
    pub fn at(&self, places: &[usize]) -> Option<usize> {
        self.points.iter().position(|point| point.places == places)
    }

    /// The values of a point in one text; empty: it is of another group.
    pub fn name_of(&self, point_no: i64) -> String {
        let mut points = self.points.iter();
        let point = points.find(|point| point.point_no == point_no);
        point.map(Place::name).unwrap_or_default()
    }

    /// The column that tells the values of what rows are about.
    pub fn column<'a, T: 'a>(&'a self, point_no: fn(&T) -> i64) -> Column<'a, T> {
        let axes: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        name(&axes.join(BESIDE), move |row: &T| {
            self.name_of(point_no(row))
        })
    }

    /// What `shared_buffers` held, in the order of the points.
    pub fn held(&self) -> impl Iterator<Item = &Held> {
        let points = self.points.iter();
        points.filter_map(|point| {
            let mut all = self.buffers.iter();
            all.find(|held| held.point_no == point.point_no)
        })
    }
}

/// Which of the sweep's settings had which value before, and what its points race for.
#[derive(Debug, Default, Deserialize)]
struct Stored {
    current: Option<BTreeMap<String, String>>,
    raced: Option<String>,
}

const STORED: &str = "SELECT s.spec -> 'current' AS current, s.spec #>> '{race,metric}' AS raced \
   FROM pgperf_internal.stored_sweeps s WHERE s.node_id = $1::pg_catalog.uuid AND s.sweep_id = $2";
const POINTS: &str = "SELECT p.point_no, p.workload, p.clients, p.combination, \
        (SELECT pg_catalog.jsonb_object_agg(d.key, d.value) \
           FROM pg_catalog.jsonb_each_text(p.settings || pg_catalog.jsonb_build_object('workload', p.workload, 'scale', p.scale, \
                'partitions', p.partitions, 'fillfactor', p.fillfactor, 'query_mode', p.query_mode, \
                'transport', p.arguments -> 'transport', 'round_trip', p.arguments -> 'round_trip', 'server', p.arguments -> 'server')) d) AS dimensions \
   FROM pgperf_internal.stored_sweep_points p WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.point_no";
const OBSERVED: &str = "SELECT r.point_no, m.metric, pg_catalog.array_agg(v.value ORDER BY r.repetition) AS metric_values \
   FROM pgperf.sweep_runs r \
   JOIN pgperf.run_summary s ON s.node_id = r.node_id AND s.run_id = r.run_id \
  CROSS JOIN pg_catalog.unnest($3) m (metric) \
  CROSS JOIN LATERAL (SELECT (pg_catalog.to_jsonb(s) ->> m.metric)::pg_catalog.float8 AS value) v \
  WHERE r.node_id = $1::pg_catalog.uuid AND r.sweep_id = $2 AND r.status = 'finished' AND v.value IS NOT NULL \
  GROUP BY r.point_no, m.metric \
  UNION ALL \
 SELECT m.point_no, m.metric, m.metric_values FROM pgperf.sweep_metrics m \
  WHERE m.node_id = $1::pg_catalog.uuid AND m.sweep_id = $2";

/// Those of a sweep, which it has if something varies besides the clients. Runs as the extension's owner.
pub fn load(node_id: &str, sweep_id: i64, margin: f64) -> Result<Vec<Group>> {
    let key = || [node_id.into(), sweep_id.into()];
    let points: Vec<GridPoint> = spi::select(POINTS, &key())?;
    if points.iter().all(|point| point.combination.is_empty()) {
        return Ok(Vec::new());
    }
    let stored: Option<Stored> = spi::select_one(STORED, &key())?;
    let stored = stored.unwrap_or_default();
    let mut columns: Vec<String> = OF_EVERY_RUN.map(str::to_owned).into();
    columns.extend(
        stored
            .raced
            .clone()
            .filter(|raced| !OF_EVERY_RUN.contains(&raced.as_str())),
    );
    let [node, sweep] = key();
    let observed: Vec<Observed> = spi::select(OBSERVED, &[node, sweep, columns.into()])?;
    Ok(groups(
        &points,
        &stored,
        &observed,
        &statements::load(node_id, sweep_id)?,
        buffers::load(node_id, sweep_id)?,
        margin,
    ))
}

fn groups(
    points: &[GridPoint],
    stored: &Stored,
    observed: &[Observed],
    timed: &[Timed],
    held: Vec<Held>,
    margin: f64,
) -> Vec<Group> {
    let current = stored.current.clone().unwrap_or_default();
    let axes = axes(points, &current);
    if axes.is_empty() {
        return Vec::new();
    }
    let has_workloads = axes.iter().any(|axis| axis.name == WORKLOAD);
    // Their own metrics cannot be compared.
    let is_common = |it: &&Observed| !has_workloads || OF_EVERY_RUN.contains(&it.metric.as_str());
    let observed: Vec<Observed> = observed.iter().filter(is_common).cloned().collect();
    let key = |point: &GridPoint| {
        let workload = (!has_workloads).then(|| point.workload.clone());
        (workload, point.clients)
    };
    let mut keys = Vec::new();
    for key in points.iter().map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let group = |wanted| {
        let of_group: Vec<&GridPoint> =
            points.iter().filter(|point| key(point) == wanted).collect();
        let mut places: Vec<Place> = of_group
            .iter()
            .filter_map(|point| place(point, &axes))
            .collect();
        places.sort_by(|a, b| a.places.cmp(&b.places));
        let numbers: Vec<i64> = places.iter().map(|place| place.point_no).collect();
        let compared_with: Vec<usize> = axes.iter().map(|axis| axis.baseline).collect();
        let baseline = places
            .iter()
            .position(|place| place.places == compared_with);
        Group {
            workload: of_group
                .first()
                .map(|point| point.workload.clone())
                .unwrap_or_default(),
            clients: wanted.1,
            axes: axes.clone(),
            figures: figures::figures(
                &observed,
                &numbers,
                baseline,
                stored.raced.as_deref(),
                margin,
            ),
            statements: match has_workloads {
                true => Vec::new(),
                false => statements::statements(timed, &numbers, baseline, margin),
            },
            buffers: held
                .iter()
                .filter(|held| numbers.contains(&held.point_no))
                .cloned()
                .collect(),
            baseline,
            points: places,
        }
    };
    keys.into_iter().map(group).collect()
}

/// None: it lacks a value.
fn place(point: &GridPoint, axes: &[Axis]) -> Option<Place> {
    let values: Vec<String> = axes
        .iter()
        .map(|axis| point.value(&axis.name))
        .collect::<Option<_>>()?;
    let places = axes.iter().zip(&values);
    let places = places.map(|(axis, value)| axis.names().iter().position(|name| name == value));
    Some(Place {
        point_no: point.point_no,
        places: places.collect::<Option<_>>()?,
        values,
    })
}
