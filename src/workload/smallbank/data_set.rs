//! The tables, their rows, and the load as steps.

use super::options::{SmallbankOptions, customers};
use crate::error::Result;
use crate::pg::bulk::{Row, Type, Typed};
use crate::workload::data_set::Step;
use crate::workload::params::Params;
use crate::workload::plain::{ForeignKey, Index, Plain, Table};
use script::Prng;
use script::random::{gaussian, hash_murmur2};

pub(super) static DATA_SET: Plain = Plain {
    tables: &[&ACCOUNTS, &SAVINGS, &CHECKING],
    indexes: &[Index::on(&ACCOUNTS, "name").unique()],
    foreign_keys: &[
        ForeignKey::new(&SAVINGS, "custid", &ACCOUNTS),
        ForeignKey::new(&CHECKING, "custid", &ACCOUNTS),
    ],
    busy: &[&SAVINGS, &CHECKING],
    divided: &[],
};

static ACCOUNTS: Table = Table {
    name: "accounts",
    columns: &[
        Typed::new("custid", Type::Int8),
        Typed::new("name", Type::Varchar(64)),
    ],
    key: Some("custid"),
    is_updated: false,
};

pub(super) static SAVINGS: Table = Table {
    name: "savings",
    columns: &BALANCE,
    key: Some("custid"),
    is_updated: true,
};

static CHECKING: Table = Table {
    name: "checking",
    columns: &BALANCE,
    key: Some("custid"),
    is_updated: true,
};

static BALANCE: [Typed; 2] = [
    Typed::new("custid", Type::Int8),
    Typed::new(
        "bal",
        Type::Numeric {
            precision: 14,
            scale: 2,
        },
    ),
];

/// Writes the row that a table has of a customer.
type Write = fn(i64, &mut Row);

pub(super) static ROWS: [(&Table, Write); 3] = [
    (&ACCOUNTS, |customer, row| {
        row.int8(customer);
        row.text(format!("customer {customer}"));
    }),
    (&SAVINGS, |customer, row| {
        row.int8(customer);
        row.numeric(balance(1, customer));
    }),
    (&CHECKING, |customer, row| {
        row.int8(customer);
        row.numeric(balance(2, customer));
    }),
];

/// Cents.
const CENTS: i64 = 100;
/// The least and the most that an account has after a load.
const MIN_BALANCE: i64 = 10_000;
const MAX_BALANCE: i64 = 50_000;
/// How many standard deviations these are from the mean.
const DEVIATIONS: f64 = 2.5;

/// A customer's balance after a load, in cents. `kind` is the same for all accounts of a table.
pub(super) fn balance(kind: i64, customer: i64) -> i64 {
    let mut prng = Prng::new(hash_murmur2(customer, kind).cast_unsigned());
    gaussian(&mut prng, MIN_BALANCE, MAX_BALANCE, DEVIATIONS) * CENTS
}

/// # Errors
/// The options cannot be read.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own = SmallbankOptions::of(params)?;
    let schema = params.schema.as_str();
    let rows = ROWS.map(|(table, row)| table.fill(customers(params), row));
    Ok(vec![
        DATA_SET.drop_tables(schema),
        DATA_SET.create_tables(schema, own.fillfactor),
        DATA_SET.fill(schema, rows),
        DATA_SET.primary_keys(schema),
        DATA_SET.indexes(schema),
        DATA_SET.foreign_keys(schema),
        DATA_SET.vacuum_all(schema),
    ])
}
