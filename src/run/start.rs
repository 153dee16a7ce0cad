//! `start_run` and `start_load`: everything is checked before anything is stored; then the leader is
//! registered, and the run belongs to the transaction that started it.

use super::launch::LeaderLaunch;
use super::mix::Mix;
use super::options::Options;
use super::preconditions::{
    check_scripts, check_session, check_settings, check_slots, check_tablespace, creation_schema,
    data_scale, no_slots, refuse_foreign_tables, search_path,
};
use super::spec::{LoadSpec, Spec};
use crate::error::{Error, Result};
use crate::pg::worker::{self, WorkerStatus};
use crate::pg::{arguments, clock, latch, lock, role, server, spi, xact};
use crate::workload::{self, InitOptions};
use pgrx::JsonB;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use std::time::Duration;

/// How long a leader may take to start; it takes a few milliseconds.
const LEADER_START_NS: u64 = 30_000_000_000;

/// `pgperf.start_run`.
#[pg_extern(sql = false)]
fn start_run(fcinfo: pg_sys::FunctionCallInfo) -> std::result::Result<i64, ErrorReport> {
    Ok(run(Options::new(arguments::by_name(fcinfo)?)?)?)
}

fn run(options: Options) -> Result<i64> {
    check_session()?;
    // Without a seed: one that differs from run to run, and is stored, so that the run can be repeated.
    let seed = options
        .random_seed
        .unwrap_or_else(|| i64::from(clock::now() as u32));
    let mix = Mix::of(&options)?;
    let warmup = Mix::none();
    let (schema, label) = (options.schema.clone(), options.label.clone());
    let mut spec = options.into_spec(seed, &mix, &warmup)?;
    check_scripts(&spec.scripts, &spec.variables, spec.query_mode)?;
    check_settings(&spec.settings)?;
    spec.search_path = search_path(schema.as_deref())?;
    spec.scale = data_scale(&mix.workloads, schema.as_deref(), spec.scale)?;
    if let (false, Some(scale)) = (mix.stored.is_empty(), spec.scale) {
        spec.call.insert("scale".to_owned(), scale.into());
    }
    check_slots(spec.clients + 1)?;
    start("run", &mix.name, label.as_deref(), &spec)
}

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

/// Registers the leader, waits until it lives, and stores the run: all of it undone by a rollback.
fn start(kind: &'static str, workload: &str, label: Option<&str>, spec: &Spec) -> Result<i64> {
    #[derive(Deserialize)]
    struct Named {
        node_id: String,
        run_id: i64,
    }
    let caller = server::current_role();
    let node_id = super::node::local_node()?;
    let named: Option<Named> = role::as_owner(|| {
        spi::select_one(
            "SELECT $1::pg_catalog.uuid AS node_id, \
                    pg_catalog.nextval('pgperf.run_id_seq'::pg_catalog.regclass) AS run_id",
            &[node_id.into()],
        )
    })?;
    let Named { node_id, run_id } = named.ok_or(Error::NotInstalled)?;
    refuse_two_phase_commit();
    let launch = LeaderLaunch {
        database: server::database(),
        owner: role::extension_owner(),
        caller,
        extension: server::extension_oid()?,
        xid: xact::current_subtransaction_id(),
        run_id,
    };
    let leader_pid = start_leader(&launch)?;
    role::as_owner(|| {
        spi::execute(
            "INSERT INTO pgperf.stored_runs (node_id, run_id, kind, label, workload, role, clients, \
                query_mode, scale, random_seed, spec, leader_pid) \
             SELECT $1::pg_catalog.uuid, $2, $3, $4, $5, $6, $7, \
                ($8::pg_catalog.jsonb ->> 'query_mode'), $9, $10, $8, $11",
            &[
                node_id.as_str().into(),
                run_id.into(),
                kind.into(),
                label.into(),
                workload.into(),
                server::role_name(caller).into(),
                (spec.clients as i32).into(),
                JsonB(serde_json::to_value(spec)?).into(),
                spec.scale.into(),
                Some(spec.random_seed).filter(|_| kind == "run").into(),
                leader_pid.into(),
            ],
        )
    })?;
    Ok(run_id)
}

/// Starts the leader and waits until it holds its lock, so that a run never shows as interrupted before it
/// has begun.
fn start_leader(launch: &LeaderLaunch) -> Result<i32> {
    let name = format!("pgperf run {} leader", launch.run_id);
    let leader = worker::register(
        &name,
        "pgperf leader",
        "pgperf_leader_main",
        &launch.encode(),
    )
    .ok_or_else(|| no_slots(1, 0, worker::free_slots().1))?;
    let deadline = clock::now() + LEADER_START_NS;
    loop {
        let status = leader.status();
        if let WorkerStatus::Running(pid) = status
            && lock::leader_lives(launch.run_id)
        {
            return Ok(pid);
        }
        let ended = matches!(status, WorkerStatus::Stopped | WorkerStatus::PostmasterDied);
        if ended || clock::now() > deadline {
            leader.terminate();
            return Err(Error::LeaderDidNotStart);
        }
        latch::wait(Duration::from_millis(2));
    }
}

/// A prepared transaction would keep the leader waiting, and its worker slot taken, for days.
fn refuse_two_phase_commit() {
    pgrx::register_xact_callback(pgrx::PgXactCallbackEvent::PrePrepare, || {
        ErrorReport::from(Error::Unsupported {
            message: "cannot PREPARE a transaction that has started a pgperf run".to_owned(),
            hint: Some("Commit it instead: the run starts at the commit.".to_owned()),
        })
        .report(PgLogLevel::ERROR);
    });
}
