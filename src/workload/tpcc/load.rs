//! The load of the data set as steps.

use super::functions::functions;
use super::options::LoadOptions;
use super::orders::{AVERAGE_LINES, NEW_ORDERS, NewOrder, Order};
use super::rows::{
    CUSTOMERS, Customer, DISTRICTS, District, History, ITEMS, Item, ORDERS, Stock, Warehouse,
};
use super::tables::{self, DATA_SET};
use crate::error::{Result, invalid};
use crate::pg::bulk::Rows;
use crate::workload::data_set::{Action, Step};
use crate::workload::distribution;
use crate::workload::params::Params;

/// # Errors
/// The options cannot be read.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own: LoadOptions = params.options()?;
    let schema = params.schema.as_str();
    let warehouses = i64::from(params.scale.rounded());
    let mut create = DATA_SET.create_tables(schema, own.fillfactor);
    if own.distribute {
        if own.foreign_keys {
            return Err(invalid("foreign_keys cannot be created with distribute").hinting(
                "The keys of order lines and payments lead to other warehouses, and those of Citus to rows of the same node.",
            ));
        }
        let tables = tables::PLACES.iter();
        let tables = tables.map(|(table, place)| (table.qualified(schema), *place));
        create.actions.extend(distribution::actions(tables));
    }
    let mut steps = vec![
        DATA_SET.drop_tables(schema),
        create,
        DATA_SET.fill(schema, fill(warehouses)),
        DATA_SET.primary_keys(schema),
        DATA_SET.indexes(schema),
        Step::keep("functions", functions(schema)),
    ];
    if own.foreign_keys {
        steps.push(DATA_SET.foreign_keys(schema));
    }
    steps.push(DATA_SET.vacuum_all(schema));
    Ok(steps)
}

fn fill(warehouses: i64) -> [Action; 9] {
    let districts = warehouses * i64::from(DISTRICTS);
    let per_warehouse = |rows: i32| warehouses * i64::from(rows);
    let per_district = |rows: i32| districts * i64::from(rows);
    [
        tables::ITEM.fill(ITEMS.into(), |n, row| Item::number(n).write(row)),
        tables::WAREHOUSE.fill(warehouses, |n, row| Warehouse::number(n).write(row)),
        tables::DISTRICT.fill(districts, |n, row| District::number(n).write(row)),
        tables::STOCK.fill(per_warehouse(ITEMS), |n, row| Stock::number(n).write(row)),
        tables::CUSTOMER.fill(per_district(CUSTOMERS), |n, row| {
            Customer::number(n).write(row)
        }),
        tables::HISTORY.fill(per_district(CUSTOMERS), |n, row| {
            History::number(n).write(row)
        }),
        tables::ORDERS.fill(per_district(ORDERS), |n, row| Order::number(n).write(row)),
        tables::NEW_ORDER.fill(per_district(NEW_ORDERS), |n, row| {
            NewOrder::number(n).write(row)
        }),
        order_lines(per_district(ORDERS)),
    ]
}

/// A unit is an order with all of its lines.
fn order_lines(orders: i64) -> Action {
    let lines = |n, rows: &mut Rows| {
        for line in Order::number(n).into_lines() {
            rows.push(|row| line.write(row));
        }
    };
    tables::ORDER_LINE.fill_units(orders, orders as u64 * AVERAGE_LINES as u64, lines)
}
