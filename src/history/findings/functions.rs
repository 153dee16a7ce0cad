//! `pgperf.findings`, which reads with the caller's rights.

use super::super::nodes;
use super::super::window::Window;
use super::judge::{Finding, judge, statements};
use super::rule::Severity;
use super::settings::Thresholds;
use crate::error::{Error, Result};
use crate::pg::catalog::role::with_settings;
use crate::pg::sql::called::{self, Called};
use crate::pg::sql::text::{Json, Text};
use crate::show::span::{Span, ahead};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;
use serde::Serialize;

type Moment = Option<TimestampWithTimeZone>;

/// `pgperf_internal.judge_window(from_time timestamptz, to_time timestamptz, node text)`: all rows as one array.
#[pg_extern(sql = false)]
pub fn findings_between(from_time: Moment, to_time: Moment, node: Option<Text>) -> Called<Json> {
    if node.as_deref() != Some(nodes::ALL) {
        return document(|| Window::between(from_time, to_time, node.as_deref()));
    }
    let findings = with_settings(|| {
        let window = Window::between(from_time, to_time, None)?;
        let mut all = Vec::new();
        for node in nodes::sampled(&window.span, None)? {
            if node.has_samples {
                let findings = found(&window.span.of_node(node.node_id)?)?;
                all.extend(of_node(Some(&node.name), findings));
            }
        }
        Ok::<_, Error>(all)
    })?;
    called::document(&findings)
}

/// A finding, and the name of the node that it is of.
#[derive(Serialize)]
struct NodeFinding {
    node_name: Option<String>,
    #[serde(flatten)]
    finding: Finding,
}

fn of_node(
    name: Option<&str>,
    findings: Vec<Finding>,
) -> impl Iterator<Item = NodeFinding> + use<> {
    let node_name = name.map(str::to_owned);
    findings.into_iter().map(move |finding| NodeFinding {
        node_name: node_name.clone(),
        finding,
    })
}

/// `pgperf_internal.judge_window(run text)`.
#[pg_extern(sql = false)]
fn findings_by_name(run: Option<Text>) -> Called<Json> {
    document(|| Window::of_run("run", run.as_deref()))
}

fn document(window: impl FnOnce() -> Result<Window>) -> Called<Json> {
    let findings: Vec<NodeFinding> = with_settings(|| {
        let window = window()?;
        let findings = found(&window.span)?;
        Ok::<_, Error>(of_node(window.node_name.as_deref(), findings).collect())
    })?;
    called::document(&findings)
}

fn found(span: &Span) -> Result<Vec<Finding>> {
    let thresholds = Thresholds::load()?;
    let samples = ahead::load(span, statements(&thresholds))?;
    Ok(judge(&samples, &thresholds)?.findings)
}

/// How many findings of each severity the last hour has, without those that are part of others.
pub fn last_hour() -> Result<[(Severity, usize); 3]> {
    let findings = found(&Window::between(None, None, None)?.span)?;
    Ok(Severity::ALL.map(|severity| (severity, Finding::count(&findings, severity))))
}
