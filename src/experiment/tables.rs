//! The queries and updates of a sweep's worker. They run as the extension's owner, whatever the worker's role is.

mod attempts;

pub use attempts::{Open, Outcome, Part};

use super::grid;
use super::options::Init;
use super::plan::{Next, PlannedRun, State};
use super::points::SweepSpec;
use super::precise;
use super::race::{self, standing::Standings};
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::error::SqlError;
use crate::pg::sql::spi;
use crate::run::caches::Caches;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The sweep's row.
#[derive(Debug, Deserialize)]
pub struct Stored {
    pub node_id: String,
    pub sweep_id: i64,
    label: Option<String>,
    random_seed: i64,
    pub spec: SweepSpec,
}

/// A run to make, with its point.
#[derive(Debug)]
pub struct Step {
    run: Next,
    point: StoredPoint,
}

/// The part of a point that a run needs.
#[derive(Debug, Deserialize)]
struct StoredPoint {
    clients: i32,
    combination: String,
    arguments: Map<String, Value>,
    load: Option<Map<String, Value>>,
    settings: Map<String, Value>,
}

impl Step {
    /// The values of settings of the server that a reload changes.
    pub fn server_settings(&self, spec: &SweepSpec) -> Vec<(String, String)> {
        let of_server =
            |name: &String| spec.server_settings.contains_key(name) && !spec.needs_restart(name);
        texts(
            self.point
                .settings
                .iter()
                .filter(|(name, _)| of_server(name)),
        )
    }

