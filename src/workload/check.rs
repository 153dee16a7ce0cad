//! `pgperf.check`: a workload's consistency conditions, read with the caller's rights.

use super::family::Workload;
use super::given::Given;
use super::named::{Named, named};
use super::own::Own;
use super::own::query::conditions;
use super::params::Params;
use super::place::Here;
use super::scale::Scale;
use super::tables::{Tables, schemas_of};
use crate::error::{Result, hinted};
use crate::pg::catalog::role;
use crate::pg::sql::spi;
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;

type Row = (Text, bool, Option<Text>);

/// `pgperf.check` until 1.1.
#[pg_extern(sql = false)]
fn check(
    workload: Option<Text>,
    schema: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(check_name, Text),
            name!(passed, bool),
            name!(detail, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    rows(workload, schema, false)
}

/// `pgperf.check`.
#[pg_extern(sql = false)]
fn check_data(
    workload: Option<Text>,
    schema: Option<Text>,
    full: Option<bool>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(check_name, Text),
            name!(passed, bool),
            name!(detail, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    rows(workload, schema, full.unwrap_or(false))
}

fn rows<'a>(
    workload: Option<Text>,
    schema: Option<Text>,
    full: bool,
) -> std::result::Result<TableIterator<'a, Row>, ErrorReport> {
    let name = workload.as_deref().unwrap_or(super::default().name);
    Ok(TableIterator::new(run(name, schema.as_deref(), full)?))
}

fn run(name: &str, schema: Option<&str>, full: bool) -> Result<Vec<Row>> {
    let workload = named(name)?;
    match &workload {
        Named::BuiltIn(built_in) => of_family(&workload, built_in, schema, full),
        Named::Stored(definition) => of_author(&workload, &definition.own, schema),
    }
}

fn of_family(
    named: &Named,
    workload: &Workload,
    schema: Option<&str>,
    full: bool,
) -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct CheckResult {
        passed: Option<bool>,
        detail: Option<String>,
    }
    let tables = Tables::of(&mut Here, named, schema, &Given::new())?;
    let names = workload.family.tables(tables.params());
    schemas_of(&mut Here, named, &names, schema, &Given::new())?;
    let params = with_scale(&tables)?;
    let conditions = (workload.checks)(&params).into_iter().map(|check| {
        // With the caller's rights, but not with operators that the caller's search_path finds.
        let outcome: Option<CheckResult> =
            role::with_settings(|| spi::select_one(&check.sql, &[]))?;
        let (passed, detail) =
            outcome.map_or((None, None), |outcome| (outcome.passed, outcome.detail));
        Ok((check.name.into(), passed.unwrap_or(false), detail.map(Text)))
    });
    let answers = match full {
        true => workload.family.answers(&params)?,
        false => Vec::new(),
    };
    let answers = answers.into_iter().map(|answer| {
        let difference = answer.difference()?;
        let name = format!("the answer of {} is that of another plan", answer.name);
        Ok((name.into(), difference.is_none(), difference.map(Text)))
    });
    conditions.chain(answers).collect()
}

/// The conditions that the author of a stored workload has given.
fn of_author(named: &Named, own: &Own, schema: Option<&str>) -> Result<Vec<Row>> {
    let sql = own.check_sql.as_deref();
    let sql = sql.ok_or_else(|| {
        hinted(
            format!("workload \"{}\" has no conditions to check", own.name),
            "Give check_sql to pgperf.create_workload.",
        )
    })?;
    let tables = Tables::of(&mut Here, named, schema, &Given::new())?;
    let params = with_scale(&tables)?;
    let schema = Some(params.schema.as_str()).filter(|schema| !schema.is_empty());
    let conditions = conditions(sql, &own.values(&params), schema)?.into_iter();
    let rows = conditions.map(|condition| {
        (
            condition.name.into(),
            condition.passed,
            condition.detail.map(Text),
        )
    });
    Ok(rows.collect())
}

/// # Errors
/// pgperf has begun to load the tables and has not ended.
fn with_scale(tables: &Tables) -> Result<Params> {
    let scale = match tables.scale(&mut Here)? {
        Some(scale) => scale,
        None => {
            tables.check_complete()?;
            Scale::NONE
        }
    };
    Ok(Params {
        scale,
        ..tables.params().clone()
    })
}
