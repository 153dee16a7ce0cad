//! Named baselines: runs that later ones are measured against.

use super::names;
use crate::error::{Error, Result};
use crate::pg::role::as_owner;
use crate::pg::{server, spi};
use pgrx::pg_sys::panic::ErrorReport;
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

/// `pgperf.set_baseline(name text, runs bigint[])`: the name then stands for these runs; how many they are.
#[pg_extern(sql = false)]
fn set_baseline(name: &str, runs: Vec<Option<i64>>) -> std::result::Result<i64, ErrorReport> {
    let runs: Vec<Option<String>> = runs.into_iter().map(names::of_id).collect();
    Ok(store(name, &runs)?)
}

/// `pgperf.set_baseline(name text, run bigint)`.
#[pg_extern(sql = false)]
fn set_baseline_run(name: &str, run: i64) -> std::result::Result<i64, ErrorReport> {
    Ok(store(name, &[names::of_id(Some(run))])?)
}

/// `pgperf.set_baseline(name text, runs text[])`.
#[pg_extern(sql = false)]
fn set_baseline_names(
    name: &str,
    runs: Vec<Option<String>>,
) -> std::result::Result<i64, ErrorReport> {
    Ok(store(name, &runs)?)
}

fn store(name: &str, runs: &[Option<String>]) -> Result<i64> {
    if name.is_empty() || name.starts_with('#') {
        return Err(Error::InvalidArgument {
            message: format!("a baseline cannot be named \"{name}\""),
            hint: Some("A name has at least one character, and not # first.".to_owned()),
        });
    }
    let runs = names::resolve("baseline", runs)?;
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

/// `pgperf.drop_baseline`: false if there is none of that name.
#[pg_extern(sql = false)]
fn drop_baseline(name: &str) -> std::result::Result<bool, ErrorReport> {
    Ok(remove(name)?)
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
        return Err(Error::BaselineNotControllable {
            name: name.to_owned(),
            role,
        });
    }
    as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf.baselines WHERE name = $1",
            &[name.into()],
        )
    })?;
    Ok(true)
}