    /// The values of those that need a restart.
    pub fn restart_settings(&self, spec: &SweepSpec) -> Map<String, Value> {
        let settings = self.point.settings.iter();
        settings
            .filter(|(name, _)| spec.needs_restart(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Whether its run wants empty caches.
    pub fn starts_cold(&self) -> bool {
        let caches = self.point.arguments.get("caches");
        caches.and_then(Value::as_str) == Some(Caches::Cold.name())
    }

    /// The arguments of the load that its tables must come from; None if it takes the tables as they are.
    pub fn load(&self) -> Option<&Map<String, Value>> {
        self.point.load.as_ref()
    }
}

/// Settings with their values as texts.
pub fn texts<'a>(
    settings: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> Vec<(String, String)> {
    let settings = settings.into_iter();
    settings
        .map(|(name, value)| (name.clone(), grid::text(value)))
        .collect()
}

impl Stored {
    /// None if its transaction was rolled back, or if it belongs to another node.
    pub fn read(sweep_id: i64) -> Result<Option<Stored>> {
        let node_id = node::local_node()?;
        role::as_owner(|| {
            spi::select_one(
                "SELECT node_id, sweep_id, label, random_seed, spec FROM pgperf_internal.stored_sweeps \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
                &[node_id.into(), sweep_id.into()],
            )
        })
    }

    pub fn begin(&self) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "UPDATE pgperf_internal.stored_sweeps SET stored_status = 'running', \
                    started_at = coalesce(started_at, pg_catalog.clock_timestamp()) \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
                &[self.node_id.as_str().into(), self.sweep_id.into()],
            )
        })?;
        Ok(())
    }

    /// Records why the sweep cannot end yet.
    pub fn cannot_end(&self, why: &SqlError) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "UPDATE pgperf_internal.stored_sweeps SET sqlstate = $3, error = $4 \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    why.sqlstate.as_str().into(),
                    why.message.as_str().into(),
                ],
            )
        })?;
        Ok(())
    }

    /// Stores how the sweep ended: `finished` if every run has finished.
    pub fn end(&self, stopped: bool) -> Result<()> {
        role::as_owner(|| {
            spi::execute(
                "UPDATE pgperf_internal.stored_sweeps s \
                    SET ended_at = pg_catalog.clock_timestamp(), stored_status = e.status, \
                        sqlstate = CASE WHEN e.status = 'failed' THEN l.sqlstate END, \
                        error = CASE WHEN e.status = 'failed' THEN pg_catalog.format( \
                            '%s of %s runs did not finish%s', m.missing, m.runs, ', the last one: ' || l.error) END \
                   FROM (SELECT pg_catalog.count(*) AS runs, pg_catalog.count(*) FILTER (WHERE NOT p.done) AS missing \
                           FROM pgperf_internal.sweep_plan p \
                          WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2) m \
                  CROSS JOIN LATERAL (SELECT CASE WHEN m.missing = 0 THEN 'finished' WHEN $3 THEN 'stopped' \
                                                  ELSE 'failed' END AS status) e \
                   LEFT JOIN LATERAL (SELECT r.sqlstate, r.error FROM pgperf.sweep_runs r \
                                       WHERE r.node_id = $1::pg_catalog.uuid AND r.sweep_id = $2 \
                                         AND r.status <> 'finished' AND r.error IS NOT NULL \
                                       ORDER BY r.ended_at DESC LIMIT 1) l ON true \
                  WHERE s.node_id = $1::pg_catalog.uuid AND s.sweep_id = $2",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    stopped.into(),
                ],
            )
        })?;
        Ok(())
    }

    /// The progress so far, from which the plan decides on the next run.
    pub fn state(&self) -> Result<State> {
        let runs: Vec<PlannedRun> = role::as_owner(|| {
            spi::select(
                "SELECT p.position, p.point_no, p.repetition, p.attempts, p.tries, p.done \
                   FROM pgperf_internal.sweep_plan p \
                  WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.position",
                &[self.node_id.as_str().into(), self.sweep_id.into()],
            )
        })?;
        Ok(State { runs })
    }

    /// Adds further runs to the order of runs, if a point is not known well enough yet or the race goes on; whether it did.
    pub fn extend(&self, state: &State) -> Result<bool> {
        let Some(race) = &self.spec.race else {
            return self.extend_until_precise(state);
        };
        role::as_owner(|| {
            let standings = Standings::load(&self.node_id, self.sweep_id, race)?;
            let block = race::next_block(&standings, self.random_seed as u64);
            self.append(&block)
        })
    }

    /// Adds runs of these points to the order of runs; whether there are any.
    fn append(&self, points: &[i32]) -> Result<bool> {
        if points.is_empty() {
            return Ok(false);
        }
        spi::execute(
            "UPDATE pgperf_internal.stored_sweeps SET run_order = run_order OPERATOR(pg_catalog.||) $3 \
              WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2",
            &[
                self.node_id.as_str().into(),
                self.sweep_id.into(),
                points.to_vec().into(),
            ],
        )?;
        Ok(true)
    }

    fn extend_until_precise(&self, state: &State) -> Result<bool> {
        #[derive(Deserialize)]
        struct PointRates {
            point_no: i32,
            tps: Vec<f64>,
        }
        let Some(precision) = &self.spec.precision else {
            return Ok(false);
        };
        role::as_owner(|| {
            let points: Vec<PointRates> = spi::select(
                "SELECT p.point_no, ARRAY(SELECT r.tps FROM pgperf.sweep_runs r \
                                           WHERE r.node_id = p.node_id AND r.sweep_id = p.sweep_id \
                                             AND r.point_no = p.point_no AND r.status = 'finished' \
                                             AND r.tps IS NOT NULL ORDER BY r.repetition) AS tps \
                   FROM pgperf_internal.stored_sweep_points p \
                  WHERE p.node_id = $1::pg_catalog.uuid AND p.sweep_id = $2 ORDER BY p.point_no",
                &[self.node_id.as_str().into(), self.sweep_id.into()],
            )?;
            let points: Vec<(i32, Vec<f64>)> = points
                .into_iter()
                .map(|point| (point.point_no, point.tps))
                .collect();
            let Some(point_no) = precise::further(precision, state, &points) else {
                return Ok(false);
            };
            self.append(&[point_no])
        })
    }

    /// A run with its point; None if that was deleted.
    pub fn step(&self, run: Next) -> Result<Option<Step>> {
        let point: Option<StoredPoint> = role::as_owner(|| {
            spi::select_one(
                "SELECT clients, combination, arguments, load, settings FROM pgperf_internal.stored_sweep_points \
                  WHERE node_id = $1::pg_catalog.uuid AND sweep_id = $2 AND point_no = $3",
                &[
                    self.node_id.as_str().into(),
                    self.sweep_id.into(),
                    run.point_no.into(),
                ],
            )
        })?;
        Ok(point.map(|point| Step { run, point }))
    }

    /// The arguments of a step's run. All points of a repetition draw the same random values, so that they differ only
    /// in what the sweep varies. Each repetition draws different values.
    pub fn run_arguments(&self, step: &Step) -> Map<String, Value> {
        let mut arguments = step.point.arguments.clone();
        let seed = self
            .random_seed
            .wrapping_add(i64::from(step.run.repetition) - 1);
        arguments.insert("random_seed".to_owned(), seed.into());
        arguments.insert("label".to_owned(), self.label(step).into());
        arguments
    }

    /// The arguments of a load.
    pub fn load_arguments(&self, step: &Step, load: &Map<String, Value>) -> Map<String, Value> {
        let mut arguments = load.clone();
        arguments.insert("label".to_owned(), self.label(step).into());
        arguments
    }

    /// The same for all repetitions of a point.
    fn label(&self, step: &Step) -> String {
        let name = match &self.label {
            Some(label) => label.clone(),
            None => format!("sweep {}", self.sweep_id),
        };
        let clients = format!("clients={}", step.point.clients);
        match step.point.combination.as_str() {
            "" => format!("{name}: {clients}"),
            combination => format!("{name}: {combination}, {clients}"),
        }
    }

    /// Whether the tables have to be loaded before a run; `loaded`: the arguments of the worker's last load.
    pub fn loads(&self, load: &Map<String, Value>, loaded: Option<&Map<String, Value>>) -> bool {
        self.spec.init == Init::Each || loaded != Some(load)
    }
}
