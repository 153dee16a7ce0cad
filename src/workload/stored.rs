//! Workloads that users have stored: scripts under a name, with their variables and settings, and perhaps a data set.

use super::family::Workload;
use super::from_statements::Origin;
use super::own::sql::{AuthorSql, Values};
use super::own::{Own, options};
use super::params::Params;
use super::scale::Scale;
use super::script_checks::{check_scripts, check_settings};
use super::scripts::{ScriptSpec, given_scripts};
use crate::catalog::runs::may_see;
use crate::error::{Error, Result, failure, hinted, invalid};
use crate::pg::catalog::role;
use crate::pg::server;
use crate::pg::session::QueryMode;
use crate::pg::sql::spi;
use crate::pg::sql::text::{Json, Text};
use crate::pg::sql::{arguments, object};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::{
    ERRCODE_DUPLICATE_OBJECT, ERRCODE_INSUFFICIENT_PRIVILEGE,
};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A row of `pgperf_internal.stored_workloads`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    /// Its name, and its data set.
    #[serde(flatten)]
    pub own: Own,
    /// Who may replace and drop it.
    pub role: String,
    pub description: Option<String>,
    pub scripts: Vec<ScriptSpec>,
    pub variables: BTreeMap<String, String>,
    pub settings: BTreeMap<String, String>,
    /// An [`Origin`], if its statements were observed.
    #[serde(default)]
    pub origin: Option<Value>,
}

impl Definition {
    /// Where its statements were observed.
    pub fn origin(&self) -> Option<Origin> {
        serde_json::from_value(self.origin.clone()?).ok()
    }

    /// Fails unless the current user may know statements that were observed.
    pub fn check_visible(&self) -> Result<()> {
        if self.origin.is_none() || may_see(&self.role)? {
            return Ok(());
        }
        Err(failure(
            ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!(
                "must be a member of role \"{}\" or of pg_monitor to use workload \"{}\"",
                self.role, self.own.name
            ),
        ))
    }
}

/// The arguments of `create_workload`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CreateArguments {
    name: Option<String>,
    script: Option<String>,
    scripts: Option<Vec<Option<String>>>,
    weights: Option<Vec<Option<i32>>>,
    variables: Option<Value>,
    settings: Option<Value>,
    description: Option<String>,
    replace: bool,
    setup_sql: Option<String>,
    load_sql: Option<String>,
    check_sql: Option<String>,
    metrics_sql: Option<String>,
    options: Option<Value>,
}

/// The stored workload of this name.
pub fn find(name: &str) -> Result<Option<Definition>> {
    role::as_owner(|| {
        spi::select_one(
            "SELECT name, role, description, scripts, variables, settings, \
                    options, setup_sql, load_sql, check_sql, metrics_sql, origin \
               FROM pgperf_internal.stored_workloads WHERE name = $1",
            &[name.into()],
        )
    })
}

