//! The checks before a worker is started: the session, the roles, the worker slots.

use crate::error::{Error, Result, failure, invalid, read_only};
use crate::guc;
use crate::pg::catalog::role;
use crate::pg::process::{clock, latch, worker};
use crate::pg::server;
use crate::pg::sql::spi;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use serde::Deserialize;
use std::time::Duration;

/// How long to wait for worker slots of a run that is just ending.
pub const SLOT_WAIT_NS: u64 = 3_000_000_000;

/// Worker slots that the hint leaves for parallel queries: the server's default
/// max_parallel_workers.
const PARALLEL_WORKERS: i32 = 8;

/// The limit of max_worker_processes (postmaster.h MAX_BACKENDS).
const MOST_WORKERS: i64 = 0x3FFFF;

/// Requirements on the session and the caller, for every kind of work.
pub fn check_starter() -> Result<()> {
    check_session("run")?;
    for role in [server::current_role(), role::extension_owner()] {
        check_login(role)?;
    }
    Ok(())
}

/// Whether a role may call a function of pgperf.
pub fn may_call(role: pg_sys::Oid, function: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct Right {
        may_call: bool,
    }
    let right: Option<Right> = role::as_owner(|| {
        spi::select_one(
            "SELECT pg_catalog.has_function_privilege($1, p.oid, 'EXECUTE') AS may_call FROM pg_catalog.pg_proc p \
              WHERE p.pronamespace = 'pgperf'::pg_catalog.regnamespace AND p.proname = $2",
            &[role.into(), function.into()],
        )
    })?;
    Ok(right.is_some_and(|right| right.may_call))
}

/// Requirements on the session that starts a worker.
pub fn check_session(what: &'static str) -> Result<()> {
    if server::in_recovery() {
        return Err(
            read_only(format!("cannot start a {what} on a standby")).hinting(format!(
                "A {what} stores its history, so it needs the primary."
            )),
        );
    }
    if server::transaction_is_read_only() {
        return Err(
            read_only(format!("cannot start a {what} in a read-only transaction")).hinting(
                format!("A {what} begins when the transaction that starts it commits."),
            ),
        );
    }
    if server::in_restricted_operation() {
        return Err(failure(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("cannot start a {what} inside a security-restricted operation"),
        ));
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
    let refused = |message: String, hint: String| {
        let sqlstate = PgSqlErrorCode::ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION;
        Err(failure(sqlstate, message).hinting(hint))
    };
    match rights {
        Some(Rights {
            rolname,
            rolcanlogin: false,
            ..
        }) => refused(
            format!("role \"{rolname}\" is not permitted to log in"),
            format!(
                "The workers of a run are sessions of the role that starts it: \
                 ALTER ROLE {} LOGIN.",
                server::quote_identifier(&rolname)
            ),
        ),
        Some(Rights {
            rolname,
            may_connect: false,
            ..
        }) => refused(
            format!("role \"{rolname}\" has no CONNECT privilege on this database"),
            "The workers of a run are sessions of the role that starts it.".to_owned(),
        ),
        Some(_) => Ok(()),
        None => Err(invalid(
            "the current role does not exist any more".to_owned(),
        )),
    }
}

/// Checks that the worker slots seem free; waits a moment for those of a run that is just ending.
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

/// Not enough background workers.
pub fn no_slots(needed: usize, free: i32, limit: i32) -> Error {
    let enough = i64::from(limit) + needed as i64 - i64::from(free) + i64::from(PARALLEL_WORKERS);
    let hint = match enough {
        ..=MOST_WORKERS => format!(
            "Use fewer clients or jobs, or set max_worker_processes and restart the server: \
             ALTER SYSTEM SET max_worker_processes = {enough}"
        ),
        _ => "Use fewer clients or jobs: no server has so many workers.".to_owned(),
    };
    failure(
        PgSqlErrorCode::ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
        format!("not enough free worker slots: {needed} needed, {free} of {limit} seem free"),
    )
    .hinting(hint)
    .detailed(format!(
        "A run takes one worker for its leader and one for each client, a load one for each of its jobs, \
         a sweep one more; parallel queries share the rest ({} now).",
        free.max(0)
    ))
}
