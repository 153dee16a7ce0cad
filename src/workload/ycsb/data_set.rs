//! The table, its rows, the sequence that numbers further records, and the load as steps.

use super::keys::key;
use super::options::{InsertOrder, Options};
use crate::pg::bulk::{Rows, Type, Typed};
use crate::pg::sql::quote::{qualified, quote_literal};
use crate::workload::data_set::{Action, Contents, Effect, Fill, LoadStatement, Step};
use crate::workload::error::Result;
use script::Prng;
use script::random::hash_murmur2;

pub(super) const TABLE: &str = "usertable";
/// Its last value is the number of the newest record.
pub(super) const SEQUENCE: &str = "usertable_keynum";

pub(super) const FIELDS: usize = 10;
pub(super) const FIELD_LENGTH: usize = 100;

pub(super) static COLUMNS: [Typed; 1 + FIELDS] = [
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
pub(super) fn steps(options: &Options) -> Result<Vec<Step>> {
    let step = |title, effect, actions: Vec<Action>| Step {
        title,
        effect,
        actions,
        in_transaction: effect == Effect::Fills,
    };
    let table = qualified(&options.schema, TABLE);
    // The sequence goes with the table.
    let drop = format!("DROP TABLE IF EXISTS {table}");
    let primary_key = format!("ALTER TABLE {table} ADD PRIMARY KEY (ycsb_key)");
    Ok(vec![
        step("drop tables", Effect::Drops, vec![Action::utility(drop)]),
        step("create tables", Effect::Creates, create(options, &table)),
        step("bulk generate", Effect::Fills, fill(options, &table)),
        step(
            "primary keys",
            Effect::Keeps,
            vec![Action::utility(primary_key)],
        ),
        step(
            "vacuum",
            Effect::Keeps,
            vec![Action::utility(vacuum(&options.schema, true))],
        ),
    ])
}

fn create(options: &Options, table: &str) -> Vec<Action> {
    let fields: Vec<_> = (0..FIELDS).map(|n| format!("field{n} text")).collect();
    vec![
        Action::utility(format!(
            "CREATE TABLE {table} (ycsb_key varchar(255) NOT NULL, {}) WITH (fillfactor = {})",
            fields.join(", "),
            options.fillfactor
        )),
        Action::utility(format!(
            "CREATE SEQUENCE {} MINVALUE 0 OWNED BY {table}.ycsb_key",
            qualified(&options.schema, SEQUENCE)
        )),
    ]
}

fn fill(options: &Options, table: &str) -> Vec<Action> {
    let (records, order) = (options.records, options.insertorder);
    let numbered = format!(
        "SELECT pg_catalog.setval({}, {})",
        quote_literal(&qualified(&options.schema, SEQUENCE)),
        records - 1
    );
    vec![
        Action::utility(format!("TRUNCATE TABLE {table}")),
        Action::Fill(Fill {
            table: TABLE.to_owned(),
            contents: Contents::made(&COLUMNS, records as u64, move || {
                move |unit, rows: &mut Rows| record(order, unit - 1, rows)
            }),
            rows: records as u64,
        }),
        Action::Execute(LoadStatement {
            sql: numbered,
            rows: 0,
        }),
    ]
}

/// The record with this number: its fields depend on that alone.
pub(super) fn record(order: InsertOrder, number: i64, rows: &mut Rows) {
    let mut prng = Prng::new(hash_murmur2(number, 0).cast_unsigned());
    rows.push(|row| {
        row.text(&key(order, number));
        for _ in 0..FIELDS {
            row.text(&letters(&mut prng));
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

pub(super) fn vacuum(schema: &str, all: bool) -> String {
    let analyze = if all { "(ANALYZE) " } else { "" };
    format!("VACUUM {analyze}{}", qualified(schema, TABLE))
}
