//! The table, its rows, the sequence that numbers further records, and the load as steps.

use super::keys::key;
use super::options::{InsertOrder, YcsbOptions};
use crate::error::Result;
use crate::pg::bulk::{Rows, Type, Typed};
use crate::pg::sql::quote::{qualified, quote_literal};
use crate::workload::data_set::{Action, Effect, Step};
use crate::workload::plain::{Plain, Table};
use script::Prng;
use script::random::hash_murmur2;

pub(super) static DATA_SET: Plain = Plain {
    tables: &[&USERTABLE],
    indexes: &[],
    foreign_keys: &[],
    busy: &[&USERTABLE],
    divided: &[],
};

pub(super) static USERTABLE: Table = Table {
    name: "usertable",
    columns: &COLUMNS,
    key: Some("ycsb_key"),
    is_updated: true,
};

/// Its last value is the number of the newest record.
pub(super) const SEQUENCE: &str = "usertable_keynum";

pub(super) const FIELDS: usize = 10;
pub(super) const FIELD_LENGTH: usize = 100;

static COLUMNS: [Typed; 1 + FIELDS] = [
    Typed::new("ycsb_key", Type::Varchar(255)),
    field("field0"),
    field("field1"),
    field("field2"),
    field("field3"),
    field("field4"),
    field("field5"),
    field("field6"),
    field("field7"),
    field("field8"),
    field("field9"),
];

const fn field(name: &'static str) -> Typed {
    Typed::new(name, Type::Text).nullable()
}

/// # Errors
/// None: the options were checked.
pub(super) fn steps(options: &YcsbOptions) -> Result<Vec<Step>> {
    let schema = options.schema.as_str();
    let mut create = DATA_SET.create_tables(schema, options.fillfactor);
    create.actions.push(create_sequence(schema));
    Ok(vec![
        // The sequence goes with the table.
        DATA_SET.drop_tables(schema),
        create,
        Step::new("bulk generate", Effect::Fills, fill(options)),
        DATA_SET.primary_keys(schema),
        DATA_SET.vacuum_all(schema),
    ])
}

fn create_sequence(schema: &str) -> Action {
    Action::utility(format!(
        "CREATE SEQUENCE {} MINVALUE 0 OWNED BY {}.ycsb_key",
        qualified(schema, SEQUENCE),
        USERTABLE.qualified(schema)
    ))
}

fn fill(options: &YcsbOptions) -> Vec<Action> {
    let (schema, records, order) = (&options.schema, options.records, options.insertorder);
    let numbered = format!(
        "SELECT pg_catalog.setval({}, {})",
        quote_literal(&qualified(schema, SEQUENCE)),
        records - 1
    );
    vec![
        Action::utility(format!("TRUNCATE TABLE {}", USERTABLE.qualified(schema))),
        USERTABLE.fill_units(records, records as u64, move |unit, rows| {
            record(order, unit - 1, rows)
        }),
        Action::utility(numbered),
    ]
}

/// The record with this number: its fields depend on that alone.
pub(super) fn record(order: InsertOrder, number: i64, rows: &mut Rows) {
    let mut prng = Prng::new(hash_murmur2(number, 0).cast_unsigned());
    rows.push(|row| {
        row.text(key(order, number));
        for _ in 0..FIELDS {
            row.text(letters(&mut prng));
        }
    });
}

/// A field: letters from a to z, as in the scripts.
fn letters(prng: &mut Prng) -> String {
    let mut text = String::with_capacity(FIELD_LENGTH);
    while text.len() < FIELD_LENGTH {
        // A draw is a fraction, of which each multiplication brings the next letter before the point. Ten letters take less
        // than 48 of its 64 bits.
        let mut fraction = prng.next_u64();
        for _ in 0..10 {
            let product = u128::from(fraction) * 26;
            fraction = product as u64;
            text.push(char::from(b'a' + (product >> 64) as u8));
        }
    }
    text
}
