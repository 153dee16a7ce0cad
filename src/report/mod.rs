//! The report of a run, in words and numbers.
//!
//! [`stored_run`] reads what is stored about a run, and [`text`] turns that into lines: pgbench's own report
//! first, then details, or what a load loaded; [`call`] writes the call that reproduces it.
//!
//! [`work`] has the parts that depend on the kind of run.
//!
//! [`model`] reads everything known about a run; [`html`] makes a page of it, with [`charts`], [`markdown`] a comment
//! for a pull request; [`pages`] has the calls.

mod call;
pub mod charts;
mod encoding;
pub mod html;
pub mod markdown;
pub mod model;
mod pages;

pub mod stored_run;
mod text;
pub mod work;

use crate::catalog::runs::{Found, by_id, by_name};
use crate::error::Result;
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::sql::text::Text;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// The report of a run of this node (None: the newest), one string a line.
///
/// Fails if there is no such run or the current user may not see it.
pub fn of_run(run_id: Option<i64>) -> Result<Vec<String>> {
    of_found(by_id(run_id)?)
}

/// The report of the run with this label or named as `node name/run_id`; errors as [`of_run`].
pub fn of_named(name: &str) -> Result<Vec<String>> {
    of_found(by_name(name)?)
}

fn of_found(run: Found) -> Result<Vec<String>> {
    run.check_visible()?;
    let facts = as_owner(|| stored_run::load(&run))?;
    Ok(text::lines(&facts, encoding::is_unicode()))
}

/// `pgperf.report(run_id bigint)`.
#[pg_extern(sql = false)]
fn report(run_id: Option<i64>) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    Ok(SetOfIterator::new(of_run(run_id)?.into_iter().map(Text)))
}

/// `pgperf.report(run text)`; NULL is the newest run here too.
#[pg_extern(sql = false)]
fn report_by_name(
    run: Option<Text>,
) -> std::result::Result<SetOfIterator<'static, Text>, ErrorReport> {
    let lines = match run {
        Some(name) => of_named(&name)?,
        None => of_run(None)?,
    };
    Ok(SetOfIterator::new(lines.into_iter().map(Text)))
}

/// `pgperf_internal.print_report`: the report as one message.
#[pg_extern(sql = false)]
fn print_report(run_id: Option<i64>) -> std::result::Result<(), ErrorReport> {
    let lines = of_run(run_id)?;
    say(
        PgLogLevel::INFO,
        format!("report of the run\n{}", lines.join("\n")),
    );
    Ok(())
}
