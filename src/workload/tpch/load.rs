//! The load of the data set as steps. The rows are those of the crate `tpchgen`, which are the same as dbgen's.
//!
//! A table can be generated in any number of parts, each independently by its number. A part is a unit of a fill.

use super::months::month;
use super::options::{Decimals, Indexes, Partitions, TpchOptions, check_load};
use super::tables::{Decimal, Exact, Float, Tables};
use super::{comments, generators, refresh, rows};
use crate::error::Result;
use crate::pg::bulk::Rows;
use crate::workload::data_set::{Action, Step};
use crate::workload::params::Params;
use crate::workload::plain::{Plain, Table};
use tpchgen::generators::{CustomerGenerator, OrderGenerator, PartGenerator, SupplierGenerator};

/// How many rows of a table a part has, lines and suppliers of parts as one row with their order or part: few enough that all workers
/// have something to do, and that a load can be stopped.
const ROWS_OF_A_PART: i64 = 500;
/// What an order or a part has of them, about.
const LINES: i64 = 4;
const SUPPLIERS: i64 = 4;

/// # Errors
/// The options contradict each other, or there is no such data set at this scale.
pub(super) fn steps(params: &Params) -> Result<Vec<Step>> {
    let own = check_load(params)?;
    let schema = params.schema.as_str();
    let scale = params.scale.value();
    let (data_set, rows) = match own.decimals {
        Decimals::Numeric => filled::<Exact>(scale, &own),
        Decimals::Float => filled::<Float>(scale, &own),
    };
    let mut steps = vec![
        data_set.drop_tables(schema),
        data_set.create_tables(schema, 100),
        data_set.fill(schema, rows),
    ];
    if own.indexes != Indexes::None {
        steps.push(data_set.primary_keys(schema));
    }
    if own.indexes == Indexes::Foreign {
        steps.push(data_set.indexes(schema));
    }
    if own.foreign_keys {
        steps.push(data_set.foreign_keys(schema));
    }
    steps.push(data_set.vacuum_all(schema));
    Ok(steps)
}

/// The tables, and what fills them.
fn filled<D: Decimal>(scale: f64, own: &TpchOptions) -> (Plain, Vec<Action>) {
    let mut rows = fill::<D>(scale).to_vec();
    if own.refresh_orders {
        rows.extend(refresh::fill::<D>(scale));
    }
    let mut data_set = Tables::<D>::data_set(own.refresh_orders);
    if own.partitions == Partitions::Month {
        data_set.divided = Tables::<D>::BY_MONTH;
    }
    (data_set, rows)
}

fn fill<D: Decimal>(scale: f64) -> [Action; 8] {
    let count = |rows: fn(f64, i32, i32) -> i64| rows(scale, 1, 1);
    let (suppliers, parts) = (
        count(SupplierGenerator::calculate_row_count),
        count(PartGenerator::calculate_row_count),
    );
    let (customers, orders) = (
        count(CustomerGenerator::calculate_row_count),
        count(OrderGenerator::calculate_row_count),
    );
    [
        whole(Tables::<D>::REGION, 5, |rows| {
            let mut comments = comments::REGION.comments();
            for region in generators::regions() {
                let comment = comments.of(region.r_regionkey + 1);
                rows.push(|row| rows::region(&region, comment, row));
            }
        }),
        whole(Tables::<D>::NATION, 25, |rows| {
            let mut comments = comments::NATION.comments();
            for nation in generators::nations() {
                let comment = comments.of(nation.n_nationkey + 1);
                rows.push(|row| rows::nation(&nation, comment, row));
            }
        }),
        in_parts(
            Tables::<D>::SUPPLIER,
            suppliers,
            1,
            move |part, of, rows| {
                let mut comments = comments::SUPPLIER.comments();
                for supplier in generators::suppliers(scale, part, of) {
                    let comment = comments.of_supplier(supplier.s_suppkey, &supplier.s_comment);
                    rows.push(|row| rows::supplier::<D>(&supplier, comment, row));
                }
            },
        ),
        in_parts(Tables::<D>::PART, parts, 1, move |part, of, rows| {
            let mut comments = comments::PART.comments();
            for part in generators::parts(scale, part, of) {
                let comment = comments.of(part.p_partkey);
                rows.push(|row| rows::part::<D>(&part, comment, row));
            }
        }),
        in_parts(
            Tables::<D>::PARTSUPP,
            parts,
            SUPPLIERS,
            move |part, of, rows| {
                let mut comments = comments::PARTSUPP.comments();
                for of_part in generators::part_suppliers(scale, part, of) {
                    let comment = comments.of(of_part.ps_partkey);
                    rows.push(|row| rows::part_supplier::<D>(&of_part, comment, row));
                }
            },
        ),
        in_parts(
            Tables::<D>::CUSTOMER,
            customers,
            1,
            move |part, of, rows| {
                let mut comments = comments::CUSTOMER.comments();
                for customer in generators::customers(scale, part, of) {
                    let comment = comments.of(customer.c_custkey);
                    rows.push(|row| rows::customer::<D>(&customer, comment, row));
                }
            },
        ),
        in_parts(Tables::<D>::ORDERS, orders, 1, move |part, of, rows| {
            let mut comments = comments::ORDERS.comments();
            for order in generators::orders(scale, part, of) {
                let comment = comments.of(refresh::number(order.o_orderkey));
                rows.push_to(month(order.o_orderdate), |row| {
                    rows::order::<D>(&order, comment, row);
                });
            }
        }),
        in_parts(
            Tables::<D>::LINEITEM,
            orders,
            LINES,
            move |part, of, rows| {
                let mut comments = comments::LINEITEM.comments();
                for line in generators::lines(scale, part, of) {
                    let comment = comments.of(refresh::number(line.l_orderkey));
                    rows.push_to(month(line.l_shipdate), |row| {
                        rows::line::<D>(&line, comment, row);
                    });
                }
            },
        ),
    ]
}

/// Fills a table of so few rows that one part has them.
fn whole(table: &Table, rows: u64, make: fn(&mut Rows)) -> Action {
    table.fill_units(1, rows, move |_, rows: &mut Rows| make(rows))
}

/// Fills a table in parts, which `make` makes by their number, from 1, and by how many there are. `made` are what the crate divides
/// into parts; each has so many rows of the table.
fn in_parts(
    table: &Table,
    made: i64,
    rows_each: i64,
    make: impl Fn(i32, i32, &mut Rows) + Clone + Send + Sync + 'static,
) -> Action {
    let parts = (made / ROWS_OF_A_PART).clamp(1, i64::from(i32::MAX));
    let source = move |part: i64, rows: &mut Rows| make(part as i32, parts as i32, rows);
    table.fill_units(parts, (made * rows_each) as u64, source)
}
