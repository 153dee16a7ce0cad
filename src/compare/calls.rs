//! `pgperf.compare`, `pgperf.compare_report`, `pgperf.compare_markdown` and `pgperf.version_table`.

use super::versions::{self, Style};
use super::{markdown, of_named, text};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.compare_runs`: what all forms of `pgperf.compare` do.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn compare_runs(
    baseline: Vec<Option<String>>,
    candidate: Vec<Option<String>>,
    pair_by: Option<&str>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(category, String),
            name!(object, Option<String>),
            name!(metric, String),
            name!(unit, Option<String>),
            name!(direction, Option<&'static str>),
            name!(baseline, Option<f64>),
            name!(candidate, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(n_baseline, Option<i32>),
            name!(n_candidate, Option<i32>),
            name!(verdict, String),
            name!(p_adjusted, Option<f64>),
            name!(method, Option<&'static str>),
            name!(baseline_text, Option<String>),
            name!(candidate_text, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let comparison = of_named(&baseline, &candidate, pair_by)?;
    Ok(TableIterator::new(comparison.rows.into_iter().map(|row| {
        (
            row.category,
            row.object,
            row.metric,
            row.unit,
            row.direction.map(|direction| direction.name()),
            row.baseline,
            row.candidate,
            row.change_percent,
            row.ci_low_percent,
            row.ci_high_percent,
            row.p_value,
            row.n_baseline.map(|n| n as i32),
            row.n_candidate.map(|n| n as i32),
            row.verdict.to_string(),
            row.p_adjusted,
            row.method.map(|method| method.name),
            row.baseline_text,
            row.candidate_text,
        )
    })))
}

/// `pgperf.compare_lines`: what all forms of `pgperf.compare_report` do.
#[pg_extern(sql = false)]
fn compare_lines(
    baseline: Vec<Option<String>>,
    candidate: Vec<Option<String>>,
    pair_by: Option<&str>,
) -> std::result::Result<SetOfIterator<'static, String>, ErrorReport> {
    let comparison = of_named(&baseline, &candidate, pair_by)?;
    Ok(SetOfIterator::new(text::lines(&comparison)))
}

/// `pgperf.compare_comment`: what all forms of `pgperf.compare_markdown` do.
#[pg_extern(sql = false)]
fn compare_comment(
    baseline: Vec<Option<String>>,
    candidate: Vec<Option<String>>,
    pair_by: Option<&str>,
) -> std::result::Result<String, ErrorReport> {
    let comparison = of_named(&baseline, &candidate, pair_by)?;
    Ok(markdown::comment(&comparison))
}

/// `pgperf.version_lines`: what all forms of `pgperf.version_table` do.
#[pg_extern(sql = false)]
fn version_lines(
    baseline: Vec<Option<String>>,
    candidate: Vec<Option<String>>,
    pair_by: Option<&str>,
    style: Option<&str>,
) -> std::result::Result<SetOfIterator<'static, String>, ErrorReport> {
    let style = Style::named(style)?;
    let comparison = of_named(&baseline, &candidate, pair_by)?;
    Ok(SetOfIterator::new(versions::lines(&comparison, style)))
}
