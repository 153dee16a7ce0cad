//! For CI: a comparison that fails.

use super::row::{Comparison, Row, Verdict};
use crate::error::{Result, failure, invalid};
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::{Text, strings};
use measure::metrics::{self, Shown};
use pgrx::pg_sys::errcodes::PgSqlErrorCode::ERRCODE_ASSERT_FAILURE;
use pgrx::prelude::*;
use std::collections::HashSet;

/// What is checked unless the caller says otherwise, as far as the runs have it.
fn default_metrics() -> impl Iterator<Item = &'static str> {
    metrics::shown(Shown::Gated).map(|metric| metric.name)
}

/// One condition and whether it was met.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub name: String,
    pub passed: bool,
    /// What was seen.
    pub message: String,
}

/// Checks that no metric is worse than its baseline by more than `limit_percent`, as far as that is more than
/// noise; where nothing tells what is noise, the change itself counts. What cannot be compared does not pass.
///
/// # Errors
/// A metric that the runs do not have, or of which neither more nor less is better.
pub fn checks(
    comparison: &Comparison,
    limit_percent: f64,
    metrics: Option<&[String]>,
) -> Result<Vec<Check>> {
    let judged = |name: &str| {
        comparison
            .rows
            .iter()
            .find(|row| row.object.is_none() && row.metric == name && row.baseline_text.is_none())
    };
    let Some(metrics) = metrics else {
        // A rate that was given says nothing.
        let wanted =
            default_metrics().filter(|name| *name != "tps" || comparison.headline == "tps");
        let found = wanted.filter_map(&judged);
        return Ok(found.map(|row| check(row, limit_percent)).collect());
    };
    if metrics.is_empty() {
        return Err(invalid("metrics must not be empty").hinting(format!(
            "Leave it out for the usual ones: {}.",
            default_metrics().collect::<Vec<_>>().join(", ")
        )));
    }
    let mut seen = HashSet::new();
    if let Some(name) = metrics.iter().find(|name| !seen.insert(*name)) {
        return Err(invalid(format!("metrics names \"{name}\" more than once")));
    }
    metrics
        .iter()
        .map(|name| match judged(name) {
            Some(row) if row.direction.is_some() => Ok(check(row, limit_percent)),
            Some(_) => Err(invalid(format!(
                "metric \"{name}\" cannot be gated: neither more nor less of it is better"
            ))),
            None => Err(invalid(format!("the runs have no metric \"{name}\""))
                .hinting("pgperf.compare lists what they have.")),
        })
        .collect()
}

fn check(row: &Row, limit_percent: f64) -> Check {
    let regression = row.regression_percent();
    let beyond = regression.is_some_and(|regression| regression > limit_percent);
    let passed = match &row.verdict {
        Verdict::NotComparable(_) => false,
        Verdict::SingleObservation => !beyond,
        verdict => !(beyond && *verdict == Verdict::Worse),
    };
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.6}"));
    let mut message = format!(
        "{}: {} -> {}",
        row.metric,
        trimmed(number(row.baseline)),
        trimmed(number(row.candidate))
    );
    if let Some(change) = row.delta.change_percent {
        message += &format!(", {change:+.1} %");
    }
    if let Some((low, high)) = row.delta.ends() {
        message += &format!(" ({low:+.1} to {high:+.1})");
    }
    Check {
        name: row.metric.clone(),
        passed,
        message: format!(
            "{message}, {}; at most {limit_percent} % worse",
            row.verdict
        ),
    }
}

/// Without the zeros that say nothing.
fn trimmed(number: String) -> String {
    if number.contains('.') {
        number
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        number
    }
}

/// The percentage of a text such as `5%`.
pub fn limit(text: &str) -> Result<f64> {
    let number = text.trim().trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(limit) if limit.is_finite() && limit >= 0.0 => Ok(limit),
        _ => Err(invalid(format!(
            "max_regression must be a percentage, not \"{text}\""
        ))
        .hinting("Write it as '5%'.")),
    }
}

/// Lines of what passed; an error with all lines if anything did not.
pub fn require(what: String, checks: &[Check]) -> Result<Vec<String>> {
    let line = |check: &Check| {
        let mark = if check.passed { "ok" } else { "FAILED" };
        format!("{mark}: {}", check.message)
    };
    let lines: Vec<String> = checks.iter().map(line).collect();
    let failed = checks.iter().filter(|check| !check.passed).count();
    if failed > 0 || checks.is_empty() {
        let message = match checks.len() {
            0 => format!("{what} has nothing that can be checked"),
            all => format!("{what} fails {failed} of {all} checks"),
        };
        // A handler of OTHERS in PL/pgSQL does not catch it.
        return Err(failure(ERRCODE_ASSERT_FAILURE, message).detailed(lines.join("\n")));
    }
    Ok(lines)
}

/// What the functions allow whose caller says nothing.
const DEFAULT_LIMIT: &str = "5%";

/// `pgperf_internal.gate_runs`: what `pgperf.gate` does.
#[pg_extern(sql = false)]
fn gate_runs(
    candidate: Option<Vec<Option<Text>>>,
    baseline: Option<Vec<Option<Text>>>,
    max_regression: Option<Text>,
    metrics: Option<Vec<Option<Text>>>,
) -> Called<Lines> {
    let allowed = max_regression.as_deref().unwrap_or(DEFAULT_LIMIT);
    let limit = limit(allowed)?;
    let metrics: Option<Vec<String>> = metrics
        .map(|metrics| strings(metrics).into_iter().collect::<Option<_>>())
        .map(|names| names.ok_or_else(|| invalid("metrics must not hold NULL".to_owned())))
        .transpose()?;
    let comparison = super::of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        None,
    )?;
    super::warn(&comparison);
    let checks = checks(&comparison, limit, metrics.as_deref())?;
    let what = format!("the comparison with the baseline, {allowed} allowed,");
    Ok(called::lines(require(what, &checks)?))
}
