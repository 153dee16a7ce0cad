//! Refresh functions (TPC-H 2.5 to 2.7): the first inserts new orders with their lines, 0.1 % of those loaded; the second
//! deletes them again. So a pair of them leaves the tables as they were, and runs can follow each other on the same data.
//!
//! The new orders wait in separate tables, which the load fills. They are the orders that the generator would make after the
//! last one, with keys in the gaps that the load leaves.

use super::queries::{CANCELED, QUERIES};
use super::tables::{Decimal, Exact, Tables};
use super::{comments, generators, rows};
use crate::pg::bulk::Rows;
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::Action;
use crate::workload::scripts::ScriptSpec;
use tpchgen::generators::{LineItem, Order, OrderGenerator};

/// The names of their scripts, which come after the queries.
pub(super) const NAMES: [&str; 2] = ["rf1", "rf2"];
const INSERT: usize = QUERIES;
const DELETE: usize = QUERIES + 1;

/// What an order has of lines, about.
const LINES: i64 = 4;

/// The scripts, which a mix with other workloads does not draw: two at the same time would insert the same orders.
pub(super) fn scripts() -> Vec<ScriptSpec> {
    let texts = [
        include_str!("refresh/rf1.sql"),
        include_str!("refresh/rf2.sql"),
    ];
    let script = |(name, text): (&str, &str)| ScriptSpec {
        simple: true,
        survives: vec![CANCELED.to_owned()],
        ..ScriptSpec::new(name, text, 0)
    };
    NAMES.into_iter().zip(texts).map(script).collect()
}

/// The orders of queries with the refresh functions: around those of a single client, otherwise in a stream of their own beside the
/// queries, which has a pair for each of their streams (5.3.3 and 5.3.4).
pub(super) fn around(mut streams: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    match streams.as_mut_slice() {
        [power] => {
            power.insert(0, INSERT);
            power.push(DELETE);
        }
        several => {
            let pairs = [INSERT, DELETE].repeat(several.len());
            streams.push(pairs);
        }
    }
    streams
}

/// The statements that delete the new orders if they are there. Lines come first: what has an order is not complete without it.
pub(super) fn undo(schema: &str) -> Vec<String> {
    let new = Tables::<Exact>::REFRESH_ORDERS.qualified(schema);
    let delete = |(table, key): (&str, &str)| {
        let table = qualified(schema, table);
        format!("DELETE FROM {table} WHERE {key} IN (SELECT o_orderkey FROM {new})")
    };
    [("lineitem", "l_orderkey"), ("orders", "o_orderkey")]
        .map(delete)
        .into()
}

/// How many new orders there are: of a thousand that were loaded, one.
pub(super) fn count(scale: f64) -> i64 {
    loaded(scale) / 1_000
}

fn loaded(scale: f64) -> i64 {
    OrderGenerator::calculate_row_count(scale, 1, 1)
}

/// Fills the tables of the new orders.
pub(super) fn fill<D: Decimal>(scale: f64) -> [Action; 2] {
    let expected = count(scale) as u64;
    [
        Tables::<D>::REFRESH_ORDERS.fill_units(1, expected, move |_, rows: &mut Rows| {
            let mut comments = comments::ORDERS.comments();
            for order in orders(scale) {
                let comment = comments.of(loaded(scale) + number(order.o_orderkey));
                rows.push(|row| rows::order::<D>(&order, comment, row));
            }
        }),
        Tables::<D>::REFRESH_LINEITEM.fill_units(
            1,
            expected * LINES as u64,
            move |_, rows: &mut Rows| {
                let mut comments = comments::LINEITEM.comments();
                for line in lines(scale) {
                    let comment = comments.of(loaded(scale) + number(line.l_orderkey));
                    rows.push(|row| rows::line::<D>(&line, comment, row));
                }
            },
        ),
    ]
}

/// The new orders: the first ones of a second part beside the only one of the load.
pub(super) fn orders(scale: f64) -> impl Iterator<Item = Order<'static>> {
    let after_the_load = generators::orders(scale, 2, 1).iter();
    let new = after_the_load.take(count(scale) as usize);
    new.map(move |order| Order {
        o_orderkey: key(number(order.o_orderkey) - loaded(scale)),
        ..order
    })
}

/// Their lines.
pub(super) fn lines(scale: f64) -> impl Iterator<Item = LineItem<'static>> {
    let (loaded, count) = (loaded(scale), count(scale));
    let after_the_load = generators::lines(scale, 2, 1).iter();
    let numbered = after_the_load.map(move |line| (number(line.l_orderkey) - loaded, line));
    let new = numbered.take_while(move |(number, _)| *number <= count);
    new.map(|(number, line)| LineItem {
        l_orderkey: key(number),
        ..line
    })
}

/// The key of the n-th new order. Of 32 numbers, orders of the load have the first eight as keys, and new ones the eight after those.
fn key(number: i64) -> i64 {
    OrderGenerator::make_order_key(number) | 8
}

/// The number of the order with this key, from 1: what makes keys of numbers, the other way round. Of new orders it counts from 1 anew.
pub(super) fn number(key: i64) -> i64 {
    (key >> 5 << 3) | (key & 7)
}
