//! `pgperf.report_html`, `report_json`, `report_markdown`: a run as a page, a document, a comment.

use super::model::{self, Report};
use super::{html, markdown, named};
use crate::catalog::runs::{self, Found};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::text::{Json, Text};
use crate::show::encoding;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

type Called<T> = std::result::Result<T, ErrorReport>;

/// Fails if the current user may not see the run.
fn load(run: Found) -> Result<Report> {
    run.check_visible()?;
    let caller = server::current_role();
    as_owner(|| model::load(&run, caller))
}

/// `pgperf.report_html(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_html(run_id: Option<i64>) -> Called<Text> {
    Ok(html::run(&load(runs::by_id(run_id)?)?).into())
}

/// `pgperf.report_html(run text)`.
#[pg_extern(sql = false)]
fn report_html_by_name(run: Option<Text>) -> Called<Text> {
    Ok(html::run(&load(named(run.as_deref())?)?).into())
}

/// `pgperf.report_json(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_json(run_id: Option<i64>) -> Called<Json> {
    document(runs::by_id(run_id)?)
}

/// `pgperf.report_json(run text)`.
#[pg_extern(sql = false)]
fn report_json_by_name(run: Option<Text>) -> Called<Json> {
    document(named(run.as_deref())?)
}

fn document(run: Found) -> Called<Json> {
    let document = serde_json::to_value(load(run)?).map_err(crate::error::Error::from)?;
    Ok(Json(document))
}

/// `pgperf.report_markdown(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_markdown(run_id: Option<i64>) -> Called<Text> {
    let report = load(runs::by_id(run_id)?)?;
    Ok(markdown::run(&report, encoding::is_unicode()).into())
}

/// `pgperf.report_markdown(run text)`.
#[pg_extern(sql = false)]
fn report_markdown_by_name(run: Option<Text>) -> Called<Text> {
    let report = load(named(run.as_deref())?)?;
    Ok(markdown::run(&report, encoding::is_unicode()).into())
}
