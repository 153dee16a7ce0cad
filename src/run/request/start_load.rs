//! `start_load`: a load's options are checked before anything is stored; then it starts like any other run.

use super::mix::Mix;
use super::options::Options;
use super::preconditions::{check_limits, search_path};
use super::spec::{LoadSpec, Spec};
use super::start::start;
use crate::error::{Result, invalid};
use crate::pg::process::worker;
use crate::pg::sql::arguments;
use crate::pg::sql::options::options;
use crate::service::preconditions::{check_slots, check_starter};
use crate::workload::tables::{
    check_tablespace, creation_schema, refuse_distributed_tables, refuse_foreign_tables,
};
use crate::workload::{self, InitOptions, PartitionMethod};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

options! {
    /// The options of `start_load`. Each is declared here and in `schema/25_run_calls.sql`.
    #[derive(Debug, Clone, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct LoadOptions {
        workload: String = "tpcb-like".to_owned(),
        scale: i32 = InitOptions::default().scale,
        steps: String = InitOptions::default().steps,
        fillfactor: i32 = InitOptions::default().fillfactor,
        foreign_keys: bool = false,
        unlogged: bool = false,
        tablespace: Option<String> = None,
        index_tablespace: Option<String> = None,
        partitions: i32 = InitOptions::default().partitions,
        partition_method: Option<String> = None,
        jobs: Option<i32> = None,
        schema: Option<String> = None,
        replace: bool = false,
        limits: Option<Value> = None,
        label: Option<String> = None,
    }
}

/// `pgperf.start_load`: what `CALL pgperf.init` waits for.
#[pg_extern(sql = false)]
fn start_load(fcinfo: pg_sys::FunctionCallInfo) -> std::result::Result<i64, ErrorReport> {
    Ok(load(arguments::by_name(fcinfo)?)?)
}

/// Checks everything, and starts the load as the current role.
pub fn load(given: Map<String, Value>) -> Result<i64> {
    check_starter()?;
    let (spec, workload, label) = check(given)?;
    check_slots(spec.clients + 1)?;
    start("load", workload, label.as_deref(), &spec)
}

/// Checks everything but the role and the worker slots: what is to be done, with which workload, under which label.
pub fn check(given: Map<String, Value>) -> Result<(Spec, &'static str, Option<String>)> {
    let load: LoadOptions = serde_json::from_value(Value::Object(given.clone()))?;
    let workload = workload::find(&load.workload)?;
    let mut options = InitOptions {
        schema: creation_schema(load.schema.as_deref())?,
        scale: load.scale,
        fillfactor: load.fillfactor,
        steps: load.steps.clone(),
        foreign_keys: load.foreign_keys,
        unlogged: load.unlogged,
        tablespace: load.tablespace.clone(),
        index_tablespace: load.index_tablespace.clone(),
        partitions: load.partitions,
        partition_method: load.partition_method.as_deref().map(method).transpose()?,
        jobs: load.jobs.unwrap_or(1),
    };
    let steps = workload.data_set.plan(&options)?;
    for tablespace in [&options.tablespace, &options.index_tablespace]
        .into_iter()
        .flatten()
    {
        check_tablespace(tablespace)?;
    }
    refuse_distributed_tables(workload.data_set, &options.schema)?;
    if !load.replace {
        refuse_foreign_tables(workload.data_set, &options.schema)?;
    }
    if load.jobs.is_none() {
        options.jobs = default_jobs(options.scale);
    }
    let run_options = Options {
        transactions_per_client: Some(1),
        limits: load.limits.clone(),
        ..Options::default()
    };
    let spec = Spec {
        transaction_type: workload.description.to_owned(),
        scripts: Vec::new(),
        clients: options.jobs as usize,
        transactions_per_client: None,
        search_path: search_path(Some(&options.schema))?,
        scale: Some(options.scale),
        call: call(given, workload.name, &options.schema)?,
        load: Some(LoadSpec {
            workload: workload.name.to_owned(),
            rows: steps.iter().map(workload::Step::rows).sum(),
            options,
        }),
        ..run_options.into_spec(0, &Mix::none(), &Mix::none())?
    };
    check_limits(&spec.limits, None)?;
    Ok((spec, workload.name, load.label))
}

/// Checks that all are arguments of a load, with values of their types.
///
/// # Errors
/// The first that is not.
pub fn check_names(given: &Map<String, Value>) -> std::result::Result<(), serde_json::Error> {
    LoadOptions::deserialize(given).map(|_| ())
}

/// pgbench's `--partition-method`.
fn method(name: &str) -> Result<PartitionMethod> {
    match name {
        "range" => Ok(PartitionMethod::Range),
        "hash" => Ok(PartitionMethod::Hash),
        _ => Err(invalid(format!(
            "invalid partition method, expecting \"range\" or \"hash\", got: \"{name}\""
        ))),
    }
}

/// As many loading workers as there are cores and free slots beside the leader's, and no more than there is
/// work for.
fn default_jobs(scale: i32) -> i32 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let free = worker::free_slots();
    (cores as i32).min(free - 1).min(scale).max(1)
}

/// The arguments that say what the load is, to call it again; those that are as by default left out. The schema that the
/// search_path led to is said where it is not what everybody's leads to. What the load replaced is its own by then.
fn call(given: Map<String, Value>, workload: &str, schema: &str) -> Result<Map<String, Value>> {
    let defaults = serde_json::to_value(LoadOptions::default())?;
    let mut call: Map<String, Value> = given
        .into_iter()
        .filter(|(name, value)| name == "scale" || defaults.get(name) != Some(value))
        .filter(|(name, _)| name != "replace")
        .collect();
    call.insert("workload".to_owned(), workload.into());
    if schema != "public" {
        call.insert("schema".to_owned(), schema.into());
    }
    Ok(call)
}
