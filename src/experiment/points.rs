//! The points of a sweep, in the form in which they are stored, checked as `start_run` and `start_load` check theirs.

mod loads;

use self::loads::{Owners, divide_options};
use super::current;
use super::grid::{self, Axis, Part};
use super::options::{Init, SweepOptions};
use super::precise;
use super::race::{self, RaceSpec};
use super::server_settings::{self, Restarts, ServerSettings};
use crate::error::{Result, hinted, invalid};
use crate::pg::error::say;
use crate::run::request::options::Options;
use crate::run::request::precise::share;
use crate::run::request::start::{self, Checked};
use crate::workload::option::SCALE;
use measure::statistics::{FEWEST, Precision};
use pgrx::PgLogLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A sweep of this many runs takes days; a larger one is a mistake.
const MAX_RUNS: usize = 10_000;

/// How the worker makes the sweep; stored with the sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SweepSpec {
    pub run_order: String,
    pub init: Init,
    pub checkpoint: bool,
    pub run_tries: i32,
    /// How well each point is to be known; None: all have the same number of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// What the points race for; None: none leaves before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceSpec>,
    /// The caller's search_path, so that each run finds the same objects as the caller.
    pub search_path: String,
    /// Settings that the worker changes by ALTER SYSTEM.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server_settings: ServerSettings,
    /// Those of them that need a restart of the server; None: no setting does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts: Option<Restarts>,
    /// Which of the values that vary the settings had before, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub current: BTreeMap<String, String>,
    /// The arguments of the call.
    pub call: Map<String, Value>,
}

impl SweepSpec {
    /// Whether a setting needs a restart of the server.
    pub fn needs_restart(&self, name: &str) -> bool {
        (self.restarts.as_ref()).is_some_and(|restarts| restarts.settings.contains(name))
    }
}

/// A point, as it is stored.
#[derive(Debug, Serialize)]
pub struct PointRow {
    pub node_id: String,
    pub sweep_id: i64,
    pub point_no: i32,
    /// Its place in the grid, by the names of the dimensions; all settings are together in `settings`. The table has
    /// columns with these names.
    #[serde(flatten)]
    pub dimensions: Map<String, Value>,
    pub combination: String,
    pub arguments: Map<String, Value>,
    pub load: Option<Map<String, Value>>,
}

/// A sweep whose arguments have been checked.
pub struct Sweep {
    pub points: Vec<PointRow>,
    pub repetitions: usize,
    /// Those that are planned from the beginning.
    pub planned: usize,
    pub spec: SweepSpec,
    /// Workers of the largest run or load, including its leader.
    pub workers: usize,
}

impl SweepOptions {
    /// Checks everything but the role and the worker slots; each point as `start_run` and `start_load` check theirs.
    pub fn into_sweep(
        self,
        call: Map<String, Value>,
        search_path: String,
        race: Option<RaceSpec>,
    ) -> Result<Sweep> {
        let repetitions = positive("repetitions", self.repetitions)?;
        let precision = self.precision(repetitions)?;
        let repetitions = precision.map_or(repetitions, |precision| precision.fewest);
        let run_tries = positive("run_tries", self.run_tries)? as i32;
        let most = precision.map_or(repetitions, |precision| precision.most);
        let axes = self.axes()?;
        let runs = grid::count(&axes).and_then(|points| points.checked_mul(most));
        if runs.is_none_or(|runs| runs > MAX_RUNS) {
            return Err(invalid(format!(
                "a sweep has at most {MAX_RUNS} runs (points times repetitions, or times max_repetitions with until_precise)"
            )));
        }
        let server_settings = server_settings::of(&axes)?;
        let restarts = Restarts::of(&axes, repetitions);
        if restarts.is_some() && precision.is_some() {
            return Err(hinted(
                "until_precise excludes settings that need a restart".to_owned(),
                "It would need a restart for each further run: give more repetitions.",
            ));
        }
        if restarts.is_some() && race.is_some() {
            return Err(hinted(
                "find_best excludes settings that need a restart".to_owned(),
                "It would need a restart for each run: vary them with start_sweep.",
            ));
        }
        let init = self.init(&axes)?;
        let mut workers = 0;
        let mut owners = Owners::new();
        let mut points = Vec::new();
        let mut unset = BTreeSet::new();
        for (i, point) in grid::points(&axes).iter().enumerate() {
            let (row, checked) = self.point(&axes, point, init, &mut owners)?;
            let jobs = row
                .load
                .as_ref()
                .and_then(|load| load.get("jobs")?.as_u64());
            let needed = (checked.spec.workers()).max(jobs.unwrap_or(1) as usize + 1);
            workers = workers.max(needed);
            unset.extend(checked.unset_variables()?);
            points.push(PointRow {
                point_no: i as i32 + 1,
                ..row
            });
        }
        check_distinct(&axes, &points)?;
        if race.is_some() && points.len() < 2 {
            return Err(hinted(
                "there is one point, which nothing is compared with".to_owned(),
                "Give several values of something: settings_grid => '{\"work_mem\": [\"4MB\", \"64MB\"]}', or clients => '{1,2,4}'.",
            ));
        }
        for text in unset {
            say(PgLogLevel::NOTICE, text);
        }
        Ok(Sweep {
            points,
            repetitions,
            planned: race.as_ref().map_or(repetitions, |_| race::PLANNED),
            workers,
            spec: SweepSpec {
                run_order: self.run_order,
                init,
                checkpoint: self.checkpoint,
                run_tries,
                precision,
                race,
                search_path,
                server_settings,
                restarts,
                current: current::of(&axes)?,
                call,
            },
        })
    }

