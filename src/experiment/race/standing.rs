//! The standings of a race, computed from its runs.

use super::RaceSpec;
use crate::error::Result;
use crate::pg::sql::spi;
use measure::statistics::{Course, Entrant};
use serde::{Deserialize, Serialize, Serializer};

/// A point with what its runs gave.
#[derive(Debug, Clone, Default)]
pub struct Runner {
    pub point_no: i32,
    pub combination: String,
    pub clients: i32,
    pub entrant: Entrant,
}

/// The points of a race, and its course.
#[derive(Debug, Clone)]
pub struct Standings {
    pub spec: RaceSpec,
    pub points: Vec<Runner>,
    pub course: Course,
}

/// A point beside the leader.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Racer {
    pub point_no: i32,
    pub combination: String,
    pub clients: i32,
    pub runs: usize,
    pub mean: Option<f64>,
    pub change_percent: Option<f64>,
    pub worst_percent: Option<f64>,
    pub left_after: Option<usize>,
    pub verdict: &'static str,
}

/// A planned run of a sweep.
#[derive(Debug, Deserialize)]
pub struct Run {
    point_no: i32,
    combination: String,
    clients: i32,
    status: String,
    value: Option<f64>,
}

const RUNS: &str = "SELECT p.point_no, p.combination, p.clients, r.status, \
        COALESCE((pg_catalog.to_jsonb(s) ->> $3)::pg_catalog.float8, m.value) AS value \
   FROM pgperf_internal.stored_sweep_points p \
   JOIN pgperf.sweep_runs r USING (node_id, sweep_id, point_no) \
   LEFT JOIN pgperf.run_summary s ON s.node_id = r.node_id AND s.run_id = r.run_id AND r.status = 'finished' \
   LEFT JOIN LATERAL (SELECT pg_catalog.avg(t.value) AS value FROM pgperf.run_metrics t \
                       WHERE t.node_id = s.node_id AND t.run_id = s.run_id AND t.metric = $3) m ON true \
  WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 \
  ORDER BY p.point_no, r.repetition";

impl Standings {
    /// Those of a stored sweep. Runs as the extension's owner.
    pub fn load(node_id: &str, sweep_id: i64, spec: &RaceSpec) -> Result<Standings> {
        let metric = spec.metric.as_str();
        let runs: Vec<Run> = spi::select(RUNS, &[node_id.into(), sweep_id.into(), metric.into()])?;
        Ok(Standings::of(spec, runs))
    }

    /// `runs`: by point and repetition.
    pub fn of(spec: &RaceSpec, runs: Vec<Run>) -> Standings {
        let mut points: Vec<Runner> = Vec::new();
        for run in runs {
            if points
                .last()
                .is_none_or(|last| last.point_no != run.point_no)
            {
                points.push(Runner {
                    point_no: run.point_no,
                    combination: run.combination,
                    clients: run.clients,
                    entrant: Entrant::default(),
                });
            }
            let Some(Runner { entrant, .. }) = points.last_mut() else {
                continue;
            };
            match (run.status.as_str(), run.value) {
                // To be made, or made again.
                ("waiting" | "running" | "deleted", _) => {}
                ("finished", Some(value)) if !entrant.failed => entrant.values.push(value),
                _ => entrant.failed = true,
            }
        }
        let entrants: Vec<Entrant> = points.iter().map(|point| point.entrant.clone()).collect();
        Standings {
            course: spec.rules.course(&entrants),
            spec: spec.clone(),
            points,
        }
    }

    /// The runs that have a value.
    pub fn runs(&self) -> usize {
        let points = self.points.iter();
        points.map(|point| point.entrant.values.len()).sum()
    }

    /// The runs of the whole grid.
    pub fn runs_of_grid(&self) -> usize {
        self.points.len() * self.spec.rules.rounds
    }

    /// The best first, those that left last.
    pub fn rows(&self) -> Vec<Racer> {
        let mut rows: Vec<Racer> = (self.points.iter().zip(&self.course.standings))
            .enumerate()
            .map(|(i, (point, standing))| {
                let values = &point.entrant.values;
                let sum: f64 = values.iter().sum();
                let percent = |share: f64| 100.0 * share;
                Racer {
                    point_no: point.point_no,
                    combination: point.combination.clone(),
                    clients: point.clients,
                    runs: values.len(),
                    mean: (!values.is_empty()).then(|| sum / values.len() as f64),
                    change_percent: standing.change.map(percent),
                    worst_percent: standing.worst.map(percent),
                    left_after: standing.left_after,
                    verdict: self.verdict(i),
                }
            })
            .collect();
        let leader = self.course.leader.and_then(|i| self.points.get(i));
        let leader = leader.map(|point| point.point_no);
        let behind = |row: &Racer| row.change_percent.map_or(f64::INFINITY, f64::abs);
        rows.sort_by(|a, b| {
            let place = |row: &Racer| {
                let stayed = row.left_after.map_or(usize::MAX, |round| round);
                (
                    Some(row.point_no) != leader,
                    row.verdict == FAILED,
                    usize::MAX - stayed,
                )
            };
            place(a)
                .cmp(&place(b))
                .then_with(|| behind(a).total_cmp(&behind(b)))
        });
        rows
    }

    fn verdict(&self, i: usize) -> &'static str {
        let (Some(point), Some(standing)) = (self.points.get(i), self.course.standings.get(i))
        else {
            return FAILED;
        };
        let is_alike = standing
            .worst
            .is_some_and(|worst| worst.abs() <= self.spec.rules.margin);
        let is_running = self.course.running.contains(&i);
        match standing.left_after {
            _ if self.course.leader == Some(i) && self.course.is_over => "best",
            _ if self.course.leader == Some(i) => "leads",
            _ if is_alike && standing.change.is_some() => "as good",
            Some(_) => "worse",
            None if !is_running && point.entrant.failed => FAILED,
            None if self.course.is_over => "undecided",
            None => "in the race",
        }
    }
}

const FAILED: &str = "failed";

impl Serialize for Standings {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}
