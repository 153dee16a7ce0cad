//! What is checked before a run or a load starts: the session, the caller's role, scripts, settings, tables,
//! worker slots. Nothing has been stored yet.

use super::guard::{self, Guard};
use super::limits::Limits;
use super::options::{hinted, invalid};
use super::resume::carried::Carried;
use super::script_limits::{check_bytes, check_commands};
use super::spec::{ScriptSpec, Vacuum, parse};
use crate::collect::distributed;
use crate::error::{Error, Result, sqlstate_code};
use crate::guc;
use crate::pg::encoding;
use crate::pg::error::say;
use crate::pg::session::QueryMode;
use crate::pg::subxact::subtransaction;
use crate::pg::{clock, latch, refusal, role, server, setting, spi, worker};
use crate::workload::{self, DataSet, Workload};
use pgrx::PgLogLevel;
use pgrx::pg_sys;
use script::{CommandKind, SqlCommand, Symbols, is_valid_variable_name};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait for worker slots of a run that is just ending.
const SLOT_WAIT_NS: u64 = 1_000_000_000;

/// What must hold of the session and the caller, whatever is to be run.
pub fn check_starter() -> Result<()> {
    check_session("run")?;
    for role in [server::current_role(), role::extension_owner()] {
        check_login(role)?;
    }
    Ok(())
}

/// What must hold of the session that starts a worker.
pub fn check_session(what: &'static str) -> Result<()> {
    if server::in_recovery() {
        return Err(Error::ReadOnly {
            message: format!("cannot start a {what} on a standby"),
            hint: format!("A {what} stores its history, so it needs the primary."),
        });
    }
    if server::transaction_is_read_only() {
        return Err(Error::ReadOnly {
            message: format!("cannot start a {what} in a read-only transaction"),
            hint: format!("A {what} begins when the transaction that starts it commits."),
        });
    }
    if server::in_restricted_operation() {
        return Err(Error::Restricted { what });
    }
    Ok(())
}

