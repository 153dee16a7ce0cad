//! `pgperf.report_html`, `report_json`, `report_markdown`: a run as a page, a document, a comment.

use super::model::{self, Report};
use super::{html, markdown};
use crate::catalog::runs::{self, ExistingRun, named};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::server;
use crate::pg::sql::called::Called;
use crate::pg::sql::text::{Json, Text};
use crate::show::encoding;
use crate::show::section::read;
use crate::show::span::samples::Samples;
use crate::subject;
use pgrx::prelude::*;

/// What `read` makes of the run and its samples, with the rights to read both. Fails if the current user may not see the run.
fn of_run<T>(
    run: ExistingRun,
    read: impl FnOnce(Report, Option<Samples>) -> Result<T>,
) -> Result<T> {
    run.check_visible()?;
    let caller = server::current_role();
    as_owner(|| {
        let (report, samples) = model::load(&run, caller)?;
        read(report, samples)
    })
}

fn page(run: ExistingRun) -> Result<Text> {
    of_run(run, |report, samples| {
        let samples = samples.as_ref();
        let parts = samples.map(|samples| read::parts(subject::sections(), samples));
        Ok(html::run(&report, &parts.transpose()?.unwrap_or_default()).into())
    })
}

/// `pgperf.report_html(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_html(run_id: Option<i64>) -> Called<Text> {
    Ok(page(runs::by_id(run_id)?)?)
}

/// `pgperf.report_html(run text)`.
#[pg_extern(sql = false)]
fn report_html_by_name(run: Option<Text>) -> Called<Text> {
    Ok(page(named(run.as_deref())?)?)
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

fn document(run: ExistingRun) -> Called<Json> {
    let document = of_run(run, |mut report, samples| {
        if let Some(samples) = samples {
            report.add(&samples)?;
        }
        Ok(serde_json::to_value(report)?)
    });
    Ok(Json(document?))
}

/// `pgperf.report_markdown(run_id bigint)`.
#[pg_extern(sql = false)]
fn report_markdown(run_id: Option<i64>) -> Called<Text> {
    Ok(comment(runs::by_id(run_id)?)?)
}

/// `pgperf.report_markdown(run text)`.
#[pg_extern(sql = false)]
fn report_markdown_by_name(run: Option<Text>) -> Called<Text> {
    Ok(comment(named(run.as_deref())?)?)
}

fn comment(run: ExistingRun) -> Result<Text> {
    of_run(run, |report, _| {
        Ok(markdown::run(&report, encoding::is_unicode()).into())
    })
}
