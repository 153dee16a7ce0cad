//! `pgperf.findings`, which reads with the caller's rights.

use super::super::window::Window;
use super::judge::{Finding, judge, statements};
use super::rule::Severity;
use super::settings::Thresholds;
use crate::error::Result;
use crate::pg::catalog::role::with_settings;
use crate::pg::sql::called::{self, Called};
use crate::pg::sql::text::{Json, Text};
use crate::show::span::ahead;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;

type Moment = Option<TimestampWithTimeZone>;

/// `pgperf_internal.judge_window(from_time timestamptz, to_time timestamptz, node text)`: all rows as one array.
#[pg_extern(sql = false)]
pub fn findings_between(from_time: Moment, to_time: Moment, node: Option<Text>) -> Called<Json> {
    document(|| Window::between(from_time, to_time, node.as_deref()))
}

/// `pgperf_internal.judge_window(run text)`.
#[pg_extern(sql = false)]
fn findings_by_name(run: Option<Text>) -> Called<Json> {
    document(|| Window::of_run("run", run.as_deref()))
}

fn document(window: impl FnOnce() -> Result<Window>) -> Called<Json> {
    let findings = with_settings(|| found(&window()?))?;
    called::document(&findings)
}

fn found(window: &Window) -> Result<Vec<Finding>> {
    let thresholds = Thresholds::load()?;
    let samples = ahead::load(&window.span, statements(&thresholds))?;
    Ok(judge(&samples, &thresholds)?.findings)
}

/// How many findings of each severity the last hour has, without those that are part of others.
pub fn last_hour() -> Result<[(Severity, usize); 3]> {
    let findings = found(&Window::between(None, None, None)?)?;
    Ok(Severity::ALL.map(|severity| (severity, Finding::count(&findings, severity))))
}
