//! `pgperf.alternation`: the difference between two sides that alternated within a run.

use super::model::alternation::{Alternation, load};
use super::stored_run;
use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::hinted;
use crate::pg::catalog::role::as_owner;
use crate::pg::sql::called::Called;
use crate::pg::sql::rows;
use crate::pg::sql::text::Text;
use measure::turns::Side;
use pgrx::prelude::*;

/// `pgperf.alternation(run_id bigint)`.
#[pg_extern(sql = false)]
fn alternation(run_id: Option<i64>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&by_id(run_id)?, fcinfo)
}

/// `pgperf.alternation(run text)`.
#[pg_extern(sql = false)]
fn alternation_by_name(run: Option<Text>, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    give(&named(run.as_deref())?, fcinfo)
}

/// # Errors
/// The current user may not see the run, or it has no turns.
fn give(found: &ExistingRun, fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    found.check_visible()?;
    let key = [found.node_id.as_str().into(), found.run_id.into()];
    let alternation = as_owner(|| load(&stored_run::run(found)?, &key))?;
    let alternation = alternation.ok_or_else(|| {
        hinted(
            format!("run {} has no turns", found.run_id),
            "Start one with start_run(alternate => '{\"work_mem\": [\"4MB\", \"64MB\"]}').",
        )
    })?;
    Ok(rows::give(fcinfo, alternation.differences)?)
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
