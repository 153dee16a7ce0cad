//! The report of a run, in words and numbers.
//!
//! [`stored_run`] reads the stored data about a run, and [`text`] turns it into lines: pgbench's report first, then details;
//! or the report of a load. [`call`] writes the call that reproduces the run.
//!
//! [`conditions`] has those of one or several runs, [`work`] the parts that depend on the kind of run, [`topics`] each subject of a run once, for text, comment and page.
//!
//! [`model`] reads everything known about a run; [`html`] makes a page of it, [`markdown`] a comment
//! for a pull request; [`pages`] has the calls.

pub mod alternation;
pub mod call;
pub mod conditions;
pub mod disturbances;
pub mod hit_curve;
pub mod html;
pub mod markdown;
pub mod model;
mod pages;
pub mod precision;
pub mod stored_run;
pub mod text;
pub mod topics;
pub mod work;

use crate::catalog::runs::{ExistingRun, by_id, named};
use crate::error::{Result, hinted};
use crate::pg::catalog::role::as_owner;
use crate::pg::error::say;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::Text;
use crate::show::encoding;
use pgrx::prelude::*;

/// The program whose words and formats a report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// pgbench's lines, then what pgperf knows besides.
    Pgbench,
    /// sysbench's lines alone.
    Sysbench,
}

impl Style {
    fn named(name: Option<&str>) -> Result<Style> {
        match name {
            None | Some("pgbench") => Ok(Style::Pgbench),
            Some("sysbench") => Ok(Style::Sysbench),
            Some(other) => Err(hinted(
                format!("unknown style \"{other}\""),
                "Styles are: pgbench, sysbench.",
            )),
        }
    }
}

/// The report of a run, one string a line.
///
/// # Errors
/// The current user may not see the run.
fn of_found(run: ExistingRun, style: Style) -> Result<Vec<String>> {
    run.check_visible()?;
    let facts = as_owner(|| stored_run::load(&run))?;
    Ok(match style {
        Style::Pgbench => text::lines(&facts, encoding::is_unicode()),
        Style::Sysbench => text::sysbench::lines(&facts),
    })
}

fn lines(run: ExistingRun, style: Style) -> Called<Lines> {
    Ok(called::lines(of_found(run, style)?))
}

/// `pgperf.report(run_id bigint)`.
#[pg_extern(sql = false)]
fn report(run_id: Option<i64>) -> Called<Lines> {
    lines(by_id(run_id)?, Style::Pgbench)
}

/// `pgperf.report(run text)`.
#[pg_extern(sql = false)]
fn report_by_name(run: Option<Text>) -> Called<Lines> {
    lines(named(run.as_deref())?, Style::Pgbench)
}

/// `pgperf.report(run_id bigint, style text)`.
#[pg_extern(sql = false)]
fn report_in_style(run_id: Option<i64>, style: Option<Text>) -> Called<Lines> {
    lines(by_id(run_id)?, Style::named(style.as_deref())?)
}

/// `pgperf.report(run text, style text)`.
#[pg_extern(sql = false)]
fn report_by_name_in_style(run: Option<Text>, style: Option<Text>) -> Called<Lines> {
    lines(named(run.as_deref())?, Style::named(style.as_deref())?)
}

/// `pgperf_internal.print_report`: the report as one message.
#[pg_extern(sql = false)]
fn print_report(run_id: Option<i64>) -> Called<()> {
    let lines = of_found(by_id(run_id)?, Style::Pgbench)?;
    say(
        PgLogLevel::INFO,
        format!("report of the run\n{}", lines.join("\n")),
    );
    Ok(())
}
