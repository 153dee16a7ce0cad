//! The load of the data set as steps.

use super::options::{Options, subscribers};
use super::rows;
use super::tables::{
    ACCESS_INFO, CALL_FORWARDING, FOREIGN_KEYS, SPECIAL_FACILITY, SUBSCRIBER, TABLES, Table,
};
use crate::pg::bulk::Rows;
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::{Action, Contents, Effect, Fill, Step};
use crate::workload::error::Result;
use crate::workload::params::Params;

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
    Ok(vec![
        step("drop tables", Effect::Drops, vec![drop]),
        step("create tables", Effect::Creates, create.into()),
        step(
            "bulk generate",
            Effect::Fills,
            fill(schema, subscribers(params)),
        ),
        keep(
            "primary keys",
            TABLES.map(|table| primary_key(schema, table)).into(),
        ),
        keep("indexes", vec![index(schema)]),
        keep("foreign keys", foreign_keys(schema)),
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
    let storage = match table.is_changed {
        true => format!(" WITH (fillfactor = {fillfactor})"),
        false => String::new(),
    };
    format!(
        "CREATE TABLE {} ({}){storage}",
        name(schema, table),
        table.definition()
    )
}

/// A unit of rows is what a table has of one subscriber.
fn fill(schema: &str, subscribers: i64) -> Vec<Action> {
    let rows = |table: &'static Table, per_subscriber: f64, source: fn(i64, &mut Rows)| {
        Action::Fill(Fill {
            table: table.name.to_owned(),
            contents: Contents::made(table.columns, subscribers as u64, move || source),
            rows: (subscribers as f64 * per_subscriber) as u64,
        })
    };
    vec![
        Action::utility(format!("TRUNCATE {}", all_names(schema))),
        rows(&SUBSCRIBER, 1.0, rows::subscriber),
        rows(&ACCESS_INFO, 2.5, rows::access_info),
        rows(&SPECIAL_FACILITY, 2.5, rows::special_facility),
        rows(&CALL_FORWARDING, 3.75, rows::call_forwarding),
    ]
}

fn primary_key(schema: &str, table: &Table) -> String {
    format!(
        "ALTER TABLE {} ADD PRIMARY KEY ({})",
        name(schema, table),
        table.key
    )
}

fn index(schema: &str) -> String {
    format!(
        "CREATE UNIQUE INDEX ON {} (sub_nbr)",
        name(schema, &SUBSCRIBER)
    )
}

fn foreign_keys(schema: &str) -> Vec<String> {
    FOREIGN_KEYS
        .map(|(table, columns, referenced)| {
            format!(
                "ALTER TABLE {} ADD FOREIGN KEY ({columns}) REFERENCES {}",
                name(schema, table),
                name(schema, referenced)
            )
        })
        .into()
}

/// Of all tables, or of those whose rows transactions change.
pub(super) fn vacuum(schema: &str, all: bool) -> Vec<String> {
    let analyze = if all { "(ANALYZE) " } else { "" };
    TABLES
        .iter()
        .filter(|table| all || table.is_changed)
        .map(|table| format!("VACUUM {analyze}{}", name(schema, table)))
        .collect()
}
