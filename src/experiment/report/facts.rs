//! A sweep with its points, peaks and laws, as its reports and its document need it.

use super::call;
use super::servers::{self, Versions};
use crate::catalog::error::UnknownRun;
use crate::error::Result;
use crate::experiment::metrics::{self, Metric};
use crate::experiment::precise::Until;
use crate::experiment::race::{self, standing::Standings};
use crate::experiment::sweeps::ExistingSweep;
use crate::experiment::values::{self, Group};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::spi;
use crate::report::conditions::Conditions;
use crate::report::model::Key;
use crate::report::model::receivers::IS_SHORT;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Everything that is shown of a sweep.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Facts {
    #[serde(flatten)]
    pub origin: SweepOrigin,
    #[serde(flatten)]
    pub sweep: Sweep,
    /// Those of its finished runs.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "crate::report::conditions::StatedConditions"))]
    pub conditions: Conditions,
    pub points: Vec<Point>,
    /// Further figures of the points: those that their workloads define.
    pub metrics: Vec<Metric>,
    pub peaks: Vec<Peak>,
    /// The scalability law of each combination.
    pub laws: Vec<Law>,
    /// Points whose runs were too short for their receivers.
    #[serde(skip)]
    pub short: Vec<ShortRuns>,
    /// The points of a race, the best first; null: they do not race.
    #[cfg_attr(test, schemars(with = "Option<Vec<race::standing::Racer>>"))]
    pub race: Option<Standings>,
    /// The points by what varies besides the clients; empty: nothing does.
    pub values: Vec<Group>,
    /// Of a sweep over servers, each beside the first.
    #[serde(skip)]
    pub versions: Vec<Versions>,
}

/// A row of `pgperf.sweeps`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sweep {
    pub sweep_id: i64,
    pub label: Option<String>,
    pub status: String,
    pub runs: i64,
    pub finished: i64,
    pub failed: i64,
    pub repetitions: i64,
    #[serde(flatten)]
    pub until: Until,
    pub random_seed: i64,
    pub run_order: String,
    pub init: String,
    pub checkpoint: bool,
    pub elapsed_s: f64,
    pub eta_s: Option<f64>,
    pub error: Option<String>,
}

/// Where and when a sweep ran, and by which call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SweepOrigin {
    /// The node that it ran on.
    pub node: String,
    pub host: Option<String>,
    pub server_version: String,
    /// When it ran, to the minute.
    pub began: Option<String>,
    pub ended: Option<String>,
    /// The call that starts the same sweep again.
    #[serde(serialize_with = "call::serialize")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub call: Option<Map<String, Value>>,
}

impl SweepOrigin {
    /// The number alone, without the package's.
    pub fn version(&self) -> &str {
        let words = self.server_version.split_whitespace();
        words.clone().next().unwrap_or_default()
    }

    /// From its beginning to its end.
    pub fn dates(&self) -> String {
        match (&self.began, &self.ended) {
            (Some(began), Some(ended)) => format!("{began} to {ended}"),
            (Some(began), None) => format!("{began}, no end"),
            _ => "not begun".to_owned(),
        }
    }

    /// The node, and the host where the node's name does not have it.
    pub fn whereabouts(&self) -> String {
        match &self.host {
            Some(host) if !self.node.contains(host.as_str()) => format!("{} on {host}", self.node),
            _ => self.node.clone(),
        }
    }
}

/// A row of `pgperf.sweep_points`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    pub point_no: i64,
    /// The values that vary, apart from the number of clients.
    pub combination: String,
    pub workload: String,
    pub clients: i64,
    /// Finished runs.
    pub n: i64,
    pub tps: Option<f64>,
    pub tps_ci_low: Option<f64>,
    pub tps_ci_high: Option<f64>,
    pub tps_values: Option<Vec<f64>>,
    pub latency_avg_ms: Option<f64>,
    pub latency_p95_ms: Option<f64>,
    /// One value for each run.
    pub latency_p95_values: Option<Vec<f64>>,
    pub latency_p99_ms: Option<f64>,
    pub failed_runs: i64,
    pub precision_percent: Option<f64>,
    pub precise: Option<bool>,
    /// What the caches were before its runs; null: they were left as they were.
    pub caches: Option<String>,
}

