//! `pgperf.compare`, `pgperf.compare_report`, `pgperf.compare_markdown`, `pgperf.compare_html` and `pgperf.version_table`.

use super::report::{report, sides};
use super::{Comparison, Side, of_named, versions, warn};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::{Text, strings};
use crate::report::conditions::Conditions;
use crate::report::model::Key;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

fn compared(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> Result<Comparison> {
    of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        pair_by.as_deref(),
    )
}

/// `pgperf_internal.compare_runs`: implements all forms of `pgperf.compare`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn compare_runs(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(category, Text),
            name!(object, Option<Text>),
            name!(metric, Text),
            name!(unit, Option<Text>),
            name!(direction, Option<Text>),
            name!(baseline, Option<f64>),
            name!(candidate, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(n_baseline, Option<i32>),
            name!(n_candidate, Option<i32>),
            name!(verdict, Text),
            name!(p_adjusted, Option<f64>),
            name!(method, Option<Text>),
            name!(baseline_text, Option<Text>),
            name!(candidate_text, Option<Text>),
        ),
    >,
    ErrorReport,
> {
    let comparison = compared(baseline, candidate, pair_by)?;
    warn(&comparison);
    Ok(TableIterator::new(comparison.rows.into_iter().map(|row| {
        (
            row.category.into(),
            row.object.map(Text),
            row.metric.into(),
            row.unit.map(Text),
            row.direction.map(|direction| direction.name().into()),
            row.baseline,
            row.candidate,
            row.delta.change_percent,
            row.delta.ci_low_percent,
            row.delta.ci_high_percent,
            row.delta.p_value,
            row.n_baseline.map(|n| n as i32),
            row.n_candidate.map(|n| n as i32),
            row.verdict.to_string().into(),
            row.delta.p_adjusted,
            row.method.map(|method| method.name.into()),
            row.baseline_text.map(Text),
            row.candidate_text.map(Text),
        )
    })))
}

/// `pgperf_internal.compare_lines`: implements all forms of `pgperf.compare_report`.
#[pg_extern(sql = false)]
fn compare_lines(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    let comparison = compared(baseline, candidate, pair_by)?;
    let lines = report(&comparison, &conditions(&comparison)?, None).lines();
    Ok(SetOfIterator::new(lines.into_iter().map(Text)))
}

/// `pgperf_internal.compare_comment`: implements all forms of `pgperf.compare_markdown`.
#[pg_extern(sql = false)]
fn compare_comment(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<Text, ErrorReport> {
    let comparison = compared(baseline, candidate, pair_by)?;
    let conditions = conditions(&comparison)?;
    Ok(report(&comparison, &conditions, None).comment().into())
}

/// `pgperf_internal.compare_page`: implements all forms of `pgperf.compare_html`.
#[pg_extern(sql = false)]
fn compare_page(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<Text, ErrorReport> {
    let comparison = compared(baseline, candidate, pair_by)?;
    let [baseline, candidate] = keys(&comparison);
    let sides = as_owner(|| sides::load(&baseline, &candidate))?;
    let conditions = conditions(&comparison)?;
    Ok(report(&comparison, &conditions, sides.as_ref())
        .page()
        .into())
}

fn keys(comparison: &Comparison) -> [Vec<Key<'_>>; 2] {
    [&comparison.baseline, &comparison.candidate].map(|runs| runs.iter().map(key).collect())
}

fn conditions(comparison: &Comparison) -> Result<Conditions> {
    let sides = keys(comparison);
    as_owner(|| Conditions::load(sides.iter().map(Vec::as_slice)))
}

/// An imported run is stored under the node on which it ran.
fn key(run: &Side) -> Key<'_> {
    Key {
        node_id: &run.node_id,
        run_id: run.run_id,
    }
}

/// `pgperf_internal.version_rows`: implements all forms of `pgperf.version_table`.
#[pg_extern(sql = false)]
fn version_rows(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
    style: Option<Text>,
    relation: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    let is_comment = versions::is_comment(style.as_deref())?;
    let comparison = compared(baseline, candidate, pair_by)?;
    let report = versions::report(&comparison, relation.as_deref())?;
    let lines = match is_comment {
        true => report.comment().lines().map(str::to_owned).collect(),
        false => report.lines(),
    };
    Ok(SetOfIterator::new(lines.into_iter().map(Text)))
}

/// `pgperf_internal.version_lines`, as 1.2 declares it: such an extension is created with this library, too, and then updated.
#[pg_extern(sql = false)]
fn version_lines(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
    style: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    version_rows(baseline, candidate, pair_by, style, None)
}
