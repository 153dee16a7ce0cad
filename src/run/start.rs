//! `start_run` and `start_load`: everything is checked before anything is stored; then the leader is
//! registered, and the run belongs to the transaction that started it.

use super::launch::LeaderLaunch;
use super::options::{Options, hinted, invalid};
use super::spec::{LoadSpec, Spec};
use crate::error::{Error, Result};
use crate::pg::session::QueryMode;
use crate::pg::subxact::subtransaction;
use crate::pg::worker::{self, WorkerStatus};
use crate::pg::{clock, latch, lock, role, server, spi, xact};
use crate::script::{CommandKind, is_valid_variable_name};
use crate::workload::{self, DataSet, InitOptions, Workload};
use pgrx::JsonB;
use pgrx::datum::Interval;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use std::ffi::CString;
use std::time::Duration;

/// How long a leader may take to start; it takes a few milliseconds.
const LEADER_START_NS: u64 = 30_000_000_000;
/// How long to wait for worker slots of a run that is just ending.
const SLOT_WAIT_NS: u64 = 1_000_000_000;

/// `pgperf.start_run`.
#[pg_extern(sql = false)]
#[allow(clippy::too_many_arguments)]
fn start_run(
    workload: Option<&str>,
    clients: Option<i32>,
    duration: Option<Interval>,
    transactions_per_client: Option<i64>,
    script: Option<&str>,
    scale: Option<i32>,
    query_mode: Option<&str>,
    result_mode: Option<&str>,
    rate: Option<f64>,
    latency_limit: Option<Interval>,
    max_tries: Option<i32>,
    random_seed: Option<i64>,
    variables: Option<JsonB>,
    settings: Option<JsonB>,
    warmup: Option<Interval>,
    sample_interval: Option<Interval>,
    schema: Option<&str>,
    label: Option<&str>,
) -> std::result::Result<i64, ErrorReport> {
    let options = Options {
        workload,
        clients,
        duration,
        transactions_per_client,
        script,
        scale,
        query_mode,
        result_mode,
        rate,
        latency_limit,
        max_tries,
        random_seed,
        variables,
        settings,
        warmup,
        sample_interval,
        schema,
        label,
    };
    Ok(run(options, schema, label)?)
}

