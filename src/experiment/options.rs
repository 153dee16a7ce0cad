//! The arguments of `start_sweep`: those of the grid, those of its execution, and those passed to each run.

use super::grid::{self, Axis, CLIENTS, Dimension, Part};
use super::server_settings;
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::sql::interval::Seconds;
use crate::pg::sql::options::{SqlValue, options};
use crate::pg::sql::{arguments, object};
use crate::workload::option::SCALE;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

options! {
    /// The options of `start_sweep` that are its own.
    #[derive(Debug, Deserialize)]
    #[serde(default)]
    pub struct SweepOptions {
        clients: Vec<Option<i32>> = [1, 2, 4, 8].map(Some).to_vec(),
        pub repetitions: i32 = 5,
        settings_grid: Option<Value> = None,
        workloads: Option<Vec<Option<String>>> = None,
        scales: Option<Vec<Option<i32>>> = None,
        partitions: Option<Vec<Option<i32>>> = None,
        fillfactors: Option<Vec<Option<i32>>> = None,
        query_modes: Option<Vec<Option<String>>> = None,
        pub run_order: String = "random".to_owned(),
        init: Option<Init> = None,
        pub init_options: Option<Value> = None,
        pub checkpoint: bool = false,
        pub run_tries: i32 = 2,
        pub random_seed: Option<i64> = None,
        pub label: Option<String> = None,
        pub until_precise: Option<String> = None,
        pub max_repetitions: Option<i32> = None,
        transports: Option<Vec<Option<String>>> = None,
        round_trips: Option<Vec<Option<Seconds>>> = None,
        servers: Option<Vec<Option<String>>> = None,
        ;
        /// The arguments of `start_run` that all runs have in common.
        #[serde(flatten)]
        pub run: Map<String, Value>,
    }
}

/// Before which runs the tables are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Init {
    Never,
    /// Where they have to differ from those that the sweep loaded last.
    Change,
    Each,
}

impl SqlValue for Init {
    const SQL_TYPE: &'static str = "text";

    fn text(&self) -> Option<String> {
        serde_json::to_value(self).ok()?.as_str().map(str::to_owned)
    }
}

impl SweepOptions {
    /// The arguments of a call, by name.
    pub fn new(given: Map<String, Value>) -> Result<SweepOptions> {
        for (name, allowed) in [
            ("run_order", &["random", "given"][..]),
            ("init", &["never", "change", "each"]),
        ] {
            let value = given.get(name).and_then(Value::as_str);
            if let Some(value) = value.filter(|value| !allowed.contains(value)) {
                return Err(hinted(
                    format!("unknown {name} \"{value}\""),
                    &format!("Allowed values are: {}.", allowed.join(", ")),
                ));
            }
        }
        arguments::read(given)
    }

    /// The axes that the arrays span. Those that take longest to change vary slowest.
    pub fn axes(&self) -> Result<Vec<Axis>> {
        let excluding = |array: &str, is_given: bool, others: &[&str]| {
            let other = others.iter().find(|other| self.run.contains_key(**other));
            match other.filter(|_| is_given) {
                Some(other) => Err(hinted(
                    format!("{array} and {other} exclude each other"),
                    "Give an array of the values to vary, or one value for all runs.",
                )),
                None => Ok(()),
            }
        };
        let scripts = ["workload", "script", "scripts", "weights"];
        excluding("workloads", self.workloads.is_some(), &scripts)?;
        excluding("scales", self.scales.is_some(), &["scale"])?;
        excluding("query_modes", self.query_modes.is_some(), &["query_mode"])?;
        excluding("transports", self.transports.is_some(), &["transport"])?;
        excluding("round_trips", self.round_trips.is_some(), &["round_trip"])?;
        excluding("servers", self.servers.is_some(), &["server"])?;
        let mut axes = Vec::new();
        let mut add = |argument: &str, dimension: Dimension, values: Option<Vec<Value>>| {
            let Some(values) = values else {
                return Ok(());
            };
            check_values(argument, &values)?;
            axes.push(Axis { dimension, values });
            Ok::<(), Error>(())
        };
        let mut settings = Vec::new();
        for (name, values) in self.settings()? {
            settings.push((server_settings::part_of(&name)?, name, values));
        }
        // Nothing takes as long as a restart; after the tables, a reload comes before what a session sets.
        settings.sort_by_key(|(part, ..)| *part != Part::Server);
        let (restarts, settings): (Vec<_>, Vec<_>) = settings
            .into_iter()
            .partition(|(part, ..)| *part == Part::Restart);
        for (part, name, values) in restarts {
            let argument = format!("settings_grid \"{name}\"");
            add(&argument, Dimension::new(part, &name), Some(values))?;
        }
        use Part::{Load, Run, Way};
        let round_trips = self.round_trips.as_ref().map(|items| {
            let text = |item: &Option<Seconds>| item.and_then(|seconds| seconds.text());
            items.iter().map(text).collect()
        });
        for (argument, part, name, values) in [
            ("workloads", Run, "workload", values(&self.workloads)),
            ("scales", Load, SCALE, values(&self.scales)),
            ("partitions", Load, "partitions", values(&self.partitions)),
            ("fillfactors", Load, "fillfactor", values(&self.fillfactors)),
            ("servers", Way, "server", values(&self.servers)),
            ("query_modes", Run, "query_mode", values(&self.query_modes)),
            ("transports", Way, "transport", values(&self.transports)),
            ("round_trips", Way, "round_trip", values(&round_trips)),
        ] {
            add(argument, Dimension::new(part, name), values)?;
        }
        for (part, name, values) in settings {
            let argument = format!("settings_grid \"{name}\"");
            add(&argument, Dimension::new(part, &name), Some(values))?;
        }
        let clients = Some(self.clients.clone());
        add(CLIENTS, Dimension::new(Run, CLIENTS), values(&clients))?;
        Ok(axes)
    }

