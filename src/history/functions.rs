//! `pgperf.history_report`, `history_html`, `history_json`.
//!
//! They read with the caller's rights: a role that may not read the history gets nothing from them either.

use super::findings::Thresholds;
use super::model::{self, History};
use super::window::Window;
use super::{page, text};
use crate::error::Result;
use crate::pg::catalog::role::with_settings;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::{Json, Text};
use crate::show::encoding;
use crate::show::span::ahead;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;

type Moment = Option<TimestampWithTimeZone>;

fn load(window: impl FnOnce() -> Result<Window>) -> Result<History> {
    with_settings(|| {
        let window = window()?;
        let thresholds = Thresholds::load()?;
        let samples = ahead::load(&window.span, model::statements(&thresholds))?;
        model::load(window.with(&samples), &samples, &thresholds)
    })
}

fn report(history: &History) -> Lines {
    called::lines(text::lines(history, encoding::is_unicode()))
}

/// `pgperf.history_report(from_time timestamptz, to_time timestamptz, node text)`.
#[pg_extern(sql = false)]
pub fn history_report_between(
    from_time: Moment,
    to_time: Moment,
    node: Option<Text>,
) -> Called<Lines> {
    Ok(report(&load(|| {
        Window::between(from_time, to_time, node.as_deref())
    })?))
}

/// `pgperf.history_report(run text)`.
#[pg_extern(sql = false)]
fn history_report_by_name(run: Option<Text>) -> Called<Lines> {
    Ok(report(&load(|| Window::of_run("run", run.as_deref()))?))
}

/// `pgperf.history_html(from_time timestamptz, to_time timestamptz, node text)`.
#[pg_extern(sql = false)]
pub fn history_html_between(
    from_time: Moment,
    to_time: Moment,
    node: Option<Text>,
) -> Called<Text> {
    Ok(page::html(&load(|| {
        Window::between(from_time, to_time, node.as_deref())
    })?)
    .into())
}

/// `pgperf.history_html(run text)`.
#[pg_extern(sql = false)]
fn history_html_by_name(run: Option<Text>) -> Called<Text> {
    Ok(page::html(&load(|| Window::of_run("run", run.as_deref()))?).into())
}

/// `pgperf.history_json(from_time timestamptz, to_time timestamptz, node text)`.
#[pg_extern(sql = false)]
pub fn history_json_between(
    from_time: Moment,
    to_time: Moment,
    node: Option<Text>,
) -> Called<Json> {
    called::document(&load(|| {
        Window::between(from_time, to_time, node.as_deref())
    })?)
}

/// `pgperf.history_json(run text)`.
#[pg_extern(sql = false)]
fn history_json_by_name(run: Option<Text>) -> Called<Json> {
    called::document(&load(|| Window::of_run("run", run.as_deref()))?)
}
