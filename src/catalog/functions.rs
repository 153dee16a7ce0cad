//! The SQL functions about nodes and runs that views and other functions use.

use super::alive::lives_or_ended;
use super::{node, runs};
use crate::pg::catalog::role;
use crate::pg::process::lock;
use crate::pg::sql::rows;
use crate::pg::sql::text::Text;
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

/// `pgperf.local_node`.
#[pg_extern(sql = false)]
fn local_node() -> std::result::Result<Uuid, ErrorReport> {
    Ok(node::uuid(&node::local_node()?)?)
}

/// `pgperf.new_node`: history from now on belongs to a node of its own.
#[pg_extern(sql = false)]
fn new_node() -> std::result::Result<Uuid, ErrorReport> {
    role::as_owner(node::create)?;
    Ok(node::uuid(&node::local_node()?)?)
}

/// `pgperf_internal.range_of_numbers`.
#[pg_extern(sql = false)]
fn range_of_numbers() -> std::result::Result<i64, ErrorReport> {
    Ok(node::range_of_numbers()?)
}

/// `pgperf.set_node_name`.
#[pg_extern(sql = false)]
fn set_node_name(name: Option<Text>) -> std::result::Result<Uuid, ErrorReport> {
    Ok(node::uuid(&node::rename(name.as_deref())?)?)
}

/// `pgperf.set_node_group`.
#[pg_extern(sql = false)]
fn set_node_group(
    group_name: Option<Text>,
    node: Option<Text>,
) -> std::result::Result<Uuid, ErrorReport> {
    let node = node::named(node.as_deref())?;
    node::regroup(&node, group_name.as_deref())?;
    Ok(node::uuid(&node)?)
}

/// `pgperf_internal.leader_alive`: false if the run has neither a leader in this database nor an end. On a standby
/// that is unknown, and the status stored by the primary stands.
#[pg_extern(sql = false)]
fn leader_alive(node_id: Text, run_id: i64) -> std::result::Result<bool, ErrorReport> {
    let ended = "SELECT stored_status IN ('finished', 'stopped', 'failed') AS ended \
                   FROM pgperf_internal.stored_runs WHERE node_id = $1::pg_catalog.uuid AND run_id = $2";
    Ok(lives_or_ended(
        lock::leader_lives(run_id),
        ended,
        &node_id,
        run_id,
    )?)
}

/// `pgperf_internal.require_run`: fails in SQL functions whose argument is not the number of a run.
#[pg_extern(sql = false)]
fn require_run(run_id: i64) -> std::result::Result<(), ErrorReport> {
    runs::by_id(Some(run_id))?;
    Ok(())
}

/// `pgperf_internal.find_run(run text)`: the key of a run, for SQL functions and procedures that take a name.
#[pg_extern(sql = false)]
fn find_run_by_name(
    run: Option<Text>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> std::result::Result<(), ErrorReport> {
    let run = runs::named(run.as_deref())?;
    run.check_visible()?;
    let key = json!({"node_id": run.node_id, "found_id": run.run_id});
    Ok(rows::give(fcinfo, [key])?)
}
