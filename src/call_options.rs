//! The calls that take options, as the catalog should declare them: a regression test compares.

#[cfg(test)]
mod declared_test;

use crate::experiment::options::SweepOptions;
use crate::pg::sql::options::{Argument, Options};
use crate::pg::sql::text::Text;
use crate::run::request::options::Options as RunOptions;
use crate::run::request::start_load;
use pgrx::prelude::*;

/// `pgperf_internal.call_options`.
#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn call_options() -> TableIterator<
    'static,
    (
        name!(call, Text),
        name!(position, i32),
        name!(name, Text),
        name!(type_name, Text),
        name!(default_value, Option<Text>),
    ),
> {
    TableIterator::new(calls().into_iter().flat_map(|(call, arguments)| {
        (1..).zip(arguments).map(move |(position, argument)| {
            (
                call.into(),
                position,
                argument.name.into(),
                argument.sql_type.into(),
                argument.default.map(Text),
            )
        })
    }))
}

/// The calls with their own options.
fn calls() -> [(&'static str, Vec<Argument>); 3] {
    [
        ("start_run", RunOptions::arguments()),
        ("start_load", start_load::arguments()),
        ("start_sweep", SweepOptions::arguments()),
    ]
}
