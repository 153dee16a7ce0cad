//! `start_load`: a load's options are checked before anything is stored; then it starts like any other run.

use super::mix::Mix;
use super::options::Options;
use super::preconditions::{
    check_session, check_slots, check_tablespace, creation_schema, refuse_foreign_tables,
    search_path,
};
use super::spec::{LoadSpec, Spec};
use super::start::start;
use crate::error::Result;
use crate::workload::{self, InitOptions};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.start_load`: what `CALL pgperf.init` waits for.
#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)]
fn start_load(
    workload: Option<&str>,
    scale: Option<i32>,
    steps: Option<&str>,
    fillfactor: Option<i32>,
    foreign_keys: Option<bool>,
    unlogged: Option<bool>,
    tablespace: Option<&str>,
    index_tablespace: Option<&str>,
    schema: Option<&str>,
    replace: Option<bool>,
    label: Option<&str>,
) -> std::result::Result<i64, ErrorReport> {
    let defaults = InitOptions::default();
    let options = InitOptions {
        schema: String::new(),
        scale: scale.unwrap_or(defaults.scale),
        fillfactor: fillfactor.unwrap_or(defaults.fillfactor),
        steps: steps.map_or(defaults.steps.clone(), str::to_owned),
        foreign_keys: foreign_keys.unwrap_or(false),
        unlogged: unlogged.unwrap_or(false),
        tablespace: tablespace.map(str::to_owned),
        index_tablespace: index_tablespace.map(str::to_owned),
    };
    let name = workload.unwrap_or("tpcb-like");
    Ok(load(
        name,
        options,
        schema,
        replace.unwrap_or(false),
        label,
    )?)
}

fn load(
    name: &str,
    mut options: InitOptions,
    schema: Option<&str>,
    replace: bool,
    label: Option<&str>,
) -> Result<i64> {
    check_session()?;
    let workload = workload::find(name)?;
    options.schema = creation_schema(schema)?;
    let steps = workload.data_set.plan(&options)?;
    for tablespace in [&options.tablespace, &options.index_tablespace]
        .into_iter()
        .flatten()
    {
        check_tablespace(tablespace)?;
    }
    if !replace {
        refuse_foreign_tables(workload.data_set, &options.schema)?;
    }
    check_slots(2)?;
    let mut call = serde_json::Map::new();
    call.insert("workload".to_owned(), workload.name.into());
    call.insert("scale".to_owned(), options.scale.into());
    let defaults = InitOptions::default();
    if options.steps != defaults.steps {
        call.insert("steps".to_owned(), options.steps.clone().into());
    }
    if options.fillfactor != defaults.fillfactor {
        call.insert("fillfactor".to_owned(), options.fillfactor.into());
    }
    for (name, value) in [
        ("foreign_keys", options.foreign_keys),
        ("unlogged", options.unlogged),
    ] {
        if value {
            call.insert(name.to_owned(), true.into());
        }
    }
    let tablespaces = [
        ("tablespace", &options.tablespace),
        ("index_tablespace", &options.index_tablespace),
    ];
    for (name, value) in tablespaces {
        if let Some(value) = value {
            call.insert(name.to_owned(), value.clone().into());
        }
    }
    if let Some(schema) = schema {
        call.insert("schema".to_owned(), schema.into());
    }
    let run_options = Options {
        transactions_per_client: Some(1),
        ..Options::default()
    };
    let spec = run_options.into_spec(0, &Mix::none(), &Mix::none())?;
    let spec = Spec {
        transaction_type: workload.description.to_owned(),
        scripts: Vec::new(),
        transactions_per_client: None,
        search_path: search_path(Some(&options.schema))?,
        scale: Some(options.scale),
        call,
        load: Some(LoadSpec {
            workload: workload.name.to_owned(),
            rows: steps.iter().map(workload::Step::rows).sum(),
            options,
        }),
        ..spec
    };
    start("load", workload.name, label, &spec)
}
