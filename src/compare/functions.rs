//! `pgperf.compare`, `pgperf.compare_report`, `pgperf.compare_markdown` and `pgperf.version_table`.

use super::versions::{self, Style};
use super::{markdown, of_named, text, warn};
use crate::pg::sql::text::{Text, strings};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

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
    let comparison = of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        pair_by.as_deref(),
    )?;
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
    let comparison = of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        pair_by.as_deref(),
    )?;
    Ok(SetOfIterator::new(
        text::lines(&comparison).into_iter().map(Text),
    ))
}

/// `pgperf_internal.compare_comment`: implements all forms of `pgperf.compare_markdown`.
#[pg_extern(sql = false)]
fn compare_comment(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> std::result::Result<Text, ErrorReport> {
    let comparison = of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        pair_by.as_deref(),
    )?;
    Ok(markdown::comment(&comparison).into())
}

/// `pgperf_internal.version_lines`: implements all forms of `pgperf.version_table`.
#[pg_extern(sql = false)]
fn version_lines(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
    style: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    let style = Style::named(style.as_deref())?;
    let comparison = of_named(
        &strings(baseline.unwrap_or_default()),
        &strings(candidate.unwrap_or_default()),
        pair_by.as_deref(),
    )?;
    Ok(SetOfIterator::new(
        versions::lines(&comparison, style).into_iter().map(Text),
    ))
}
