//! The load of the data set as steps.

use super::options::{TatpOptions, subscribers};
use super::rows;
use super::tables::{ACCESS_INFO, CALL_FORWARDING, DATA_SET, SPECIAL_FACILITY, SUBSCRIBER};
use crate::error::Result;
use crate::pg::bulk::Rows;
use crate::workload::data_set::{Action, Step};
use crate::workload::params::Params;
use crate::workload::plain::Table;

/// # Errors
/// The options cannot be read.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own = TatpOptions::of(params)?;
    let schema = params.schema.as_str();
    Ok(vec![
        DATA_SET.drop_tables(schema),
        DATA_SET.create_tables(schema, own.fillfactor),
        DATA_SET.fill(schema, fill(subscribers(params))),
        DATA_SET.primary_keys(schema),
        DATA_SET.indexes(schema),
        DATA_SET.foreign_keys(schema),
        DATA_SET.vacuum_all(schema),
    ])
}

/// A unit of rows is what a table has of one subscriber.
fn fill(subscribers: i64) -> [Action; 4] {
    let rows = |table: &Table, per_subscriber: f64, source: fn(i64, &mut Rows)| {
        let rows = (subscribers as f64 * per_subscriber) as u64;
        table.fill_units(subscribers, rows, source)
    };
    [
        rows(&SUBSCRIBER, 1.0, rows::subscriber),
        rows(&ACCESS_INFO, 2.5, rows::access_info),
        rows(&SPECIAL_FACILITY, 2.5, rows::special_facility),
        rows(&CALL_FORWARDING, 3.75, rows::call_forwarding),
    ]
}
