//! The disturbances of a run, checked against the server before anything starts: their tables, the caller's rights, the syntax of the
//! caller's own statements.

use super::request::{Given, parse};
use super::wire::{Connection, Identity, WireError};
use super::work::{Disturbance, Work};
use crate::error::{Error, Result, failure, invalid, sqlstate_code};
use crate::pg::catalog::names;
use crate::pg::process::{clock, latch};
use crate::pg::session::setting;
use crate::pg::sql::interval;
use crate::pg::sql::spi;
use crate::pg::sql::subxact::subtransaction;
use crate::run::side_sql::statements;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use serde_json::Value;

const ARGUMENT: &str = "disturbances";
/// How long a connection may take.
const CONNECT_NS: u64 = 10_000_000_000;

/// The argument as a spec stores it, but for the tables, which may not be there yet. `duration_s`: how long the run lasts, where that is
/// known.
///
/// # Errors
/// A value of another form, a right that the caller lacks.
pub fn disturbances(argument: Option<&Value>, duration_s: Option<f64>) -> Result<Vec<Disturbance>> {
    let Some(argument) = argument else {
        return Ok(Vec::new());
    };
    let given = parse(argument, duration_s, &interval::read)?;
    given.into_iter().map(check).collect()
}

/// Finds their tables, as the run's sessions would.
///
/// # Errors
/// A table that is not there, or a right on it that the caller lacks.
pub fn find_tables(disturbances: &mut [Disturbance], search_path: &str) -> Result<()> {
    for Disturbance { name, work, .. } in disturbances {
        let (kind, right) = (work.kind(), right(work));
        let Some(given) = work.table_mut() else {
            continue;
        };
        let table = table(name, given, search_path)?;
        let (has_right, needed) = match right {
            Right::Select => (table.may_select, "SELECT on"),
            Right::Maintain => (table.may_maintain, "ownership of"),
            Right::Own => (table.owns, "ownership of"),
        };
        if !has_right {
            return Err(denied(
                name,
                &format!("{kind} needs {needed} table {}", table.name),
                "Its session has the rights of the role that starts the run.",
            ));
        }
        *given = table.name;
    }
    Ok(())
}

fn check(given: Given) -> Result<Disturbance> {
    let Given {
        name,
        mut work,
        times,
        sessions,
    } = given;
    match &mut work {
        Work::Sql { statements: all } => {
            let text = all.join(";");
            *all = statements(ARGUMENT, Some(&text))?;
            if all.is_empty() {
                return Err(invalid(format!(
                    "disturbance \"{name}\": \"sql\" has no statement"
                )));
            }
        }
        Work::Checkpoint if !holds("pg_catalog.pg_has_role('pg_checkpoint', 'USAGE')")? => {
            return Err(denied(
                &name,
                "checkpoint needs the privileges of pg_checkpoint",
                "GRANT pg_checkpoint to your role.",
            ));
        }
        Work::WalFlood { .. } if !holds(MAY_EMIT)? => {
            return Err(denied(
                &name,
                "wal_flood needs EXECUTE on pg_logical_emit_message",
                "GRANT EXECUTE on it to your role.",
            ));
        }
        Work::BaseBackup { .. } if !holds(MAY_REPLICATE)? => {
            return Err(denied(
                &name,
                "base_backup needs the attribute REPLICATION",
                "ALTER ROLE ... REPLICATION gives it to your role.",
            ));
        }
        Work::BaseBackup { .. } => connects(&name, true)?,
        Work::ConnectionStorm { .. } => connects(&name, false)?,
        _ => {}
    }
    Ok(Disturbance {
        name,
        work,
        times,
        sessions,
    })
}

/// What a role must be allowed to do with the table.
#[derive(Clone, Copy)]
enum Right {
    Select,
    /// VACUUM FULL, REINDEX.
    Maintain,
    /// DDL.
    Own,
}

fn right(work: &Work) -> Right {
    match work {
        Work::VacuumFull { .. } | Work::Reindex { .. } => Right::Maintain,
        Work::LockQueue { .. } => Right::Own,
        _ => Right::Select,
    }
}

