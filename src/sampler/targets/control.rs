//! The SQL functions.

use super::super::assignment::Assignment;
use super::list;
use crate::catalog::node;
use crate::error::Result;
use crate::pg::catalog::role;
use crate::pg::process::{lock, worker};
use crate::pg::server;
use crate::pg::sql::text::Text;
use crate::service::as_owner::Launch;
use crate::service::preconditions::{check_login, check_session, no_slots};
use crate::service::start::{await_start, refuse_two_phase_commit};
use crate::target;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.start_sampler(server text)`.
#[pg_extern(sql = false)]
fn start_target_sampler(server: Text) -> std::result::Result<bool, ErrorReport> {
    Ok(start(&server)?)
}

fn start(server: &str) -> Result<bool> {
    check_session("sampler")?;
    let owner = role::extension_owner();
    check_login(owner)?;
    // What a role may not use it may not have sampled either.
    target::connection(server)?;
    let caller = server::current_role();
    let node = node::local_node()?;
    lock::announce_target();
    let database = server::database();
    let lives = lock::target_sampler_lives(database);
    let is_new = role::as_owner(|| list::add(&node, server, caller, !lives))?;
    if lives {
        return Ok(is_new);
    }
    refuse_two_phase_commit("sampler");
    // It waits for no transaction: it reads what has committed.
    let launch = Launch::here(owner, None)?;
    let sampler =
        (Assignment::Targets.register(&launch)).ok_or_else(|| no_slots(1, 0, worker::slots()))?;
    await_start(&sampler, "the sampler", || {
        lock::target_sampler_lives(database)
    })?;
    Ok(true)
}

/// `pgperf.stop_sampler(server text)`. The sampler sees it within a second after the commit.
#[pg_extern(sql = false)]
fn stop_target_sampler(server: Text) -> std::result::Result<bool, ErrorReport> {
    let stop = || match node::known()? {
        Some(node) => role::as_owner(|| list::remove(&node, &server)),
        None => Ok(false),
    };
    Ok(stop()?)
}

/// `pgperf_internal.target_sampler_alive`.
#[pg_extern(sql = false)]
fn target_sampler_alive() -> bool {
    lock::target_sampler_lives(server::database())
}
