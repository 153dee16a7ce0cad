//! Times of statements at the values that vary, and what each has beyond the one that all are compared with: the share of the client, the
//! protocol and the network, where the way to the server varies.

use super::Group;
use super::figures::{self, Spread};
use crate::error::Result;
use crate::pg::sql::spi;
use crate::show::delta::Delta;
use serde::{Deserialize, Serialize};

/// What the finished runs of a point took for a statement.
#[derive(Debug, Clone, Deserialize)]
pub struct Timed {
    pub point_no: i64,
    #[serde(flatten)]
    pub of: Of,
    /// Means in ms, one of each run.
    pub latencies: Vec<f64>,
}

/// What was timed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Of {
    pub script_no: i64,
    /// null: the transaction as a whole.
    pub command_no: Option<i64>,
    pub script: String,
    pub statement: Option<String>,
}

/// A statement, or a script's transaction, at all values.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statement {
    #[serde(flatten)]
    pub of: Of,
    /// Its mean latency in ms, in the order of the points.
    pub values: Vec<Spread>,
}

/// What a mean has beyond the one that it is compared with, as shares of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beyond {
    pub percent: f64,
    /// The ends of its 95 % interval; None: one run gives none.
    pub interval: Option<(f64, f64)>,
}

impl Beyond {
    /// None: it is the one that others are compared with, or lacks runs.
    pub fn of(change: &Delta) -> Option<Beyond> {
        let share = |change: f64| 100.0 * (1.0 - 1.0 / (1.0 + change / 100.0));
        Some(Beyond {
            percent: share(change.change_percent?),
            interval: change.ends().map(|(low, high)| (share(low), share(high))),
        })
    }

    /// In percent, with its interval.
    pub fn written(&self) -> String {
        match self.interval {
            Some((low, high)) => format!("{:.1} % ({low:.0} to {high:.0})", self.percent),
            None => format!("{:.1} %", self.percent),
        }
    }
}

const TIMED: &str = "SELECT r.point_no, t.script_no, t.command_no, t.script, t.statement, \
        pg_catalog.array_agg(t.latency_avg_ms ORDER BY r.repetition) AS latencies \
   FROM pgperf.sweep_runs r \
  CROSS JOIN LATERAL ( \
        SELECT c.script_no, NULL::pg_catalog.int4 AS command_no, c.script, NULL::pg_catalog.text AS statement, c.latency_avg_ms \
          FROM pgperf.run_scripts c WHERE c.node_id = r.node_id AND c.run_id = r.run_id \
         UNION ALL \
        SELECT s.script_no, s.command_no, s.script, s.statement, s.latency_avg_ms \
          FROM pgperf.run_statements s WHERE s.node_id = r.node_id AND s.run_id = r.run_id AND s.is_sql AND s.calls > 0) t \
  WHERE r.node_id = $1::pg_catalog.uuid AND r.sweep_id = $2 AND r.status = 'finished' AND t.latency_avg_ms IS NOT NULL \
  GROUP BY r.point_no, t.script_no, t.command_no, t.script, t.statement";

/// Those of a sweep. Runs as the extension's owner.
pub fn load(node_id: &str, sweep_id: i64) -> Result<Vec<Timed>> {
    spi::select(TIMED, &[node_id.into(), sweep_id.into()])
}

/// By script, the transaction before its statements. `points`: their numbers; `baseline`: the place of the one that others are compared with.
pub fn statements(
    timed: &[Timed],
    points: &[i64],
    baseline: Option<usize>,
    margin: f64,
) -> Vec<Statement> {
    let of_points: Vec<&Timed> = (timed.iter())
        .filter(|it| points.contains(&it.point_no))
        .collect();
    let mut all: Vec<&Of> = of_points.iter().map(|it| &it.of).collect();
    all.sort();
    all.dedup();
    let statement = |of: &Of| {
        let of_point = |point_no: &i64| {
            let mut found = of_points.iter();
            let found = found.find(|it| it.point_no == *point_no && it.of == *of);
            found.map(|it| it.latencies.clone()).unwrap_or_default()
        };
        let latencies = points.iter().map(of_point).collect();
        Statement {
            of: of.clone(),
            values: figures::latencies(points, latencies, baseline, margin),
        }
    };
    all.into_iter().map(statement).collect()
}

impl Of {
    /// The statement, or the script's name in parentheses.
    pub fn name(&self) -> String {
        match &self.statement {
            Some(statement) => statement.clone(),
            None => format!("({})", self.script),
        }
    }
}

impl Statement {
    /// How much longer it took than where others are compared with, ms.
    pub fn beyond_ms(&self, group: &Group, spread: &Spread) -> Option<f64> {
        let baseline = self.values.get(group.baseline?)?;
        let is_other = baseline.point_no != spread.point_no;
        Some(spread.mean? - baseline.mean?).filter(|_| is_other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(point_no: i64, command_no: Option<i64>, latencies: &[f64]) -> Timed {
        Timed {
            point_no,
            of: Of {
                script_no: 1,
                command_no,
                script: "s".to_owned(),
                statement: command_no.map(|no| format!("SELECT {no}")),
            },
            latencies: latencies.to_vec(),
        }
    }

    #[test]
    fn the_transaction_comes_before_its_statements() {
        let rows = [
            timed(2, Some(1), &[0.4, 0.4]),
            timed(1, Some(1), &[0.1, 0.1]),
            timed(1, None, &[0.2]),
            // Of another group.
            timed(3, Some(1), &[9.0]),
        ];
        let found = statements(&rows, &[1, 2], Some(0), 0.05);
        let names: Vec<String> = found.iter().map(|it| it.of.name()).collect();
        assert_eq!(names, ["(s)", "SELECT 1"]);
        assert_eq!(found[0].values[1].mean, None);
        assert_eq!(found[1].values[1].mean, Some(0.4));
        let beyond = Beyond::of(&found[1].values[1].change).unwrap();
        assert!((beyond.percent - 75.0).abs() < 1e-9, "{beyond:?}");
        assert_eq!(Beyond::of(&found[1].values[0].change), None);
    }

    #[test]
    fn a_share_has_the_interval_of_its_change() {
        let change = Delta {
            change_percent: Some(300.0),
            ci_low_percent: Some(100.0),
            ci_high_percent: Some(900.0),
            ..Delta::default()
        };
        let beyond = Beyond::of(&change).unwrap();
        assert_eq!(beyond.interval, Some((50.0, 90.0)));
        assert_eq!(beyond.written(), "75.0 % (50 to 90)");
    }
}
