//! The calls that take options, as the catalog should declare them: a regression test compares.

#[cfg(test)]
mod declared_test;

use crate::experiment::options::SweepOptions;
use crate::pg::sql::called::Called;
use crate::pg::sql::options::{Argument, Options};
use crate::pg::sql::rows;
use crate::run::request::options::Options as RunOptions;
use crate::run::request::start_load;
use pgrx::prelude::*;
use serde_json::json;

/// `pgperf_internal.call_options`.
#[pg_extern(sql = false)]
fn call_options(fcinfo: pg_sys::FunctionCallInfo) -> Called<()> {
    let options = calls().into_iter().flat_map(|(call, arguments)| {
        (1..).zip(arguments).map(move |(position, argument)| {
            json!({
                "call": call,
                "position": position,
                "name": argument.name,
                "type_name": argument.sql_type,
                "default_value": argument.default,
            })
        })
    });
    Ok(rows::give(fcinfo, options)?)
}

/// The calls with their own options.
fn calls() -> [(&'static str, Vec<Argument>); 3] {
    [
        ("start_run", RunOptions::arguments()),
        ("start_load", start_load::arguments()),
        ("start_sweep", SweepOptions::arguments()),
    ]
}
