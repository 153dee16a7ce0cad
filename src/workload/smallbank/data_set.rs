//! The tables, their rows, and the load as steps.

use super::options::{Options, customers};
use crate::pg::bulk::{Row, Rows, Type, Typed};
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::{Action, Contents, Effect, Fill, Step};
use crate::workload::error::Result;
use crate::workload::params::Params;
use script::Prng;
use script::random::{gaussian, hash_murmur2};

/// A table with a row for each customer.
#[derive(Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [Typed],
    /// The columns as CREATE TABLE has them.
    pub definition: &'static str,
    /// Whether transactions update its rows.
    is_updated: bool,
    /// Writes the row of a customer.
    pub row: fn(i64, &mut Row),
}

/// All tables. The others refer to the first.
pub(super) static TABLES: [&Table; 3] = [&ACCOUNTS, &SAVINGS, &CHECKING];

pub(super) static ACCOUNTS: Table = Table {
    name: "accounts",
    columns: &[
        Typed::new("custid", Type::Int8),
        Typed::new("name", Type::Varchar(64)),
    ],
    definition: "custid bigint NOT NULL, name varchar(64) NOT NULL",
    is_updated: false,
    row: |customer, row| {
        row.int8(customer);
        row.text(&format!("customer {customer}"));
    },
};

pub(super) static SAVINGS: Table = Table {
    name: "savings",
    columns: &BALANCE,
    definition: BALANCE_DEFINITION,
    is_updated: true,
    row: |customer, row| {
        row.int8(customer);
        row.numeric(balance(1, customer));
    },
};

pub(super) static CHECKING: Table = Table {
    name: "checking",
    columns: &BALANCE,
    definition: BALANCE_DEFINITION,
    is_updated: true,
    row: |customer, row| {
        row.int8(customer);
        row.numeric(balance(2, customer));
    },
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
const BALANCE_DEFINITION: &str = "custid bigint NOT NULL, bal numeric(14, 2) NOT NULL";

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

pub(super) fn names() -> Vec<String> {
    TABLES.map(|table| table.name.to_owned()).into()
}

/// # Errors
/// The options cannot be read.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own = Options::of(params)?;
    let schema = params.schema.as_str();
    let step = |title, effect, actions: Vec<Action>| Step {
        title,
        effect,
        actions,
        in_transaction: effect == Effect::Fills,
    };
    let keep = |title, texts: Vec<String>| {
        let actions = texts.into_iter().map(Action::utility).collect();
        step(title, Effect::Keeps, actions)
    };
    let drop = Action::utility(format!("DROP TABLE IF EXISTS {}", all_names(schema)));
    let create = TABLES.map(|table| Action::utility(create(schema, table, own.fillfactor)));
    let truncate = Action::utility(format!("TRUNCATE {}", all_names(schema)));
    let rows = TABLES.map(|table| fill(table, customers(params)));
    Ok(vec![
        step("drop tables", Effect::Drops, vec![drop]),
        step("create tables", Effect::Creates, create.into()),
        step(
            "bulk generate",
            Effect::Fills,
            [vec![truncate], rows.into()].concat(),
        ),
        keep(
            "primary keys",
            TABLES.map(|table| primary_key(schema, table)).into(),
        ),
        keep("indexes", vec![index(schema)]),
        keep(
            "foreign keys",
            [&SAVINGS, &CHECKING]
                .map(|table| foreign_key(schema, table))
                .into(),
        ),
        keep("vacuum", vacuum(schema, true)),
    ])
}

fn name(schema: &str, table: &Table) -> String {
    qualified(schema, table.name)
}

/// As one list: within one command, foreign keys between them do not matter.
fn all_names(schema: &str) -> String {
    TABLES.map(|table| name(schema, table)).join(", ")
}

fn create(schema: &str, table: &Table, fillfactor: i32) -> String {
    let storage = match table.is_updated {
        true => format!(" WITH (fillfactor = {fillfactor})"),
        false => String::new(),
    };
    format!(
        "CREATE TABLE {} ({}){storage}",
        name(schema, table),
        table.definition
    )
}

fn fill(table: &'static Table, customers: i64) -> Action {
    Action::Fill(Fill {
        table: table.name.to_owned(),
        contents: Contents::made(table.columns, customers as u64, move || {
            move |customer, rows: &mut Rows| rows.push(|row| (table.row)(customer, row))
        }),
        rows: customers as u64,
    })
}

fn primary_key(schema: &str, table: &Table) -> String {
    format!(
        "ALTER TABLE {} ADD PRIMARY KEY (custid)",
        name(schema, table)
    )
}

fn index(schema: &str) -> String {
    format!("CREATE UNIQUE INDEX ON {} (name)", name(schema, &ACCOUNTS))
}

fn foreign_key(schema: &str, table: &Table) -> String {
    format!(
        "ALTER TABLE {} ADD FOREIGN KEY (custid) REFERENCES {}",
        name(schema, table),
        name(schema, &ACCOUNTS)
    )
}

/// Of all tables, or of those that transactions update.
pub(super) fn vacuum(schema: &str, all: bool) -> Vec<String> {
    let analyze = if all { "(ANALYZE) " } else { "" };
    TABLES
        .iter()
        .filter(|table| all || table.is_updated)
        .map(|table| format!("VACUUM {analyze}{}", name(schema, table)))
        .collect()
}
