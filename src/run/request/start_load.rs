//! `start_load`: a load's options are checked before anything is stored; then it starts like any other run.

use super::mix::Mix;
use super::options::Options;
use super::preconditions::check_limits;
use super::room::check_room;
use super::spec::{LoadSpec, Spec, Work};
use super::start::start;
use super::tables_in_use::refuse_tables_in_use;
use crate::error::{Result, hinted};
use crate::pg::process::worker;
use crate::pg::session::setting;
use crate::pg::sql::arguments::{by_name, read};
use crate::pg::sql::options::{Argument, Options as _, options, unknown, wrong_type};
use crate::service::preconditions::{check_slots, check_starter};
use crate::subject::of_load;
use crate::workload::arguments::{self, is_argument, is_default};
use crate::workload::distribution;
use crate::workload::given;
use crate::workload::option::{Definition, Kind};
use crate::workload::place;
use crate::workload::tables::{
    check_tablespace, creation_schema, distributed_again, refuse_foreign_tables,
    refuse_newer_options,
};
use crate::workload::{self, Params, Scale, named, replaced};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};

options! {
    /// The options of `start_load` that do not belong to a family. Each is declared here and in
    /// `schema/25_run_calls.sql`.
    #[derive(Debug, Clone, Deserialize)]
    #[serde(default)]
    pub struct LoadOptions {
        workload: String = workload::default().name.to_owned(),
        scale: f64 = 1.0,
        jobs: Option<i32> = None,
        schema: Option<String> = None,
        replace: bool = false,
        limits: Option<Value> = None,
        label: Option<String> = None,
        options: Option<Value> = None,
        server: Option<String> = None,
        ;
        /// The arguments for options of the first family.
        #[serde(flatten)]
        arguments: Map<String, Value>,
    }
}

/// All arguments of a load: first those that say what is loaded, with the options of the first family, then the others.
pub fn arguments() -> Vec<Argument> {
    let mut all = LoadOptions::arguments();
    for option in arguments::all() {
        if all.iter().all(|known| known.name != option.name) {
            let place = all.iter().position(|known| known.name == "jobs");
            all.insert(place.unwrap_or(all.len()), argument(option));
        }
    }
    all
}

/// An option of a family, as an argument.
fn argument(option: &Definition) -> Argument {
    Argument {
        name: option.name,
        sql_type: option.kind.sql_type(),
        default: match option.default() {
            Value::Null => None,
            Value::String(text) => Some(text),
            value => Some(value.to_string()),
        },
    }
}

/// `pgperf.start_load`: starts the load that `CALL pgperf.init` waits for.
#[pg_extern(sql = false)]
fn start_load(fcinfo: pg_sys::FunctionCallInfo) -> std::result::Result<i64, ErrorReport> {
    Ok(load(by_name(fcinfo)?)?)
}

/// Checks everything, and starts the load as the current role.
pub fn load(given: Map<String, Value>) -> Result<i64> {
    check_starter()?;
    let (spec, workload, label) = check(given)?;
    check_slots(spec.clients + 1)?;
    start(&workload, label.as_deref(), &spec)
}

