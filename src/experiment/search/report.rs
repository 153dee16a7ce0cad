//! The result of a search as text and as JSON.

use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::{Result, hinted};
use crate::pg::catalog::role;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::spi;
use crate::pg::sql::text::{Json, Text};
use crate::report::model::rate_search::{self, Outcome, RateSearch};
use crate::report::topics::rate_search::topic;
use crate::show::text::count;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The run of a search.
#[derive(Debug, Deserialize, Serialize)]
struct Searching {
    run_id: i64,
    workload: String,
    clients: Option<i32>,
}

/// `pgperf.rate_search_report(run_id bigint)`.
#[pg_extern(sql = false)]
fn rate_search_report(run_id: Option<i64>) -> Called<Lines> {
    Ok(called::lines(lines_of(&by_id(run_id)?)?))
}

/// `pgperf.rate_search_report(run text)`.
#[pg_extern(sql = false)]
fn rate_search_report_by_name(run: Option<Text>) -> Called<Lines> {
    Ok(called::lines(lines_of(&named(run.as_deref())?)?))
}

/// `pgperf.rate_search_json(run_id bigint)`.
#[pg_extern(sql = false)]
fn rate_search_json(run_id: Option<i64>) -> Called<Json> {
    Ok(document(&by_id(run_id)?)?)
}

/// `pgperf.rate_search_json(run text)`.
#[pg_extern(sql = false)]
fn rate_search_json_by_name(run: Option<Text>) -> Called<Json> {
    Ok(document(&named(run.as_deref())?)?)
}

fn document(run: &ExistingRun) -> Result<Json> {
    #[derive(Serialize)]
    struct Search<'a> {
        #[serde(flatten)]
        run: Searching,
        #[serde(flatten)]
        result: &'a Outcome,
    }
    let (run, RateSearch { result, steps }) = load(run)?;
    let result = &result;
    Ok(Json(
        json!({"search": Search { run, result }, "steps": steps}),
    ))
}

/// The report of a run's search.
pub fn lines_of(run: &ExistingRun) -> Result<Vec<String>> {
    let (run, search) = load(run)?;
    let clients = count(run.clients.unwrap_or(1).into(), "client");
    let title = format!(
        "search of a rate, run {}: {}, {clients}",
        run.run_id, run.workload
    );
    let lines = topic(&search).lines().into_iter().skip(1);
    Ok(std::iter::once(title).chain(lines).collect())
}

fn load(run: &ExistingRun) -> Result<(Searching, RateSearch)> {
    run.check_visible()?;
    let key = [run.node_id.as_str().into(), run.run_id.into()];
    role::as_owner(|| {
        let searching = spi::select_one(
            "SELECT run_id, workload, clients FROM pgperf.rate_searches WHERE node_id = $1::pg_catalog.uuid AND run_id = $2",
            &key,
        )?;
        searching.zip(rate_search::load(&key)?).ok_or_else(|| {
            hinted(
                format!("run {} is no search of a rate", run.run_id),
                "pgperf.rate_searches lists them; CALL pgperf.find_rate(...) makes one.",
            )
        })
    })
}
