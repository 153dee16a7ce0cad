//! The rows that the crate `tpchgen` makes, value by value in the order of the columns. Their comments are added separately.

use super::tables::Decimal;
use crate::pg::bulk::Row;
use std::fmt::Display;
use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators::{Customer, LineItem, Nation, Order, Part, PartSupp, Region, Supplier};

/// 2000-01-01, in days since 1970-01-01.
const EPOCH_OF_THE_SERVER: i32 = 10_957;

pub(super) fn region(region: &Region, comment: &[u8], row: &mut Row) {
    key(row, region.r_regionkey);
    row.text(region.r_name);
    row.text(comment);
}

pub(super) fn nation(nation: &Nation, comment: &[u8], row: &mut Row) {
    key(row, nation.n_nationkey);
    row.text(nation.n_name);
    key(row, nation.n_regionkey);
    row.text(comment);
}

pub(super) fn supplier<D: Decimal>(supplier: &Supplier, comment: &[u8], row: &mut Row) {
    key(row, supplier.s_suppkey);
    shown(row, &supplier.s_name);
    shown(row, &supplier.s_address);
    key(row, supplier.s_nationkey);
    shown(row, &supplier.s_phone);
    decimal::<D>(row, supplier.s_acctbal);
    row.text(comment);
}

pub(super) fn part<D: Decimal>(part: &Part, comment: &[u8], row: &mut Row) {
    key(row, part.p_partkey);
    shown(row, &part.p_name);
    shown(row, &part.p_mfgr);
    shown(row, &part.p_brand);
    row.text(part.p_type);
    row.int4(part.p_size);
    row.text(part.p_container);
    decimal::<D>(row, part.p_retailprice);
    row.text(comment);
}

pub(super) fn part_supplier<D: Decimal>(of_part: &PartSupp, comment: &[u8], row: &mut Row) {
    key(row, of_part.ps_partkey);
    key(row, of_part.ps_suppkey);
    row.int4(of_part.ps_availqty);
    decimal::<D>(row, of_part.ps_supplycost);
    row.text(comment);
}

pub(super) fn customer<D: Decimal>(customer: &Customer, comment: &[u8], row: &mut Row) {
    key(row, customer.c_custkey);
    shown(row, &customer.c_name);
    shown(row, &customer.c_address);
    key(row, customer.c_nationkey);
    shown(row, &customer.c_phone);
    decimal::<D>(row, customer.c_acctbal);
    row.text(customer.c_mktsegment);
    row.text(comment);
}

pub(super) fn order<D: Decimal>(order: &Order, comment: &[u8], row: &mut Row) {
    row.int8(order.o_orderkey);
    key(row, order.o_custkey);
    row.text(order.o_orderstatus.as_str());
    decimal::<D>(row, order.o_totalprice);
    date(row, order.o_orderdate);
    row.text(order.o_orderpriority);
    shown(row, &order.o_clerk);
    row.int4(order.o_shippriority);
    row.text(comment);
}

pub(super) fn line<D: Decimal>(line: &LineItem, comment: &[u8], row: &mut Row) {
    row.int8(line.l_orderkey);
    key(row, line.l_partkey);
    key(row, line.l_suppkey);
    row.int4(line.l_linenumber);
    D::write(row, line.l_quantity * 100);
    decimal::<D>(row, line.l_extendedprice);
    decimal::<D>(row, line.l_discount);
    decimal::<D>(row, line.l_tax);
    row.text(line.l_returnflag);
    row.text(line.l_linestatus);
    date(row, line.l_shipdate);
    date(row, line.l_commitdate);
    date(row, line.l_receiptdate);
    row.text(line.l_shipinstruct);
    row.text(line.l_shipmode);
    row.text(comment);
}

/// A key that an integer holds at every scale that is allowed.
fn key(row: &mut Row, key: i64) {
    row.int4(key as i32);
}

fn decimal<D: Decimal>(row: &mut Row, decimal: TPCHDecimal) {
    D::write(row, decimal.into_inner());
}

fn date(row: &mut Row, date: TPCHDate) {
    row.date(date.to_unix_epoch() - EPOCH_OF_THE_SERVER);
}

/// A text that the crate keeps as what it is made of.
fn shown(row: &mut Row, value: &impl Display) {
    row.text(value.to_string());
}
