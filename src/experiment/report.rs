//! What is shown of sweeps: [`facts`] reads one, [`call`] writes the call that started it, [`sweep`] makes a report of it, with its [`points`], [`super::side_by_side`] one of
//! several. Each report is data, which [`crate::show::blocks`] writes as text, comment and page.

pub mod call;
pub mod facts;
pub mod points;
mod servers;
mod sweep;

#[cfg(test)]
pub use sweep::report as report_of;
pub use sweep::{heading, judged};

use super::side_by_side;
use super::sweeps::{self, ExistingSweep, names};
use crate::error::Result;
use crate::pg::error::say;
use crate::pg::sql::called::{self, Called, Lines};
use crate::pg::sql::text::{Text, strings};
use crate::show::blocks::Report;
use pgrx::prelude::*;

/// That of one sweep or of several, in the order given.
fn of(found: &[ExistingSweep]) -> Result<Report> {
    match found {
        [one] => Ok(sweep::report(&facts::load(one)?)),
        several => side_by_side::report_of(several),
    }
}

/// That of the sweeps with these names.
fn of_named(sweeps: Option<Vec<Option<Text>>>) -> Result<Report> {
    of(&names::resolve(&strings(sweeps.unwrap_or_default()))?)
}

fn of_id(sweep_id: Option<i64>) -> Result<Report> {
    of(&[sweeps::by_id(sweep_id)?])
}

/// `pgperf.sweep_report(sweep_id bigint)`; NULL: the newest.
#[pg_extern(sql = false)]
fn sweep_report(sweep_id: Option<i64>) -> Called<Lines> {
    Ok(called::lines(of_id(sweep_id)?.lines()))
}

/// `pgperf_internal.print_sweep_report`: the report as one message.
#[pg_extern(sql = false)]
fn print_sweep_report(sweep_id: Option<i64>) -> Called<()> {
    let lines = of_id(sweep_id)?.lines().join("\n");
    say(PgLogLevel::INFO, format!("report of the sweep\n{lines}"));
    Ok(())
}

/// `pgperf.sweep_markdown(sweep_id bigint)`.
#[pg_extern(sql = false)]
fn sweep_markdown(sweep_id: Option<i64>) -> Called<Text> {
    Ok(of_id(sweep_id)?.comment().into())
}

/// `pgperf.sweep_html(sweep_id bigint)`.
#[pg_extern(sql = false)]
fn sweep_html(sweep_id: Option<i64>) -> Called<Text> {
    Ok(of_id(sweep_id)?.page().into())
}

/// `pgperf_internal.sweep_lines`: implements the forms of `pgperf.sweep_report` that name sweeps.
#[pg_extern(sql = false)]
fn sweep_lines(sweeps: Option<Vec<Option<Text>>>) -> Called<Lines> {
    Ok(called::lines(of_named(sweeps)?.lines()))
}

/// `pgperf_internal.sweep_comment`: implements those of `pgperf.sweep_markdown`.
#[pg_extern(sql = false)]
fn sweep_comment(sweeps: Option<Vec<Option<Text>>>) -> Called<Text> {
    Ok(of_named(sweeps)?.comment().into())
}

/// `pgperf_internal.sweep_page`: implements those of `pgperf.sweep_html`.
#[pg_extern(sql = false)]
fn sweep_page(sweeps: Option<Vec<Option<Text>>>) -> Called<Text> {
    Ok(of_named(sweeps)?.page().into())
}

#[cfg(test)]
mod tests;