/// A worker connects as its role: that role needs LOGIN and CONNECT, as a client would.
pub fn check_login(role: pg_sys::Oid) -> Result<()> {
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
pub fn check_scripts(
    scripts: &[ScriptSpec],
    variables: &BTreeMap<String, String>,
    query_mode: QueryMode,
) -> Result<()> {
    for name in variables.keys() {
        if !is_valid_variable_name(name) {
            return Err(invalid(format!("invalid variable name: \"{name}\"")));
        }
    }
    check_bytes(scripts)?;
    let scripts = parse(scripts, &mut Symbols::new())?;
    check_commands(&scripts)?;
    let simple = query_mode == QueryMode::Simple;
    for script in &scripts {
        if !simple {
            script.check_parameters()?;
        }
        for command in &script.commands {
            if let CommandKind::Sql(sql) = &command.kind {
                check_command(&script.name, command.line, sql, simple)?;
            }
        }
    }
    Ok(())
}

fn check_command(script: &str, line: u32, sql: &SqlCommand, simple: bool) -> Result<()> {
    let text = encoding::c_string(sql.prepared.as_str())
        .map_err(|_| invalid("a script must not contain a NUL byte".to_owned()))?;
    let (error, hint) = match subtransaction(|| refusal::check_command(&text, !simple)) {
        Ok(Ok(())) => return Ok(()),
        // In simple mode a variable may stand for any part of a statement: not to be parsed before it is run.
        Err(_) if simple => return Ok(()),
        Ok(Err(refused)) => refused,
        Err(syntax_error) => (syntax_error, None),
    };
    Err(Error::Statement {
        script: script.to_owned(),
        line,
        sqlstate: error.sqlstate,
        message: error.message,
        hint,
    })
}

/// Tries the settings that the clients' sessions will have.
pub fn check_settings(settings: &BTreeMap<String, String>) -> Result<()> {
    for (name, value) in settings {
        subtransaction(|| setting::check(name, value)).map_err(|error| Error::Setting {
            name: name.clone(),
            sqlstate: error.sqlstate,
            reason: error.message,
        })?;
    }
    Ok(())
}

/// The caller's search_path, with the schema of the data set before it.
pub fn search_path(schema: Option<&str>) -> Result<String> {
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
pub fn data_scale(
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
        (scale, given) => {
            if let (Some(scale), Some(given)) = (scale, given)
                && scale != given
            {
                let ignored = format!(
                    "scale {given} is ignored: the tables of workload \"{}\" were loaded at scale {scale}",
                    first.name
                );
                say(PgLogLevel::WARNING, ignored);
            }
            Ok(scale)
        }
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
pub fn creation_schema(schema: Option<&str>) -> Result<String> {
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

/// Checks a tablespace before a load drops anything: it is there, and the caller may create in it.
pub fn check_tablespace(name: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Found {
        may_create: bool,
    }
    let found: Option<Found> = spi::select_one(
        "SELECT pg_catalog.has_tablespace_privilege(t.oid, 'CREATE') AS may_create \
           FROM pg_catalog.pg_tablespace t WHERE t.spcname OPERATOR(pg_catalog.=) $1::pg_catalog.name",
        &[name.into()],
    )?;
    match found {
        Some(Found { may_create: true }) => Ok(()),
        Some(Found { may_create: false }) => Err(Error::TablespaceUnusable {
            tablespace: name.to_owned(),
            exists: true,
        }),
        None => Err(Error::TablespaceUnusable {
            tablespace: name.to_owned(),
            exists: false,
        }),
    }
}

/// Refuses to drop or truncate tables that pgperf did not make.
pub fn refuse_foreign_tables(data_set: &DataSet, schema: &str) -> Result<()> {
    match foreign_table(data_set, schema)? {
        Some(relation) => Err(Error::ForeignTable { relation }),
        None => Ok(()),
    }
}

/// Refuses to drop or truncate tables that Citus distributes, whoever made them: the load would be of this server alone.
pub fn refuse_distributed_tables(data_set: &DataSet, schema: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Found {
        relation: String,
    }
    let distributed = distributed::tables()?;
    if distributed.is_empty() {
        return Ok(());
    }
    let found: Option<Found> = spi::select_one(
        "SELECT c.relname AS relation FROM pg_catalog.pg_class c \
           JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
          WHERE n.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name \
            AND c.relname OPERATOR(pg_catalog.=) ANY ($2::pg_catalog.name[]) \
            AND c.oid::pg_catalog.int8 OPERATOR(pg_catalog.=) ANY ($3) \
          ORDER BY c.relname",
        &[
            schema.into(),
            data_set.tables.to_vec().into(),
            distributed.into(),
        ],
    )?;
    match found {
        Some(Found { relation }) => Err(Error::DistributedTable { relation }),
        None => Ok(()),
    }
}

/// A table of that schema with the name of one of the data set's, but not made by pgperf.
fn foreign_table(data_set: &DataSet, schema: &str) -> Result<Option<String>> {
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
    Ok(foreign.map(|foreign| foreign.relation))
}

/// What pgbench does to its tables before a run, with the data set of the run's workload; scripts may
/// run on pgbench's own. Only tables that pgperf made are truncated.
pub fn vacuum_sql(
    vacuum: Vacuum,
    workloads: &[&'static Workload],
    schema: Option<&str>,
) -> Result<Vec<String>> {
    let built_in = workloads.first().copied().or(workload::all().first());
    let (false, Some(workload)) = (vacuum == Vacuum::None, built_in) else {
        return Ok(Vec::new());
    };
    let data_set = workload.data_set;
    let mut schemas = Vec::new();
    for relation in data_set.tables {
        let found = schema_of(relation, schema)?.ok_or_else(|| Error::MissingTable {
            relation: (*relation).to_owned(),
            workload: workload.name,
            schema: schema.map(str::to_owned),
        })?;
        schemas.push(found);
    }
    schemas.dedup();
    let [schema] = schemas.as_slice() else {
        return Err(hinted(
            format!(
                "the tables of workload \"{}\" are in several schemas",
                workload.name
            ),
            "Say which to vacuum: schema => '...'.",
        ));
    };
    match foreign_table(data_set, schema)? {
        Some(relation) => Err(hinted(
            format!("relation \"{relation}\" is not vacuumed: it was not made by pgperf"),
            "The vacuum of a run truncates history, hence only tables that pgperf.init made. \
             For others use before_sql => 'VACUUM ...'.",
        )),
        None => Ok((data_set.vacuum)(schema, vacuum == Vacuum::All)),
    }
}

/// Whether a run may begin at all: it would be stopped if a limit were passed already.
pub fn check_limits(limits: &Limits, duration_s: Option<f64>) -> Result<()> {
    let now = clock::now();
    let mut guard = Guard::new(limits, &Carried::default());
    role::as_owner(|| guard.ask(now))?;
    let longest = guc::max_run_time().map(|limit| limit.as_secs());
    let too_long = longest.filter(|&limit| duration_s.is_some_and(|s| s > limit as f64));
    match guard.look(now, 0).or_else(|| too_long.map(guard::too_long)) {
        Some(reason) => Err(Error::Forbidden {
            sqlstate: sqlstate_code(reason.sqlstate),
            message: reason.message,
            hint: reason.hint,
        }),
        None => Ok(()),
    }
}

/// Checks that the workers' slots seem free; waits a moment for those of a run that is just ending.
pub fn check_slots(needed: usize) -> Result<()> {
    let deadline = clock::now() + SLOT_WAIT_NS;
    let wanted = i32::try_from(needed).unwrap_or(i32::MAX);
    let reserved = guc::reserved_worker_slots();
    loop {
        let (free, limit) = (worker::free_slots(), worker::slots());
        if free - reserved >= wanted {
            return Ok(());
        }
        if wanted >= limit - reserved || clock::now() > deadline {
            return Err(no_slots(needed, free - reserved, limit));
        }
        latch::wait(Duration::from_millis(20));
    }
}

pub fn no_slots(needed: usize, free: i32, limit: i32) -> Error {
    Error::NoWorkerSlots {
        needed,
        free,
        limit,
    }
}
