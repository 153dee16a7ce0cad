//! `pgperf.check`: a workload's consistency conditions, read with the caller's rights.

use super::family::Workload;
use super::given::Given;
use super::named::{Named, named};
use super::own::Own;
use super::own::query::conditions;
use super::own::sql::AuthorSql;
use super::params::Params;
use super::place::{self, Place};
use super::scale::Scale;
use super::tables::{Tables, schemas_of};
use crate::error::{Result, hinted};
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

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
    rows(workload, schema, false, None)
}

/// `pgperf.check` until 1.2.
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
    rows(workload, schema, full.unwrap_or(false), None)
}

/// `pgperf.check`.
#[pg_extern(sql = false)]
fn check_tables(
    workload: Option<Text>,
    schema: Option<Text>,
    full: Option<bool>,
    server: Option<Text>,
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
    rows(workload, schema, full.unwrap_or(false), server)
}

fn rows<'a>(
    workload: Option<Text>,
    schema: Option<Text>,
    full: bool,
    server: Option<Text>,
) -> std::result::Result<TableIterator<'a, Row>, ErrorReport> {
    let name = workload.as_deref().unwrap_or(super::default().name);
    if full && server.is_some() {
        let reason = "full compares answers of other plans, which it makes on the server that it is called on.";
        Err(hinted("full and server exclude each other", reason))?;
    }
    let mut place = place::open(server.as_deref())?;
    let rows = run(&mut *place, name, schema.as_deref(), full)?;
    Ok(TableIterator::new(rows))
}

fn run(place: &mut dyn Place, name: &str, schema: Option<&str>, full: bool) -> Result<Vec<Row>> {
    let workload = named(name)?;
    match &workload {
        Named::BuiltIn(built_in) => of_family(place, &workload, built_in, schema, full),
        Named::Stored(definition) => of_author(place, &workload, &definition.own, schema),
    }
}

fn of_family(
    place: &mut dyn Place,
    named: &Named,
    workload: &Workload,
    schema: Option<&str>,
    full: bool,
) -> Result<Vec<Row>> {
    let tables = Tables::of(place, named, schema, &Given::new())?;
    let names = workload.family.tables(tables.params());
    schemas_of(place, named, &names, schema, &Given::new())?;
    let params = with_scale(place, &tables)?;
    let mut rows = Vec::new();
    for check in (workload.checks)(&params) {
        // One row: whether it holds, and what there is to say.
        let row = place.rows(&check.sql, None)?.into_iter().next();
        let mut cells = row.unwrap_or_default().into_iter();
        let mut next = || cells.next().flatten();
        let passed = next().is_some_and(|passed| passed == "true");
        rows.push((check.name.into(), passed, next().map(Text)));
    }
    if full {
        for answer in workload.family.answers(&params)? {
            let difference = answer.difference()?;
            let name = format!("the answer of {} is that of another plan", answer.name);
            rows.push((name.into(), difference.is_none(), difference.map(Text)));
        }
    }
    Ok(rows)
}

/// The conditions that the author of a stored workload has given.
fn of_author(
    place: &mut dyn Place,
    named: &Named,
    own: &Own,
    schema: Option<&str>,
) -> Result<Vec<Row>> {
    let sql = own.check_sql.as_deref();
    let sql = sql.ok_or_else(|| {
        hinted(
            format!("workload \"{}\" has no conditions to check", own.name),
            "Give check_sql to pgperf.create_workload.",
        )
    })?;
    let tables = Tables::of(place, named, schema, &Given::new())?;
    let params = with_scale(place, &tables)?;
    let schema = Some(params.schema.as_str()).filter(|schema| !schema.is_empty());
    let sql = AuthorSql::parse("check_sql", sql)?.query(&own.values(&params));
    let path = place.search_path(schema);
    let conditions = conditions(place.rows(&sql, Some(&path))?)?.into_iter();
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
fn with_scale(place: &mut dyn Place, tables: &Tables) -> Result<Params> {
    let scale = match tables.scale(place)? {
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