const MAY_EMIT: &str = "(SELECT pg_catalog.bool_or(pg_catalog.has_function_privilege(p.oid, 'EXECUTE')) FROM pg_catalog.pg_proc p \
      WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proname = 'pg_logical_emit_message')";

const MAY_REPLICATE: &str = "(SELECT r.rolreplication OR r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)";

/// Tries what its session will do: pg_hba.conf decides whether the role may connect without a password.
fn connects(name: &str, replication: bool) -> Result<()> {
    #[derive(Deserialize)]
    struct Here {
        role: String,
        database: String,
    }
    let sql = "SELECT current_user AS role, pg_catalog.current_database() AS database";
    let Some(Here { role, database }) = spi::select_one(sql, &[])? else {
        return Ok(());
    };
    let identity = Identity {
        role,
        database,
        application_name: "pgperf".to_owned(),
    };
    let deadline = clock::now() + CONNECT_NS;
    let mut goes_on = || {
        latch::interrupts();
        clock::now() < deadline
    };
    let (sqlstate, message) = match Connection::open(&identity, replication, &mut goes_on) {
        Ok(connection) => {
            connection.close();
            return Ok(());
        }
        Err(WireError::Stopped) => ("08001".to_owned(), "the server does not answer".to_owned()),
        Err(WireError::Failed(error)) => (error.sqlstate, error.message),
    };
    Err(refused(
        name,
        sqlstate_code(&sqlstate),
        message,
        "It connects through the server's Unix socket as the role that starts the run, for base_backup to the database \"replication\" of pg_hba.conf."
            .to_owned(),
    ))
}

fn holds(condition: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct Precondition {
        holds: Option<bool>,
    }
    let answer: Option<Precondition> =
        spi::select_one(&format!("SELECT {condition} AS holds"), &[])?;
    Ok(answer.is_some_and(|answer| answer.holds == Some(true)))
}

#[derive(Deserialize)]
struct TargetTable {
    /// With its schema, as SQL writes it.
    name: String,
    is_table: bool,
    may_select: bool,
    may_maintain: bool,
    owns: bool,
}

/// MAINTAIN is a privilege since PostgreSQL 17.
const TABLE: &str = "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, c.relkind IN ('r', 'p') AS is_table, \
        pg_catalog.has_table_privilege(c.oid, 'SELECT') AS may_select, pg_catalog.pg_has_role(c.relowner, 'USAGE') AS owns, \
        CASE WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 170000 \
             THEN pg_catalog.has_table_privilege(c.oid, 'MAINTAIN') ELSE pg_catalog.pg_has_role(c.relowner, 'USAGE') END AS may_maintain \
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE c.oid = $1";

/// The table that the run's sessions find by this name.
fn table(disturbance: &str, name: &str, search_path: &str) -> Result<TargetTable> {
    let found = subtransaction(|| {
        setting::with("search_path", search_path, || names::relation_named(name))
    });
    let found = found.map_err(|error| {
        invalid(format!(
            "disturbance \"{disturbance}\": table {name}: {}",
            error.message
        ))
    })?;
    let table = |oid: pg_sys::Oid| spi::select_one::<TargetTable>(TABLE, &[oid.into()]);
    match found.map(table).transpose()?.flatten() {
        Some(table) if table.is_table => Ok(table),
        Some(table) => Err(refused(
            disturbance,
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            format!("{} is not a table", table.name),
            "Name a table.".to_owned(),
        )),
        None => Err(refused(
            disturbance,
            PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            format!("there is no table {name}"),
            "It is looked for as by the clients; a name with its schema is found in any case."
                .to_owned(),
        )),
    }
}

fn denied(disturbance: &str, message: &str, hint: &str) -> Error {
    refused(
        disturbance,
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        message.to_owned(),
        hint.to_owned(),
    )
}

fn refused(disturbance: &str, sqlstate: PgSqlErrorCode, message: String, hint: String) -> Error {
    failure(
        sqlstate,
        format!("disturbance \"{disturbance}\": {message}"),
    )
    .hinting(hint)
}