/// Checks everything but the role and the worker slots. Returns the specification, the name of the workload and the
/// label.
pub fn check(given: Map<String, Value>) -> Result<(Spec, String, Option<String>)> {
    let load: LoadOptions = read(given.clone())?;
    let workload = named(&load.workload)?;
    let family = workload.family();
    if !family.has_data_set() {
        return Err(hinted(
            format!("workload \"{}\" has no data set to load", workload.name()),
            "Give setup_sql to pgperf.create_workload.",
        ));
    }
    let options = given::parse(load.options.as_ref())?;
    let options = arguments::of_load(family, &load.arguments, &options)?;
    let mut place = place::open(load.server.as_deref())?;
    let place = &mut *place;
    let mut params = Params {
        target_version: place.target_version(),
        ..Params::of_load(
            family,
            creation_schema(place, load.schema.as_deref())?,
            Scale::new(load.scale),
            load.jobs.unwrap_or(1),
            &options,
        )?
    };
    let steps = family.data_set(&params)?;
    for option in family.options() {
        if let (Kind::Tablespace, Some(Value::String(name))) =
            (option.kind, params.options.get(option.name))
        {
            check_tablespace(place, name)?;
        }
    }
    refuse_newer_options(place, family, &params)?;
    let tables = family.tables(&params);
    let registered = place.data_set(family, &params.schema)?;
    let replaced = replaced(registered.as_ref(), family, &params).into_iter();
    let replaced = replaced.map(|relation| relation.name);
    let dropped: Vec<String> = tables.iter().cloned().chain(replaced).collect();
    refuse_tables_in_use(load.server.as_deref(), family.name(), &params.schema)?;
    let told = distribution::told(&options);
    params.distributed = distributed_again(place, told, &steps, &dropped, &params.schema)?;
    if !load.replace {
        refuse_foreign_tables(place, &tables, &params.schema, family.name())?;
    }
    if load.jobs.is_none() {
        params.jobs = default_jobs(params.scale, steps.iter().map(workload::Step::rows).sum());
    }
    let tablespace = params.options.get("tablespace");
    let tablespace = tablespace.and_then(Value::as_str).map(str::to_owned);
    let schema = params.schema.clone();
    let run_options = Options {
        clients: params.jobs,
        server: load.server.clone(),
        // Over the wire each of them is a worker, too.
        workers: load.server.is_some().then_some(params.jobs),
        limits: load.limits.clone(),
        // A worker that fails takes the others with it.
        exit_on_abort: true,
        ..Options::default()
    };
    let spec = Spec {
        transaction_type: workload.description().to_owned(),
        duration_s: None,
        search_path: match (place.search_path(Some(&params.schema)), workload.own()) {
            (path, Some(_)) => path,
            // The statements of a family name their tables with the schema.
            (path, None) => setting::catalog_first(&path),
        },
        scale: Some(params.scale),
        collectors: Some(match load.server {
            None => of_load(),
            Some(_) => Vec::new(),
        }),
        call: call(given, workload.name(), &params.schema),
        work: Work::Load(LoadSpec {
            workload: workload.name().to_owned(),
            rows: steps.iter().map(workload::Step::rows).sum(),
            options: params,
            own: workload.own().cloned().map(Box::new),
        }),
        ..run_options.into_spec(0, &Mix::none(), &Mix::none())?
    };
    check_limits(&spec.limits, None)?;
    // Nobody here knows the disks of a target.
    if load.server.is_none() {
        let tablespace = tablespace.as_deref();
        check_room(&steps, spec.limits.free_disk, tablespace, &schema, &dropped)?;
    }
    Ok((spec, workload.name().to_owned(), load.label))
}

/// Checks that JSON names arguments of a load, with values of their types.
///
/// # Errors
/// The first that is none or has another type, as the reason of an error.
pub fn check_arguments(given: &Map<String, Value>) -> std::result::Result<(), String> {
    let known = |name: &str| LoadOptions::NAMES.contains(&name) || is_argument(name);
    let unknown = unknown("pgperf.init", given, known);
    let reason = unknown.or_else(|| wrong_type::<LoadOptions>(given));
    reason.map_or(Ok(()), Err)
}

/// As many loading workers as there are cores and free slots beside the leader's, and no more than there is
/// work for: units of scale, or millions of rows if these are more.
fn default_jobs(scale: Scale, rows: u64) -> i32 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let free = worker::free_slots();
    let units = scale
        .rounded()
        .max((rows / 1_000_000).min(1_000_000) as i32);
    (cores as i32).min(free - 1).min(units).max(1)
}

/// The arguments to call the load again, without those that have their defaults. The schema that the search_path led to
/// is added, unless it is `public`. `replace` is left out: by then the tables will be pgperf's own.
fn call(given: Map<String, Value>, workload: &str, schema: &str) -> Map<String, Value> {
    let mut call: Map<String, Value> = given
        .into_iter()
        .filter(|(name, value)| name == "scale" || !(value.is_null() || is_default(name, value)))
        .filter(|(name, _)| name != "replace")
        .collect();
    // As it is given: the argument is a number with a fraction.
    if let Some(scale) = call.get("scale").and_then(Value::as_f64)
        && let Some(whole) = Scale::new(scale).whole()
    {
        call.insert("scale".to_owned(), whole.into());
    }
    call.insert("workload".to_owned(), workload.into());
    if schema != "public" {
        call.insert("schema".to_owned(), schema.into());
    }
    call
}
