//! `pgperf.alternation`: the difference between two sides that alternated within a run.

use super::model::alternation::{Alternation, load};
use super::{named, stored_run};
use crate::catalog::runs::{ExistingRun, by_id};
use crate::error::{Result, invalid};
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::text::Text;
use measure::turns::Side;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// `pgperf.alternation(run_id bigint)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn alternation(
    run_id: Option<i64>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(metric, Text),
            name!(unit, Text),
            name!(direction, Option<Text>),
            name!(a, Option<f64>),
            name!(b, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(blocks, i32),
            name!(verdict, Text),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&by_id(run_id)?)?))
}

/// `pgperf.alternation(run text)`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn alternation_by_name(
    run: Option<Text>,
) -> std::result::Result<
    TableIterator<
        'static,
        (
            name!(metric, Text),
            name!(unit, Text),
            name!(direction, Option<Text>),
            name!(a, Option<f64>),
            name!(b, Option<f64>),
            name!(change_percent, Option<f64>),
            name!(ci_low_percent, Option<f64>),
            name!(ci_high_percent, Option<f64>),
            name!(p_value, Option<f64>),
            name!(p_adjusted, Option<f64>),
            name!(blocks, i32),
            name!(verdict, Text),
        ),
    >,
    ErrorReport,
> {
    Ok(TableIterator::new(rows(&named(run.as_deref())?)?))
}

type Row = (
    Text,
    Text,
    Option<Text>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    i32,
    Text,
);

/// # Errors
/// The current user may not see the run, or it has no turns.
fn rows(found: &ExistingRun) -> Result<impl Iterator<Item = Row> + use<>> {
    found.check_visible()?;
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let alternation = as_owner(|| load(&stored_run::run(found)?, &key))?;
    let Some(alternation) = alternation else {
        return Err(
            invalid(format!("run {} has no turns", found.run_id)).hinting(
                "Start one with start_run(alternate => '{\"work_mem\": [\"4MB\", \"64MB\"]}').",
            ),
        );
    };
    Ok(alternation.differences.into_iter().map(|difference| {
        let text = |text: &str| Text(text.to_owned());
        (
            text(difference.metric),
            text(difference.unit),
            difference.direction.map(text),
            difference.a,
            difference.b,
            difference.delta.change_percent,
            difference.delta.ci_low_percent,
            difference.delta.ci_high_percent,
            difference.delta.p_value,
            difference.delta.p_adjusted,
            difference.blocks as i32,
            text(difference.verdict),
        )
    }))
}

/// What a side has: `work_mem = 4MB, enable_seqscan = off`, or `workload = tpcb-like`.
pub fn settings(alternation: &Alternation, side: Side) -> String {
    let settings = alternation.turns.settings.iter();
    let settings = settings.map(|(name, [a, b])| match side {
        Side::A => format!("{name} = {a}"),
        Side::B => format!("{name} = {b}"),
    });
    let scripts = alternation.turns.scripts.iter();
    let scripts = scripts.map(|scripts| scripts.of_side(side));
    scripts.chain(settings).collect::<Vec<_>>().join(", ")
}