/// A row of `pgperf.sweep_peak`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Peak {
    pub combination: String,
    pub clients: i64,
    pub tps: f64,
    /// Numbers of clients that are as good within the margin, including the peak's own; None: one run at the
    /// peak is too few.
    pub as_good_clients: Option<Vec<i64>>,
    /// Numbers of clients with fewer than two finished runs.
    pub untested_clients: Option<Vec<i64>>,
    /// Numbers of clients of which it is not certain whether they are as good or worse.
    pub undecided_clients: Option<Vec<i64>>,
    pub margin_percent: f64,
}

/// A row of `pgperf.sweep_scalability`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Law {
    pub combination: String,
    pub lambda: Option<f64>,
    pub sigma: Option<f64>,
    pub kappa: Option<f64>,
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub sigma_error: Option<f64>,
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub kappa_error: Option<f64>,
    pub r_squared: Option<f64>,
    pub peak_clients: Option<f64>,
    pub peak_tps: Option<f64>,
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub limit_tps: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing)]
    #[cfg_attr(test, schemars(skip))]
    pub reason: Option<String>,
}

/// A point whose runs were too short to tell the delay of a receiver's confirmation from a lag.
#[derive(Debug, Clone, Deserialize)]
pub struct ShortRuns {
    pub point_no: i64,
    pub receiver: String,
    /// Its catch-up as a share of a run.
    pub percent: f64,
}

/// The scalability laws of a sweep of any node, by combination, as `pgperf.sweep_scalability` has them.
const LAWS: &str = "SELECT c.combination, f.lambda, f.sigma, f.kappa, f.sigma_error, f.kappa_error, f.r_squared, \
        f.peak_clients, f.peak_tps, f.limit_tps, f.reason \
   FROM (SELECT p.combination, pg_catalog.array_agg(p.clients::pg_catalog.float8) FILTER (WHERE v.tps IS NOT NULL) AS clients, \
                pg_catalog.array_agg(v.tps) FILTER (WHERE v.tps IS NOT NULL) AS tps \
           FROM pgperf.sweep_points p LEFT JOIN LATERAL pg_catalog.unnest(p.tps_values) v (tps) ON true \
          WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 GROUP BY p.combination) c \
  CROSS JOIN LATERAL pgperf.fit_scalability(coalesce(c.clients, '{}'), coalesce(c.tps, '{}')) f ORDER BY c.combination";

const SWEEP: &str = "SELECT w.sweep_id, w.label, w.status, w.runs, w.finished, w.failed, w.repetitions, w.random_seed, w.elapsed_s, w.eta_s, \
        coalesce(w.error, w.restart) AS error, w.further_runs, w.spec #>> '{race,metric}' AS race_metric, \
        (w.spec #>> '{precision,wanted}')::pg_catalog.float8 * 100 AS wanted_percent, \
        (w.spec #>> '{precision,most}')::pg_catalog.int4 AS max_repetitions, \
        w.spec ->> 'run_order' AS run_order, w.spec ->> 'init' AS init, (w.spec ->> 'checkpoint')::pg_catalog.bool AS checkpoint \
   FROM pgperf.sweeps w WHERE w.node_id = $1::pg_catalog.uuid AND w.sweep_id = $2";
/// In the order of the grid.
const POINTS: &str = "SELECT p.point_no, p.combination, p.workload, p.clients, p.n, p.tps, p.tps_ci_low, p.tps_ci_high, p.tps_values, \
        p.latency_avg_ms, p.latency_p95_ms, p.latency_p99_ms, p.failed_runs, p.precision_percent, p.precise, p.caches, \
        (SELECT pg_catalog.array_agg(s.latency_p95_ms ORDER BY s.run_id) FROM pgperf.run_summary s \
          WHERE s.node_id = p.node_id AND s.run_id = ANY (p.run_ids) AND s.latency_p95_ms IS NOT NULL) AS latency_p95_values \
   FROM pgperf.sweep_points p WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.point_no";