    /// The settings that vary, with their values.
    fn settings(&self) -> Result<BTreeMap<String, Vec<Value>>> {
        const EXAMPLE: &str = "For example: '{\"work_mem\": [\"4MB\", \"64MB\"]}'.";
        let (name, of) = ("settings_grid", "of arrays");
        let grid = object::members(name, of, self.settings_grid.as_ref(), EXAMPLE)?;
        let wrong = || hinted(format!("{name} must be a JSON object {of}"), EXAMPLE);
        let common = object::settings(self.run.get("settings"))?;
        let mut settings = BTreeMap::new();
        for (name, values) in &grid {
            let values = values.as_array().ok_or_else(wrong)?;
            if values
                .iter()
                .any(|value| value.is_array() || value.is_object())
            {
                return Err(wrong());
            }
            let name = name.to_ascii_lowercase();
            if common.contains_key(&name) {
                return Err(invalid(format!(
                    "setting \"{name}\" is both in settings and in settings_grid"
                )));
            }
            if settings.insert(name.clone(), values.clone()).is_some() {
                return Err(invalid(format!(
                    "setting \"{name}\" is in settings_grid twice"
                )));
            }
        }
        Ok(settings)
    }

    /// When the tables are loaded.
    pub fn init(&self, axes: &[Axis]) -> Result<Init> {
        let about_tables = |axis: &&Axis| axis.dimension.part == Part::Load;
        let table_axis = axes.iter().find(about_tables);
        let has_scale = axes.iter().any(|axis| axis.dimension.name == SCALE);
        let init = match self.init {
            None if table_axis.is_some() => Init::Change,
            init => init.unwrap_or(Init::Never),
        };
        match (init, table_axis) {
            (Init::Never, Some(axis)) => Err(hinted(
                format!(
                    "init => 'never' excludes several values of {}",
                    axis.dimension.name
                ),
                "They are properties of the tables, which have to be loaded: init => 'change'.",
            )),
            (Init::Never, None) if self.init_options.is_some() => Err(hinted(
                "init_options needs init".to_owned(),
                "Say when to load the tables: init => 'change' or 'each'.",
            )),
            (Init::Change | Init::Each, _) if !has_scale => Err(hinted(
                "the tables are to be loaded, but there is no scale".to_owned(),
                "Say at which scale: scales => '{10}'; '{1}' where the workload has no scale.",
            )),
            _ => Ok(init),
        }
    }
}

/// An array as JSON values.
fn values<T: Clone + Into<Value>>(array: &Option<Vec<Option<T>>>) -> Option<Vec<Value>> {
    let value = |item: &Option<T>| item.clone().map_or(Value::Null, Into::into);
    array
        .as_ref()
        .map(|items| items.iter().map(value).collect())
}

fn check_values(argument: &str, values: &[Value]) -> Result<()> {
    if values.is_empty() {
        return Err(invalid(format!("{argument} must not be empty")));
    }
    for (i, value) in values.iter().enumerate() {
        if value.is_null() {
            return Err(invalid(format!("{argument} must not hold NULL")));
        }
        if values[..i]
            .iter()
            .any(|other| grid::text(other) == grid::text(value))
        {
            return Err(invalid(format!(
                "{argument} holds {} twice",
                grid::text(value)
            )));
        }
    }
    Ok(())
}
