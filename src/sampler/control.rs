//! The SQL functions.

use super::assignment::Assignment;
use crate::error::Result;
use crate::guc;
use crate::pg::catalog::{names, role};
use crate::pg::error::say;
use crate::pg::process::{clock, latch, lock, worker};
use crate::pg::server;
use crate::pg::sql::{spi, xact};
use crate::service::as_owner::Launch;
use crate::service::preconditions::{check_login, check_session, no_slots};
use crate::service::start::{await_start, refuse_two_phase_commit};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use std::time::Duration;

/// How long `stop_sampler` waits for the sampler to leave: it does so between two collectors or relations.
const STOP_NS: u64 = 10_000_000_000;

/// `pgperf.start_sampler`.
#[pg_extern(sql = false)]
fn start_sampler() -> std::result::Result<bool, ErrorReport> {
    Ok(start()?)
}

fn start() -> Result<bool> {
    check_session("sampler")?;
    let owner = role::extension_owner();
    check_login(owner)?;
    let database = server::database();
    if lock::sampler_lives(database) {
        return Ok(false);
    }
    refuse_two_phase_commit("sampler");
    let launch = Launch::here(owner, Some(xact::current_subtransaction_id()))?;
    let sampler =
        (Assignment::Stay.register(&launch)).ok_or_else(|| no_slots(1, 0, worker::slots()))?;
    await_start(&sampler, "the sampler", || lock::sampler_lives(database))?;
    Ok(true)
}

/// `pgperf.stop_sampler`.
#[pg_extern(sql = false)]
fn stop_sampler() -> std::result::Result<bool, ErrorReport> {
    Ok(stop()?)
}

fn stop() -> Result<bool> {
    #[derive(Deserialize)]
    struct Holder {
        pid: i32,
    }
    // One that stays, or one that visits this database just now.
    let find = |sql: String| role::as_owner(|| spi::select_one::<Holder>(&sql, &[]));
    let stays = find(lock::sampler_pid_sql())?;
    let Some(Holder { pid }) =
        stays.map_or_else(|| find(lock::visit_pid_sql()), |it| Ok(Some(it)))?
    else {
        return Ok(false);
    };
    let database = server::database();
    if let Some(name) = names::database_name(u32::from(database))
        && guc::sampler_databases().contains(&name)
    {
        let again =
            "the sampler will start again, because pgperf.sampler_databases names this database";
        say(PgLogLevel::NOTICE, again.to_owned());
    }
    worker::signal(pid, worker::CANCEL);
    let deadline = clock::now() + STOP_NS;
    while worker::lives(pid) && clock::now() < deadline {
        latch::wait(Duration::from_millis(5));
    }
    Ok(true)
}
