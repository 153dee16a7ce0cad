//! `pgperf.report_html`, `report_json`, `report_markdown`: a run as a page, a document, a comment; `compare_html`: a
//! comparison as a page.

use crate::compare;
use crate::error::Result;
use crate::pg::role::as_owner;
use crate::pg::text::{Json, Text, strings};
use crate::report::find::{self, Found};
use crate::report::model::{self, Key, Report};
use crate::report::{encoding, html, markdown};
use crate::sweep::find as sweeps;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

type Called<T> = std::result::Result<T, ErrorReport>;

/// Fails if the current user may not see the run.
fn load(run: Found) -> Result<Report> {
    run.check_visible()?;
    as_owner(|| model::load(&run))
}

/// NULL is the newest run here too.
fn found(run: Option<&str>) -> Result<Found> {
    run.map_or_else(|| find::by_id(None), find::by_name)
}

/// `pgperf.report_html(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_html(run_id: Option<i64>) -> Called<Text> {
    Ok(html::run(&load(find::by_id(run_id)?)?).into())
}

/// `pgperf.report_html(run text)`.
#[pg_extern(sql = false)]
fn report_html_by_name(run: Option<Text>) -> Called<Text> {
    Ok(html::run(&load(found(run.as_deref())?)?).into())
}

/// `pgperf.report_json(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_json(run_id: Option<i64>) -> Called<Json> {
    document(find::by_id(run_id)?)
}

/// `pgperf.report_json(run text)`.
#[pg_extern(sql = false)]
fn report_json_by_name(run: Option<Text>) -> Called<Json> {
    document(found(run.as_deref())?)
}

fn document(run: Found) -> Called<Json> {
    let document = serde_json::to_value(load(run)?).map_err(crate::error::Error::from)?;
    Ok(Json(document))
}

/// `pgperf.report_markdown(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_markdown(run_id: Option<i64>) -> Called<Text> {
    let report = load(find::by_id(run_id)?)?;
    Ok(markdown::run(&report, encoding::is_unicode()).into())
}

/// `pgperf.report_markdown(run text)`.
#[pg_extern(sql = false)]
fn report_markdown_by_name(run: Option<Text>) -> Called<Text> {
    let report = load(found(run.as_deref())?)?;
    Ok(markdown::run(&report, encoding::is_unicode()).into())
}

/// `pgperf_internal.compare_page`: what all forms of `pgperf.compare_html` do.
#[pg_extern(sql = false)]
fn compare_page(
    baseline: Vec<Option<Text>>,
    candidate: Vec<Option<Text>>,
    pair_by: Option<Text>,
) -> Called<Text> {
    let (baseline, candidate) = (strings(baseline), strings(candidate));
    let comparison = compare::of_named(&baseline, &candidate, pair_by.as_deref())?;
    let baseline: Vec<Key> = comparison.baseline.iter().map(key).collect();
    let candidate: Vec<Key> = comparison.candidate.iter().map(key).collect();
    let sides = as_owner(|| model::sides::load(&baseline, &candidate))?;
    Ok(html::compare::compare(&comparison, sides.as_ref()).into())
}

/// An imported run is stored under the node that it ran on.
fn key(run: &compare::Side) -> Key<'_> {
    Key {
        node_id: &run.node_id,
        run_id: run.run_id,
    }
}

/// `pgperf.sweep_html(sweep_id bigint)`; NULL: the newest.
#[pg_extern(sql = false)]
fn sweep_html(sweep_id: Option<i64>) -> Called<Text> {
    let found = sweeps::by_id(sweep_id)?;
    found.check_visible()?;
    let facts = as_owner(|| model::sweep::load(&found.node_id, found.sweep_id))?;
    Ok(html::sweep::sweep(&facts).into())
}
