//! `pgperf.compare`, `pgperf.compare_report`, `pgperf.compare_markdown`, `pgperf.compare_html` and `pgperf.version_table`.

use super::report::{report, sides};
use super::{Comparison, Side, of_named, versions, warn};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::rows;
use crate::pg::sql::text::{Text, strings};
use crate::report::conditions::Conditions;
use crate::report::model::Key;
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
fn compare_runs(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Called<()> {
    let comparison = compared(baseline, candidate, pair_by)?;
    warn(&comparison);
    Ok(rows::give(fcinfo, comparison.rows)?)
}

/// `pgperf_internal.compare_lines`: implements all forms of `pgperf.compare_report`.
#[pg_extern(sql = false)]
fn compare_lines(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> Called<Lines> {
    let comparison = compared(baseline, candidate, pair_by)?;
    let report = report(&comparison, &conditions(&comparison)?, None);
    Ok(called::lines(report.lines()))
}

/// `pgperf_internal.compare_comment`: implements all forms of `pgperf.compare_markdown`.
#[pg_extern(sql = false)]
fn compare_comment(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
) -> Called<Text> {
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
) -> Called<Text> {
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
) -> Called<Lines> {
    let is_comment = versions::is_comment(style.as_deref())?;
    let comparison = compared(baseline, candidate, pair_by)?;
    let report = versions::report(&comparison, relation.as_deref())?;
    let lines = match is_comment {
        true => report.comment().lines().map(str::to_owned).collect(),
        false => report.lines(),
    };
    Ok(called::lines(lines))
}

/// `pgperf_internal.version_lines`, as 1.2 declares it: such an extension is created with this library, too, and then updated.
#[pg_extern(sql = false)]
fn version_lines(
    baseline: Option<Vec<Option<Text>>>,
    candidate: Option<Vec<Option<Text>>>,
    pair_by: Option<Text>,
    style: Option<Text>,
) -> Called<Lines> {
    version_rows(baseline, candidate, pair_by, style, None)
}