fn run(options: Options, schema: Option<&str>, label: Option<&str>) -> Result<i64> {
    check_session()?;
    let scale_given = options.scale;
    // Without a seed: one that differs from run to run, and is stored, so that the run can be repeated.
    let seed = options
        .random_seed
        .unwrap_or_else(|| i64::from(clock::now() as u32));
    let (mut spec, workloads, name) = options.into_spec(seed)?;
    check_scripts(&spec)?;
    check_settings(&spec)?;
    spec.search_path = search_path(schema)?;
    spec.scale = data_scale(&workloads, schema, scale_given)?;
    check_slots(spec.clients + 1)?;
    start("run", &name, label, &spec)
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
    let (spec, _, _) = run_options.into_spec(0)?;
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

/// What must hold of the session and the caller, whatever is to be run.
fn check_session() -> Result<()> {
    if server::in_recovery() {
        return Err(Error::ReadOnly {
            message: "cannot start a run on a standby".to_owned(),
            hint: "A run stores its history, so it needs the primary.".to_owned(),
        });
    }
    if server::in_restricted_operation() {
        return Err(Error::Restricted);
    }
    for role in [server::current_role(), role::extension_owner()] {
        check_login(role)?;
    }
    Ok(())
}

/// A worker connects as its role: that role needs LOGIN and CONNECT, as a client would.
fn check_login(role: pg_sys::Oid) -> Result<()> {
    #[derive(Deserialize)]
    struct Rights {
        rolname: String,
        rolcanlogin: bool,
        may_connect: bool,
    }
    let rights: Option<Rights> = role::as_owner(|| {
        spi::select_one(
            "SELECT rolname, rolcanlogin, pg_catalog.has_database_privilege(oid, \
                (SELECT d.oid FROM pg_catalog.pg_database d \
                  WHERE d.datname = pg_catalog.current_database()), 'CONNECT') AS may_connect \
             FROM pg_catalog.pg_roles WHERE oid = $1",
            &[role.into()],
        )
    })?;
    match rights {
        Some(Rights {
            rolname,
            rolcanlogin: false,
            ..
        }) => Err(Error::RoleCannotConnect {
            message: format!("role \"{rolname}\" is not permitted to log in"),
            hint: format!(
                "The workers of a run are sessions of the role that starts it: \
                 ALTER ROLE {} LOGIN.",
                server::quote_identifier(&rolname)
            ),
        }),
        Some(Rights {
            rolname,
            may_connect: false,
            ..
        }) => Err(Error::RoleCannotConnect {
            message: format!("role \"{rolname}\" has no CONNECT privilege on this database"),
            hint: "The workers of a run are sessions of the role that starts it.".to_owned(),
        }),
        Some(_) => Ok(()),
        None => Err(invalid(
            "the current role does not exist any more".to_owned(),
        )),
    }
}

/// Parses the scripts, and their SQL as far as that goes without looking at tables.
fn check_scripts(spec: &Spec) -> Result<()> {
    for name in spec.variables.keys() {
        if !is_valid_variable_name(name) {
            return Err(invalid(format!("invalid variable name: \"{name}\"")));
        }
    }
    let (scripts, _) = spec.parse_scripts()?;
    // In simple mode a variable may stand for any part of a statement: nothing to parse before it is run.
    if spec.query_mode == QueryMode::Simple {
        return Ok(());
    }
    for script in &scripts {
        script.check_parameters()?;
        for command in &script.commands {
            let CommandKind::Sql(sql) = &command.kind else {
                continue;
            };
            let text = CString::new(sql.prepared.as_str())
                .map_err(|_| invalid("a script must not contain a NUL byte".to_owned()))?;
            subtransaction(|| server::check_statement(&text))
                .and_then(|refused| refused)
                .map_err(|error| Error::Statement {
                    script: script.name.clone(),
                    line: command.line,
                    sqlstate: error.sqlstate,
                    message: error.message,
                })?;
        }
    }
    Ok(())
}

fn check_settings(spec: &Spec) -> Result<()> {
    for (name, value) in &spec.settings {
        let (Ok(c_name), Ok(c_value)) = (CString::new(name.as_str()), CString::new(value.as_str()))
        else {
            return Err(invalid("a setting must not contain a NUL byte".to_owned()));
        };
        subtransaction(|| server::check_setting(&c_name, &c_value)).map_err(|error| {
            Error::Setting {
                name: name.clone(),
                sqlstate: error.sqlstate,
                reason: error.message,
            }
        })?;
    }
    Ok(())
}

/// The caller's search_path, with the schema of the data set before it.
fn search_path(schema: Option<&str>) -> Result<String> {
    #[derive(Deserialize)]
    struct Path {
        path: String,
    }
    let path: Option<Path> = spi::select_one(
        "SELECT pg_catalog.current_setting('search_path') AS path",
        &[],
    )?;
    let path = path.map(|path| path.path).unwrap_or_default();
    Ok(match schema {
        Some(schema) => format!("{}, {path}", workload::quote_ident(schema)),
        None => path,
    })
}

/// Checks that the workloads' tables are there, as the caller sees them, and tells their scale: as in
/// pgbench the tables' own, whatever was asked for.
fn data_scale(
    workloads: &[&'static Workload],
    schema: Option<&str>,
    given: Option<i32>,
) -> Result<Option<i32>> {
    #[derive(Deserialize)]
    struct Count {
        count: i64,
    }
    let Some(first) = workloads.first() else {
        return Ok(given);
    };
    for workload in workloads {
        for relation in workload.relations {
            let missing = || Error::MissingTable {
                relation: (*relation).to_owned(),
                workload: workload.name,
                schema: schema.map(str::to_owned),
            };
            schema_of(relation, schema)?.ok_or_else(missing)?;
        }
    }
    let table = first.data_set.scale_table;
    let Some(schema) = schema_of(table, schema)? else {
        return Ok(given);
    };
    let count: Option<Count> = spi::select_one(&first.data_set.scale_sql(&schema), &[])?;
    let scale = count
        .and_then(|count| i32::try_from(count.count).ok())
        .filter(|&scale| scale > 0);
    match (scale, given) {
        (None, _) => Err(Error::MissingTable {
            relation: table.to_owned(),
            workload: first.name,
            schema: None,
        }),
        (Some(scale), Some(given)) if scale != given => Err(hinted(
            format!("scale {given} was given, but the tables were loaded at scale {scale}"),
            "Leave scale out, or load the tables at the scale wanted.",
        )),
        (scale, _) => Ok(scale),
    }
}

/// In which schema a table is: in the one given, or where the caller's search_path finds it.
pub fn schema_of(table: &str, schema: Option<&str>) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Found {
        schema: String,
    }
    let name = match schema {
        Some(schema) => {
            format!(
                "{}.{}",
                workload::quote_ident(schema),
                workload::quote_ident(table)
            )
        }
        None => workload::quote_ident(table),
    };
    let found: Option<Found> = spi::select_one(
        "SELECT n.nspname AS schema FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)",
        &[name.into()],
    )?;
    Ok(found.map(|found| found.schema))
}

/// Where `init` makes its tables: the schema given, which must exist, or the first of the search_path.
fn creation_schema(schema: Option<&str>) -> Result<String> {
    #[derive(Deserialize)]
    struct Found {
        schema: Option<String>,
        may_create: Option<bool>,
    }
    let found: Option<Found> = spi::select_one(
        "SELECT n.nspname AS schema, \
                pg_catalog.has_schema_privilege(n.oid, 'CREATE') AS may_create \
         FROM pg_catalog.pg_namespace n \
         WHERE n.nspname OPERATOR(pg_catalog.=) coalesce($1::pg_catalog.name, pg_catalog.current_schema())",
        &[schema.into()],
    )?;
    match (found, schema) {
        (
            Some(Found {
                schema: Some(name),
                may_create: Some(true),
            }),
            _,
        ) => Ok(name),
        (
            Some(Found {
                schema: Some(name), ..
            }),
            _,
        ) => Err(Error::NoCreatePrivilege { schema: name }),
        (_, Some(schema)) => Err(Error::MissingSchema {
            schema: schema.to_owned(),
        }),
        (_, None) => Err(hinted(
            "no schema to create the tables in".to_owned(),
            "Give schema => '...' or set search_path.",
        )),
    }
}

/// Refuses to drop or truncate tables that pgperf did not make.
fn refuse_foreign_tables(data_set: &DataSet, schema: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Foreign {
        relation: String,
    }
    let node_id = super::node::local_node()?;
    let tables: Vec<&str> = data_set.tables.to_vec();
    let foreign: Option<Foreign> = role::as_owner(|| {
        spi::select_one(
            "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
              WHERE n.nspname = $1 AND c.relname = ANY ($2) \
                AND NOT EXISTS (SELECT FROM pgperf.data_sets d \
                                 WHERE d.node_id = $3::pg_catalog.uuid \
                                   AND c.oid = ANY (d.relations)) \
              ORDER BY c.relname",
            &[schema.into(), tables.into(), node_id.into()],
        )
    })?;
    match foreign {
        Some(foreign) => Err(Error::ForeignTable {
            relation: foreign.relation,
        }),
        None => Ok(()),
    }
}

/// Checks that the workers' slots seem free; waits a moment for those of a run that is just ending.
fn check_slots(needed: usize) -> Result<()> {
    let deadline = clock::now() + SLOT_WAIT_NS;
    loop {
        let (free, limit) = worker::free_slots();
        if free >= needed as i32 {
            return Ok(());
        }
        if needed as i32 >= limit || clock::now() > deadline {
            return Err(no_slots(needed, free, limit));
        }
        latch::wait(Duration::from_millis(20));
    }
}

fn no_slots(needed: usize, free: i32, limit: i32) -> Error {
    Error::NoWorkerSlots {
        needed,
        free,
        limit,
    }
}