const PEAKS: &str = "SELECT p.combination, p.clients, p.tps, p.as_good_clients, p.untested_clients, p.undecided_clients, p.margin_percent \
   FROM pgperf.sweep_peak p WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.combination";

const ORIGIN: &str = "SELECT n.name AS node, n.host, w.server_version, w.spec -> 'call' AS call, \
        pg_catalog.to_char(w.started_at, 'YYYY-MM-DD HH24:MI') AS began, pg_catalog.to_char(w.ended_at, 'YYYY-MM-DD HH24:MI') AS ended \
   FROM pgperf.sweeps w JOIN pgperf.nodes n USING (node_id) \
  WHERE w.node_id = $1::pg_catalog.uuid AND w.sweep_id = $2";
const RUNS: &str = "SELECT pg_catalog.unnest(p.run_ids) AS run_id FROM pgperf.sweep_points p \
  WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2";

fn short_runs() -> String {
    format!(
        "SELECT p.point_no, CASE r.kind WHEN 'sql' THEN r.name ELSE r.kind || ' ' || r.name END AS receiver, \
                pg_catalog.max(100 * r.catch_up_s / NULLIF(r.run_s, 0)) AS percent \
           FROM pgperf.sweep_points p JOIN pgperf.run_receivers r ON r.node_id = p.node_id AND r.run_id = ANY (p.run_ids) \
          WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 AND {IS_SHORT} GROUP BY 1, 2 ORDER BY 1, 2"
    )
}

/// Reads all of it.
///
/// # Errors
/// The current user may not see it.
pub fn load(found: &ExistingSweep) -> Result<Facts> {
    found.check_visible()?;
    let (node_id, sweep_id) = (found.node_id.as_str(), found.sweep_id);
    let key = || [node_id.into(), sweep_id.into()];
    as_owner(|| {
        let sweep = spi::select_one(SWEEP, &key())?;
        Ok(Facts {
            sweep: sweep.ok_or_else(|| UnknownRun {
                run: Some(format!("of sweep {sweep_id}")),
            })?,
            origin: spi::select_one(ORIGIN, &key())?.unwrap_or_default(),
            conditions: conditions(found)?,
            points: spi::select(POINTS, &key())?,
            metrics: metrics::load(node_id, sweep_id)?,
            peaks: spi::select(PEAKS, &key())?,
            short: spi::select(&short_runs(), &key())?,
            laws: spi::select(LAWS, &key())?,
            race: race::report::of(node_id, sweep_id)?,
            values: values::load(node_id, sweep_id, values::MARGIN)?,
            versions: servers::load(found)?,
        })
    })
}

fn conditions(found: &ExistingSweep) -> Result<Conditions> {
    #[derive(Deserialize)]
    struct OfSweep {
        run_id: i64,
    }
    let node_id = found.node_id.as_str();
    let runs: Vec<OfSweep> = spi::select(RUNS, &[node_id.into(), found.sweep_id.into()])?;
    let runs = runs.into_iter().map(|run| Key {
        node_id,
        run_id: run.run_id,
    });
    Conditions::load([&*runs.collect::<Vec<_>>()])
}

impl Facts {
    /// Whether the points are values of something, with one number of clients.
    pub fn is_by_values(&self) -> bool {
        let mut clients = self.points.iter().map(|point| point.clients);
        let first = clients.next();
        !self.values.is_empty() && clients.all(|clients| Some(clients) == first)
    }

    /// Whether its runs were on other servers.
    pub fn is_on_targets(&self) -> bool {
        let call = self.origin.call.iter();
        call.flat_map(Map::keys)
            .any(|name| matches!(name.as_str(), "server" | "servers"))
    }

    /// The points of each combination of what varies besides the clients.
    pub fn combinations(&self) -> impl Iterator<Item = &[Point]> {
        let points = &self.points;
        points.chunk_by(|a, b| a.combination == b.combination)
    }

    pub fn peak(&self, combination: &str) -> Option<&Peak> {
        let mut peaks = self.peaks.iter();
        peaks.find(|peak| peak.combination == combination)
    }

    pub fn law(&self, combination: &str) -> Option<&Law> {
        let mut laws = self.laws.iter();
        laws.find(|law| law.combination == combination)
    }
}
