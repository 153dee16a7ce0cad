//! Workloads that users have stored: scripts under a name, with their variables and settings.

use super::script_checks::{check_scripts, check_settings};
use super::scripts::{ScriptSpec, given_scripts};
use super::{Params, Scale, Workload, WorkloadError};
use crate::error::{Error, Result, hinted, invalid};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::session::QueryMode;
use crate::pg::sql::arguments::{self, settings_map, text_map};
use crate::pg::sql::spi;
use crate::pg::sql::text::{Json, Text};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A row of `pgperf_internal.stored_workloads`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    pub name: String,
    /// Who may replace and drop it.
    pub role: String,
    pub description: Option<String>,
    pub scripts: Vec<ScriptSpec>,
    pub variables: BTreeMap<String, String>,
    pub settings: BTreeMap<String, String>,
}

/// The arguments of `create_workload`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    name: Option<String>,
    script: Option<String>,
    scripts: Option<Vec<Option<String>>>,
    weights: Option<Vec<Option<i32>>>,
    variables: Option<Value>,
    settings: Option<Value>,
    description: Option<String>,
    replace: bool,
}

/// The stored workload of this name.
pub fn find(name: &str) -> Result<Option<Definition>> {
    role::as_owner(|| {
        spi::select_one(
            "SELECT name, role, description, scripts, variables, settings \
               FROM pgperf_internal.stored_workloads WHERE name = $1",
            &[name.into()],
        )
    })
}

/// The names of all stored workloads.
pub fn names() -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let rows: Vec<Named> = role::as_owner(|| {
        spi::select(
            "SELECT name FROM pgperf_internal.stored_workloads ORDER BY name",
            &[],
        )
    })?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// `pgperf.create_workload`.
#[pg_extern(sql = false)]
fn create_workload(fcinfo: pg_sys::FunctionCallInfo) -> std::result::Result<(), ErrorReport> {
    let given = serde_json::from_value(Value::Object(arguments::by_name(fcinfo)?));
    Ok(create(given.map_err(Error::from)?)?)
}

/// `pgperf.drop_workload`.
#[pg_extern(sql = false)]
fn drop_workload(name: Text) -> std::result::Result<bool, ErrorReport> {
    Ok(remove(&name)?)
}

/// The built-in workloads as the view `pgperf.workloads` of 1.1 and earlier shows them: each with its first script.
#[pg_extern(sql = false)]
fn builtin_workloads() -> TableIterator<
    'static,
    (
        name!(name, Text),
        name!(description, Text),
        name!(script, Text),
    ),
> {
    TableIterator::new(super::all().filter_map(|workload| {
        let script = scripts(workload).into_iter().next()?;
        Some((
            workload.name.into(),
            workload.description.into(),
            script.text.into(),
        ))
    }))
}

/// `pgperf_internal.built_in_workloads`: the built-in workloads as the view `pgperf.workloads` shows them.
#[pg_extern(sql = false)]
fn built_in_workloads() -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(name, Text),
            name!(description, Text),
            name!(scripts, Json),
        ),
    >,
    ErrorReport,
> {
    let rows: Result<Vec<_>> = super::all()
        .map(|workload| {
            let scripts = Json(serde_json::to_value(scripts(workload))?);
            Ok((workload.name.into(), workload.description.into(), scripts))
        })
        .collect();
    Ok(TableIterator::new(rows?))
}

/// The scripts of a workload whose tables were loaded with the default options.
fn scripts(workload: &Workload) -> Vec<ScriptSpec> {
    (workload.scripts)(&Params::of_tables(workload.family, "", Scale::NONE))
}

fn create(given: Given) -> Result<()> {
    let name = given
        .name
        .ok_or_else(|| invalid("name must not be NULL".to_owned()))?;
    check_name(&name)?;
    if given.script.is_some() && given.scripts.is_some() {
        return Err(invalid("scripts and script exclude each other".to_owned()));
    }
    let scripts = given_scripts(
        given.script.as_deref(),
        given.scripts.as_deref(),
        given.weights.as_deref(),
        &name,
    )?
    .ok_or_else(|| {
        hinted(
            "a workload needs a script".to_owned(),
            "Give its text as script, or several as scripts.",
        )
    })?;
    let definition = Definition {
        role: server::role_name(server::current_role()).unwrap_or_default(),
        description: given.description,
        scripts,
        variables: text_map("variables", given.variables.as_ref())?,
        settings: settings_map(given.settings.as_ref())?,
        name,
    };
    // As for a run in the default query mode.
    check_scripts(
        &definition.scripts,
        &definition.variables,
        QueryMode::Prepared,
    )?;
    check_settings(&definition.settings)?;
    match find(&definition.name)? {
        None => store(INSERT, &definition).map(|_| ()),
        Some(old) if !given.replace => Err(WorkloadError::Exists(old.name).into()),
        Some(old) => {
            check_control(&old)?;
            // It still belongs to its role, as a replaced function still belongs to its owner.
            let replaced = store(
                REPLACE,
                &Definition {
                    role: old.role,
                    ..definition
                },
            )?;
            match replaced {
                0 => Err(WorkloadError::Exists(old.name).into()),
                _ => Ok(()),
            }
        }
    }
}

fn remove(name: &str) -> Result<bool> {
    let Some(definition) = find(name)? else {
        return Ok(false);
    };
    check_control(&definition)?;
    let removed = role::as_owner(|| {
        spi::execute(
            "DELETE FROM pgperf_internal.stored_workloads WHERE name = $1 AND role = $2",
            &[
                definition.name.as_str().into(),
                definition.role.as_str().into(),
            ],
        )
    })?;
    Ok(removed > 0)
}

/// Checks that a name differs from those of the built-in workloads, and can be part of a mix.
fn check_name(name: &str) -> Result<()> {
    if super::all().any(|workload| workload.name == name) {
        return Err(invalid(format!(
            "\"{name}\" is the name of a built-in workload"
        )));
    }
    if name.is_empty() || name.trim() != name || name.contains([',', '@']) {
        return Err(hinted(
            format!("invalid workload name: \"{name}\""),
            "A name has no commas and no @, and neither begins nor ends with a space.",
        ));
    }
    Ok(())
}

fn check_control(definition: &Definition) -> Result<()> {
    if server::caller_controls(&definition.role) {
        return Ok(());
    }
    Err(WorkloadError::NotControllable {
        name: definition.name.clone(),
        role: definition.role.clone(),
    }
    .into())
}

fn store(sql: &str, definition: &Definition) -> Result<u64> {
    let document = Json(serde_json::to_value(definition)?);
    role::as_owner(|| spi::execute(sql, &[document.into()]))
}

const INSERT: &str = "INSERT INTO pgperf_internal.stored_workloads \
        (name, role, description, scripts, variables, settings) \
     SELECT d.name, d.role, d.description, d.scripts, d.variables, d.settings \
       FROM pg_catalog.jsonb_populate_record(NULL::pgperf_internal.stored_workloads, $1) d";
/// Replaces a workload only if it still belongs to that role.
const REPLACE: &str = "UPDATE pgperf_internal.stored_workloads w \
        SET description = d.description, scripts = d.scripts, variables = d.variables, \
            settings = d.settings, created_at = pg_catalog.clock_timestamp() \
       FROM pg_catalog.jsonb_populate_record(NULL::pgperf_internal.stored_workloads, $1) d \
      WHERE w.name = d.name AND w.role = d.role";