    /// How well each point is to be known.
    fn precision(&self, repetitions: usize) -> Result<Option<Precision>> {
        let Some(text) = &self.until_precise else {
            return match self.max_repetitions {
                None => Ok(None),
                Some(_) => Err(hinted(
                    "max_repetitions needs until_precise".to_owned(),
                    precise::HINT,
                )),
            };
        };
        let fewest = repetitions.max(FEWEST);
        let most = self.max_repetitions.unwrap_or(precise::MOST);
        match usize::try_from(most) {
            Ok(most) if most >= fewest => Ok(Some(Precision {
                wanted: share(text)?,
                fewest,
                most,
            })),
            _ => Err(hinted(
                format!("max_repetitions must be at least {fewest}, not {most}"),
                &format!(
                    "Each point has repetitions runs in any case, and at least {FEWEST}: fewer cannot be judged."
                ),
            )),
        }
    }

    /// The row of a point, and its run as it was checked.
    fn point(
        &self,
        axes: &[Axis],
        point: &grid::Point,
        init: Init,
        owners: &mut Owners,
    ) -> Result<(PointRow, Checked)> {
        let mut arguments = self.run.clone();
        let mut load = loads::load_options(self.init_options.as_ref())?;
        let mut of_tables = Map::new();
        let (mut settings, mut of_server) = (Map::new(), Map::new());
        for &(dimension, value) in point {
            let values = match dimension.part {
                Part::Run | Part::Way => &mut arguments,
                Part::Load if dimension.name == SCALE => &mut load,
                Part::Load => &mut of_tables,
                Part::Setting => &mut settings,
                Part::Server | Part::Restart => &mut of_server,
            };
            values.insert(dimension.name.clone(), value.clone());
        }
        if !settings.is_empty() {
            let mut all = match arguments.remove("settings") {
                Some(Value::Object(common)) => common,
                _ => Map::new(),
            };
            all.extend(settings.clone());
            arguments.insert("settings".to_owned(), all.into());
        }
        if init != Init::Never {
            divide_options(&mut arguments, &mut load, of_tables)?;
        }
        let checked = start::check(Options::new(arguments.clone())?)?;
        if !checked.spec.targets.is_here()
            && let Some(name) = of_server.keys().next()
        {
            return Err(hinted(
                format!("setting \"{name}\" in settings_grid and a target exclude each other"),
                "It is a setting of the server, which a sweep can set only on the server that it is started on.",
            ));
        }
        let sides = checked.spec.alternate.as_ref();
        if let Some(name) = sides.and_then(|sides| sides.of_server.first())
            && let Some(other) = of_server.keys().next()
        {
            return Err(hinted(
                format!(
                    "\"{other}\" in settings_grid and \"{name}\" in alternate exclude each other"
                ),
                "Settings of the server either vary from point to point, or take turns within each run.",
            ));
        }
        let mut dimensions: Map<String, Value> = point
            .iter()
            .filter(|(dimension, _)| matches!(dimension.part, Part::Run | Part::Load))
            .map(|(dimension, value)| (dimension.name.clone(), (*value).clone()))
            .collect();
        let query_mode = arguments.get("query_mode").cloned();
        let query_mode = query_mode.unwrap_or_else(|| Options::default().query_mode.into());
        // As the run will have them, whether they vary or not, and however they were spelled.
        dimensions.insert("workload".to_owned(), checked.workload().into());
        dimensions.insert("query_mode".to_owned(), query_mode);
        settings.extend(of_server);
        dimensions.insert("settings".to_owned(), settings.into());
        let (checked, load) = match init {
            Init::Never => (checked.with_tables()?, None),
            _ => {
                let load = loads::load(&self.run, &checked, load, owners)?;
                (checked, Some(load))
            }
        };
        if let (None, Some(scale)) = (dimensions.get("scale"), checked.spec.scale) {
            dimensions.insert("scale".to_owned(), scale.rounded().into());
        }
        let row = PointRow {
            node_id: String::new(),
            sweep_id: 0,
            point_no: 0,
            dimensions,
            combination: grid::combination(axes, point),
            arguments,
            load,
        };
        Ok((row, checked))
    }
}

/// Refuses values that are spelled differently but mean the same: they would be run as two combinations.
fn check_distinct(axes: &[Axis], points: &[PointRow]) -> Result<()> {
    for axis in axes {
        let mut seen: Vec<(String, String)> = Vec::new();
        for value in &axis.values {
            let text = grid::text(value);
            let name = axis.dimension.name.as_str();
            let (argument, meaning) = match (axis.dimension.part, name) {
                (Part::Run, "workload") => {
                    let called = |point: &&PointRow| point.arguments.get(name) == Some(value);
                    let point = points.iter().find(called);
                    let meant = point.and_then(|point| point.dimensions.get(name));
                    ("workloads".to_owned(), meant.map(grid::text))
                }
                (Part::Run | Part::Load | Part::Way, _) => continue,
                (part, _) => {
                    let meant = current::meaning(part, name, &text)?;
                    (format!("settings_grid \"{name}\""), meant)
                }
            };
            let Some(meaning) = meaning else {
                continue;
            };
            if let Some((other, _)) = seen.iter().find(|(_, known)| *known == meaning) {
                return Err(invalid(format!(
                    "{argument} holds {other} and {text}, which mean the same"
                )));
            }
            seen.push((text, meaning));
        }
    }
    Ok(())
}

fn positive(name: &str, value: i32) -> Result<usize> {
    match usize::try_from(value) {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(invalid(format!("{name} must be at least 1, not {value}"))),
    }
}
