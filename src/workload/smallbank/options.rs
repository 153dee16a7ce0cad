//! The options of loads and runs.

use crate::error::Result;
use crate::workload::option::{Definition, Given, Kind, When, bad_value};
use crate::workload::params::Params;
use serde::Deserialize;

/// Customers of a unit of scale.
const CUSTOMERS: i64 = 100_000;
const MAX_SCALE: i32 = 10_000;

pub(super) static DEFINITIONS: [Definition; 4] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, MAX_SCALE),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "100,000 customers for each unit",
    },
    Definition {
        name: "fillfactor",
        kind: Kind::integer(10, 100),
        default: Given::Number(100.0),
        when: When::Load,
        doc: "percent of each page of savings and checking to fill",
    },
    Definition {
        name: "hotspot_customers",
        kind: Kind::integer(2, i32::MAX),
        default: Given::Number(100.0),
        when: When::Run,
        doc: "customers in the hot spot, which are the first ones",
    },
    Definition {
        name: "hotspot_percent",
        kind: Kind::integer(0, 100),
        default: Given::Number(90.0),
        when: When::Run,
        doc: "how often a customer is one of the hot spot; 0: all customers are drawn equally often",
    },
];

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct SmallbankOptions {
    pub fillfactor: i32,
    pub hotspot_customers: i64,
    pub hotspot_percent: i32,
}

impl Default for SmallbankOptions {
    fn default() -> SmallbankOptions {
        SmallbankOptions {
            fillfactor: 100,
            hotspot_customers: 100,
            hotspot_percent: 90,
        }
    }
}

impl SmallbankOptions {
    /// # Errors
    /// The options cannot be read.
    pub fn of(params: &Params) -> Result<SmallbankOptions> {
        params.options()
    }
}

/// How many customers the bank has; those of scale 1 where there are no tables yet.
pub(super) fn customers(params: &Params) -> i64 {
    i64::from(params.scale.rounded().max(1)) * CUSTOMERS
}

/// # Errors
/// The bank has fewer customers than the hot spot.
pub(super) fn check_run(params: &Params) -> Result<()> {
    let (customers, hot) = (
        customers(params),
        SmallbankOptions::of(params)?.hotspot_customers,
    );
    if hot > customers {
        return Err(bad_value(
            "hotspot_customers",
            &format!("at most the {customers} customers of the tables"),
            hot,
            "The tables have 100,000 customers for each unit of scale.",
        ));
    }
    Ok(())
}
