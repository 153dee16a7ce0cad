//! Named baselines: runs with which later ones are compared.

use super::{names, sides};
use crate::catalog::runs::{ExistingRun, hold};
use crate::error::{Error, Result, failure, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::spi;
use crate::pg::sql::text::{Text, strings};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `pgperf.baselines`.
#[derive(Serialize)]
struct Member<'a> {
    name: &'a str,
    run_no: usize,
    node_id: &'a str,
    run_id: i64,
    role: Option<&'a str>,
}

/// `pgperf.set_baseline(name text, runs bigint[])`: the name then stands for these runs; returns their number.
#[pg_extern(sql = false)]
fn set_baseline(name: Option<Text>, runs: Option<Vec<Option<i64>>>) -> Called<i64> {
    let runs = runs.map(|runs| runs.into_iter().map(names::of_id).collect());
    Ok(store(name.as_deref(), runs)?)
}

/// `pgperf.set_baseline(name text, run bigint)`.
#[pg_extern(sql = false)]
fn set_baseline_run(name: Option<Text>, run: Option<i64>) -> Called<i64> {
    Ok(store(name.as_deref(), Some(vec![names::of_id(run)]))?)
}

/// `pgperf.set_baseline(name text, run text)`.
#[pg_extern(sql = false)]
fn set_baseline_name(name: Option<Text>, run: Option<Text>) -> Called<i64> {
    Ok(store(name.as_deref(), Some(vec![run.map(|run| run.0)]))?)
}

/// `pgperf.set_baseline(name text, runs text[])`.
#[pg_extern(sql = false)]
fn set_baseline_names(name: Option<Text>, runs: Option<Vec<Option<Text>>>) -> Called<i64> {
    Ok(store(name.as_deref(), runs.map(strings))?)
}

/// Later calls have to find the runs that this one meant, not whichever run is the newest then.
fn store(name: Option<&str>, runs: Option<Vec<Option<String>>>) -> Result<i64> {
    let name = name.unwrap_or_default();
    let runs = runs.unwrap_or_else(|| vec![None]);
    if runs.contains(&None) {
        return Err(invalid("runs of a baseline must not be NULL")
            .hinting("Name each run by its run_id or label."));
    }
    if name.is_empty() || name.starts_with('#') {
        return Err(invalid(format!("a baseline cannot be named \"{name}\""))
            .hinting("A name has at least one character and does not begin with #."));
    }
    let runs = names::resolve("baseline", &runs)?;
    for run in &runs {
        hold(run)?;
        check_usable(run)?;
    }
    let role = server::role_name(server::current_role());
    remove(name)?;
    as_owner(|| {
        for (run_no, run) in (1..).zip(&runs) {
            spi::insert(
                "pgperf.baselines",
                &Member {
                    name,
                    run_no,
                    node_id: &run.node_id,
                    run_id: run.run_id,
                    role: role.as_deref(),
                },
            )?;
        }
        Ok::<_, Error>(())
    })?;
    Ok(runs.len() as i64)
}

/// A run that cannot be compared would fail every gate.
fn check_usable(run: &ExistingRun) -> Result<()> {
    #[derive(Deserialize)]
    struct RunStatus {
        status: String,
    }
    let state: Option<RunStatus> = as_owner(|| {
        spi::select_one(
            "SELECT r.status FROM pgperf.runs r WHERE r.node_id = $1::pg_catalog.uuid AND r.run_id = $2",
            &[run.node_id.as_str().into(), run.run_id.into()],
        )
    })?;
    match state.and_then(|state| sides::unusable(&state.status)) {
        None => Ok(()),
        Some(why) => Err(invalid(format!(
            "run {} cannot be in a baseline: it {why}",
            run.run_id
        ))
        .hinting("Only runs that have finished or were stopped can be compared.")),
    }
}

/// `pgperf.drop_baseline`: false if no baseline has that name.
#[pg_extern(sql = false)]
fn drop_baseline(name: Text) -> Called<bool> {
    Ok(remove(&name)?)
}

fn remove(name: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct Owner {
        role: String,
    }
    let owner: Option<Owner> = as_owner(|| {
        spi::select_one(
            "SELECT b.role FROM pgperf.baselines b WHERE b.name = $1 LIMIT 1",
            &[name.into()],
        )
    })?;
    let Some(Owner { role }) = owner else {
        return Ok(false);
    };
    if !server::caller_controls(&role) {
        return Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("must be a member of role \"{role}\" to replace or drop baseline \"{name}\""),
        ));
    }
    as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf.baselines WHERE name = $1",
            &[name.into()],
        )
    })?;
    Ok(true)
}
