//! The load of the data set as steps.

use super::functions::functions;
use super::options::LoadOptions;
use super::orders::{AVERAGE_LINES, NEW_ORDERS, NewOrder, Order};
use super::rows::{
    CUSTOMERS, Customer, DISTRICTS, District, History, ITEMS, Item, ORDERS, Stock, Warehouse,
};
use super::tables::{self, FOREIGN_KEYS, INDEXES, TABLES, Table};
use crate::pg::bulk::{Row, Rows};
use crate::pg::sql::quote::qualified;
use crate::workload::data_set::{Action, Contents, Effect, Fill, Step};
use crate::workload::error::Result;
use crate::workload::params::Params;

/// # Errors
/// The options cannot be read.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own: LoadOptions = params.options()?;
    let schema = params.schema.as_str();
    let step = |title, effect, actions| Step {
        title,
        effect,
        actions,
        // A table truncated in the same transaction is filled without WAL where wal_level allows.
        in_transaction: effect == Effect::Fills,
    };
    let utilities = |texts: Vec<String>| texts.into_iter().map(Action::utility).collect();
    let keep = |title, texts| step(title, Effect::Keeps, utilities(texts));
    let drop = vec![format!("DROP TABLE IF EXISTS {}", all_names(schema))];
    let mut steps = vec![
        step("drop tables", Effect::Drops, utilities(drop)),
        step(
            "create tables",
            Effect::Creates,
            utilities(create(schema, &own)),
        ),
        step(
            "bulk generate",
            Effect::Fills,
            fill(schema, i64::from(params.scale.rounded())),
        ),
        keep("primary keys", primary_keys(schema)),
        keep("indexes", indexes(schema)),
        keep("functions", functions(schema)),
    ];
    if own.foreign_keys {
        steps.push(keep("foreign keys", foreign_keys(schema)));
    }
    steps.push(keep("vacuum", vacuum(schema, true)));
    Ok(steps)
}

fn name(schema: &str, table: &Table) -> String {
    qualified(schema, table.name)
}

/// As one list: within one command, foreign keys between them do not matter.
fn all_names(schema: &str) -> String {
    TABLES.map(|table| name(schema, table)).join(", ")
}

fn create(schema: &str, options: &LoadOptions) -> Vec<String> {
    TABLES
        .iter()
        .map(|table| {
            let storage = match table.is_updated {
                true => format!(" WITH (fillfactor = {})", options.fillfactor),
                false => String::new(),
            };
            format!(
                "CREATE TABLE {} ({}){storage}",
                name(schema, table),
                table.definition()
            )
        })
        .collect()
}

fn fill(schema: &str, warehouses: i64) -> Vec<Action> {
    let districts = warehouses * i64::from(DISTRICTS);
    let per_warehouse = |rows: i32| warehouses * i64::from(rows);
    let per_district = |rows: i32| districts * i64::from(rows);
    vec![
        Action::utility(format!("TRUNCATE {}", all_names(schema))),
        rows(&tables::ITEM, ITEMS.into(), |n, row| {
            Item::number(n).write(row)
        }),
        rows(&tables::WAREHOUSE, warehouses, |n, row| {
            Warehouse::number(n).write(row)
        }),
        rows(&tables::DISTRICT, districts, |n, row| {
            District::number(n).write(row)
        }),
        rows(&tables::STOCK, per_warehouse(ITEMS), |n, row| {
            Stock::number(n).write(row)
        }),
        rows(&tables::CUSTOMER, per_district(CUSTOMERS), |n, row| {
            Customer::number(n).write(row)
        }),
        rows(&tables::HISTORY, per_district(CUSTOMERS), |n, row| {
            History::number(n).write(row)
        }),
        rows(&tables::ORDERS, per_district(ORDERS), |n, row| {
            Order::number(n).write(row)
        }),
        rows(&tables::NEW_ORDER, per_district(NEW_ORDERS), |n, row| {
            NewOrder::number(n).write(row)
        }),
        order_lines(per_district(ORDERS)),
    ]
}

/// Fills a table whose row n `write` makes.
fn rows(table: &'static Table, rows: i64, write: fn(i64, &mut Row)) -> Action {
    Action::Fill(Fill {
        table: table.name.to_owned(),
        contents: Contents::made(table.columns, rows as u64, move || {
            move |n, rows: &mut Rows| rows.push(|row| write(n, row))
        }),
        rows: rows as u64,
    })
}

/// A unit is an order with all of its lines.
fn order_lines(orders: i64) -> Action {
    let lines = |n, rows: &mut Rows| {
        for line in Order::number(n).into_lines() {
            rows.push(|row| line.write(row));
        }
    };
    Action::Fill(Fill {
        table: tables::ORDER_LINE.name.to_owned(),
        contents: Contents::made(tables::ORDER_LINE.columns, orders as u64, move || lines),
        rows: orders as u64 * AVERAGE_LINES as u64,
    })
}

fn primary_keys(schema: &str) -> Vec<String> {
    TABLES
        .iter()
        .filter_map(|table| {
            let key = table.key?;
            Some(format!(
                "ALTER TABLE {} ADD PRIMARY KEY ({key})",
                name(schema, table)
            ))
        })
        .collect()
}

fn indexes(schema: &str) -> Vec<String> {
    INDEXES
        .map(|(table, columns)| format!("CREATE INDEX ON {} ({columns})", name(schema, table)))
        .into()
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

/// Of all tables, or of the small ones whose rows transactions update or delete again and again.
pub(super) fn vacuum(schema: &str, all: bool) -> Vec<String> {
    let busy = [&tables::WAREHOUSE, &tables::DISTRICT, &tables::NEW_ORDER];
    let chosen: &[&Table] = if all { &TABLES } else { &busy };
    let analyze = if all { "(ANALYZE) " } else { "" };
    chosen
        .iter()
        .map(|table| format!("VACUUM {analyze}{}", name(schema, table)))
        .collect()
}