/// The names of all stored workloads.
pub fn names() -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct WorkloadName {
        name: String,
    }
    let rows: Vec<WorkloadName> = role::as_owner(|| {
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
    let given = arguments::by_name(fcinfo).and_then(arguments::read);
    Ok(create(given?)?)
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

fn create(given: CreateArguments) -> Result<()> {
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
    let variables = object::texts("variables", given.variables.as_ref())?;
    let definition = Definition {
        own: Own {
            name,
            options: options::check(given.options.as_ref(), &variables)?,
            setup_sql: given.setup_sql,
            load_sql: given.load_sql,
            check_sql: given.check_sql,
            metrics_sql: given.metrics_sql,
        },
        role: String::new(),
        description: given.description,
        scripts,
        variables,
        settings: object::settings(given.settings.as_ref())?,
        origin: None,
    };
    check_sql(&definition)?;
    keep(definition, given.replace)
}

fn exists(name: &str) -> Error {
    let message = format!("workload \"{name}\" already exists");
    failure(ERRCODE_DUPLICATE_OBJECT, message).hinting("Use replace => true to replace it.")
}

/// Checks that a workload may be stored under a name, before it is made.
pub(super) fn check_free(name: &str, replace: bool) -> Result<()> {
    match find(name)? {
        Some(old) if !replace => Err(exists(&old.own.name)),
        Some(old) => check_control(&old),
        None => Ok(()),
    }
}

/// Checks the scripts and settings of a workload, and stores it for the caller's role.
pub(super) fn keep(definition: Definition, replace: bool) -> Result<()> {
    let definition = Definition {
        role: server::role_name(server::current_role()).unwrap_or_default(),
        ..definition
    };
    // As for a run in the default query mode.
    check_settings("settings", &definition.settings)?;
    check_scripts(
        &definition.scripts,
        &definition.variables,
        &definition.settings,
        QueryMode::Prepared,
    )?;
    check_free(&definition.own.name, replace)?;
    match find(&definition.own.name)? {
        None => store(INSERT, &definition).map(|_| ()),
        Some(old) => {
            if definition.origin.is_some() && definition.role != old.role {
                return Err(hinted(
                    format!(
                        "workload \"{}\" belongs to role \"{}\", which would see the statements",
                        old.own.name, old.role
                    ),
                    "Choose another name, or drop it first.",
                ));
            }
            // It still belongs to its role, as a replaced function still belongs to its owner.
            let replaced = store(
                REPLACE,
                &Definition {
                    role: old.role,
                    ..definition
                },
            )?;
            match replaced {
                0 => Err(exists(&old.own.name)),
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
                definition.own.name.as_str().into(),
                definition.role.as_str().into(),
            ],
        )
    })?;
    Ok(removed > 0)
}

/// Checks the SQL of the data set, as far as that is possible before there is one. The values are examples.
fn check_sql(definition: &Definition) -> Result<()> {
    let own = &definition.own;
    if own.load_sql.is_some() && own.setup_sql.is_none() {
        return Err(hinted(
            "load_sql needs setup_sql".to_owned(),
            "Create in setup_sql the tables that load_sql fills.",
        ));
    }
    if own.setup_sql.is_some() && super::families().iter().any(|it| it.name() == own.name) {
        return Err(hinted(
            format!("\"{}\" is the name of a built-in data set", own.name),
            "Give the workload another name.",
        ));
    }
    let with = |further: &[&str]| {
        let mut values: Values = options::values(&own.options);
        let names = further.iter().map(|name| (*name).to_owned());
        values.extend(names.map(|name| (name, script::Value::Int(1))));
        values
    };
    if let Some(sql) = AuthorSql::optional("setup_sql", own.setup_sql.as_deref())? {
        sql.check_statements(&with(&["scale"]))?;
    }
    if let Some(sql) = AuthorSql::optional("load_sql", own.load_sql.as_deref())? {
        sql.check_statements(&with(&["part", "parts", "scale"]))?;
    }
    if let Some(sql) = AuthorSql::optional("check_sql", own.check_sql.as_deref())? {
        sql.check_query(&with(&["scale"]))?;
    }
    if let Some(sql) = AuthorSql::optional("metrics_sql", own.metrics_sql.as_deref())? {
        let mut values = with(&["scale", "seconds", "transactions"]);
        let variables = definition.variables.iter();
        values.extend(
            variables.map(|(name, text)| (name.clone(), script::Value::Text(text.as_str().into()))),
        );
        sql.check_query(&values)?;
    }
    Ok(())
}

/// Checks that a name differs from those of the built-in workloads, and can be part of a mix.
pub(super) fn check_name(name: &str) -> Result<()> {
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
    Err(failure(
        ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!(
            "must be a member of role \"{}\" to replace or drop workload \"{}\"",
            definition.role, definition.own.name
        ),
    ))
}

fn store(sql: &str, definition: &Definition) -> Result<u64> {
    let document = Json(serde_json::to_value(definition)?);
    role::as_owner(|| spi::execute(sql, &[document.into()]))
}

const INSERT: &str = "INSERT INTO pgperf_internal.stored_workloads \
        (name, role, description, scripts, variables, settings, options, setup_sql, load_sql, check_sql, metrics_sql, \
         origin) \
     SELECT d.name, d.role, d.description, d.scripts, d.variables, d.settings, d.options, d.setup_sql, d.load_sql, \
            d.check_sql, d.metrics_sql, d.origin \
       FROM pg_catalog.jsonb_populate_record(NULL::pgperf_internal.stored_workloads, $1) d";
/// Replaces a workload only if it still belongs to that role.
const REPLACE: &str = "UPDATE pgperf_internal.stored_workloads w \
        SET description = d.description, scripts = d.scripts, variables = d.variables, \
            settings = d.settings, options = d.options, setup_sql = d.setup_sql, load_sql = d.load_sql, \
            check_sql = d.check_sql, metrics_sql = d.metrics_sql, origin = d.origin, \
            created_at = pg_catalog.clock_timestamp() \
       FROM pg_catalog.jsonb_populate_record(NULL::pgperf_internal.stored_workloads, $1) d \
      WHERE w.name = d.name AND w.role = d.role";
