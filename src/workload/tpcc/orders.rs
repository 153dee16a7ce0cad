//! The orders of a freshly loaded data set with their lines, and those of them that are new (TPC-C 4.3.3.1). An order, its
//! lines and its new order draw from the same generator, so they agree.

use super::random::{Draws, Text, permuted};
use super::rows::{CUSTOMERS, ITEMS, LOADED, ORDERS, SECOND, in_district, split};
use crate::pg::bulk::Row;

/// The first order that has not been delivered.
pub(super) const FIRST_NEW: i32 = 2_101;
pub(super) const NEW_ORDERS: i32 = ORDERS - FIRST_NEW + 1;
/// How many lines an order has: so many on average.
pub(super) const LINES: (i32, i32) = (5, 15);
pub(super) const AVERAGE_LINES: i32 = 10;

/// The number with which their generators begin, unlike those of other tables.
const ORDER: i64 = 7;
/// An order is entered in a window of so many seconds, which the next order's follows.
const ORDER_SECONDS: i32 = 30;

/// An order, with what its lines draw next.
pub(super) struct Order {
    pub warehouse: i32,
    pub district: i32,
    pub id: i32,
    pub customer: i32,
    pub entered: i64,
    pub carrier: Option<i32>,
    pub lines: i32,
    draws: Draws,
}

impl Order {
    pub fn number(n: i64) -> Order {
        let mut draws = Draws::of(ORDER, n);
        let (warehouse, district, id) = in_district(n, ORDERS);
        let (districts, _) = split(n, ORDERS);
        let seconds = (id - 1) * ORDER_SECONDS + draws.between(0, ORDER_SECONDS - 1);
        let carrier = draws.between(1, 10);
        Order {
            warehouse,
            district,
            id,
            customer: permuted(id, CUSTOMERS, districts),
            entered: LOADED + i64::from(seconds) * SECOND,
            carrier: (id < FIRST_NEW).then_some(carrier),
            lines: draws.between(LINES.0, LINES.1),
            draws,
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.id);
        row.int4(self.district);
        row.int4(self.warehouse);
        row.int4(self.customer);
        row.timestamp(self.entered);
        match self.carrier {
            Some(carrier) => row.int4(carrier),
            None => row.null(),
        }
        row.int4(self.lines);
        // All lines are supplied by the order's warehouse.
        row.int4(1);
    }

    /// Its lines, in their order.
    pub fn into_lines(mut self) -> impl Iterator<Item = Line> {
        (1..=self.lines).map(move |number| {
            let is_delivered = self.carrier.is_some();
            let amount = self.draws.between(1, 999_999).into();
            Line {
                warehouse: self.warehouse,
                district: self.district,
                order: self.id,
                number,
                item: self.draws.between(1, ITEMS),
                delivered: is_delivered.then_some(self.entered),
                amount: if is_delivered { 0 } else { amount },
                information: self.draws.letters(),
            }
        })
    }
}

pub(super) struct Line {
    pub warehouse: i32,
    pub district: i32,
    pub order: i32,
    pub number: i32,
    pub item: i32,
    pub delivered: Option<i64>,
    pub amount: i64,
    information: Text<24>,
}

impl Line {
    pub fn write(&self, row: &mut Row) {
        row.int4(self.order);
        row.int4(self.district);
        row.int4(self.warehouse);
        row.int4(self.number);
        row.int4(self.item);
        row.int4(self.warehouse);
        match self.delivered {
            Some(at) => row.timestamp(at),
            None => row.null(),
        }
        row.int4(5);
        row.numeric(self.amount);
        row.text(self.information.as_str());
    }
}

/// An order that has not been delivered. Each district has [`NEW_ORDERS`].
pub(super) struct NewOrder {
    pub warehouse: i32,
    pub district: i32,
    pub order: i32,
}

impl NewOrder {
    pub fn number(n: i64) -> NewOrder {
        let (warehouse, district, place) = in_district(n, NEW_ORDERS);
        NewOrder {
            warehouse,
            district,
            order: FIRST_NEW - 1 + place,
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.order);
        row.int4(self.district);
        row.int4(self.warehouse);
    }
}
