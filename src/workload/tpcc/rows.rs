//! The rows of a freshly loaded data set (TPC-C 4.3.3.1), each by its number, which counts from 1 over the whole table.
//!
//! In the specification, dates are those of the load. Here they are fixed, so that two loads make the same rows.

use super::random::{self, Draws, Text, last_name};
use crate::pg::bulk::Row;

pub(super) const ITEMS: i32 = 100_000;
pub(super) const DISTRICTS: i32 = 10;
pub(super) const CUSTOMERS: i32 = 3_000;
pub(super) const ORDERS: i32 = 3_000;

/// Money is in cents.
const PAID: i64 = 1_000;
const CREDIT_LIMIT: i64 = 5_000_000;
const DISTRICT_YTD: i64 = CUSTOMERS as i64 * PAID;
const WAREHOUSE_YTD: i64 = DISTRICTS as i64 * DISTRICT_YTD;

/// 2025-01-01, as PostgreSQL counts: microseconds since 2000-01-01.
pub(super) const LOADED: i64 = 9_132 * 24 * 60 * 60 * SECOND;
pub(super) const SECOND: i64 = 1_000_000;

/// The numbers with which the generators of these tables begin; [`super::orders`] has another one.
const ITEM: i64 = 1;
const WAREHOUSE: i64 = 2;
const DISTRICT: i64 = 3;
const STOCK: i64 = 4;
const CUSTOMER: i64 = 5;
const HISTORY: i64 = 6;

/// The part that a number belongs to, and its place there, both from 1, if each part has `size` numbers.
pub(super) fn split(n: i64, size: i32) -> (i64, i32) {
    let size = i64::from(size);
    ((n - 1) / size + 1, ((n - 1) % size) as i32 + 1)
}

/// A place in a warehouse: its district, and the number there.
pub(super) fn in_district(n: i64, size: i32) -> (i32, i32, i32) {
    let (districts, number) = split(n, size);
    let (warehouse, district) = split(districts, DISTRICTS);
    (warehouse as i32, district, number)
}

pub(super) struct Item {
    pub id: i32,
    pub image: i32,
    pub name: Text<24>,
    pub price: i64,
    pub data: Text<50>,
}

impl Item {
    pub fn number(n: i64) -> Item {
        let mut draws = Draws::of(ITEM, n);
        Item {
            id: n as i32,
            image: draws.between(1, 10_000),
            name: draws.characters(14),
            price: draws.between(100, 10_000).into(),
            data: draws.data(),
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.id);
        row.int4(self.image);
        row.text(self.name.as_str());
        row.numeric(self.price);
        row.text(self.data.as_str());
    }
}

struct Address {
    streets: [Text<20>; 2],
    city: Text<20>,
    state: Text<2>,
    zip: Text<9>,
}

impl Address {
    fn draw(draws: &mut Draws) -> Address {
        Address {
            streets: [draws.characters(10), draws.characters(10)],
            city: draws.characters(10),
            state: draws.state(),
            zip: draws.zip(),
        }
    }

    fn write(&self, row: &mut Row) {
        for street in &self.streets {
            row.text(street.as_str());
        }
        row.text(self.city.as_str());
        row.text(self.state.as_str());
        row.text(self.zip.as_str());
    }
}

pub(super) struct Warehouse {
    pub id: i32,
    name: Text<10>,
    address: Address,
    /// Of 10,000.
    pub tax: i64,
    pub ytd: i64,
}

impl Warehouse {
    pub fn number(n: i64) -> Warehouse {
        let mut draws = Draws::of(WAREHOUSE, n);
        Warehouse {
            id: n as i32,
            name: draws.characters(6),
            address: Address::draw(&mut draws),
            tax: draws.between(0, 2_000).into(),
            ytd: WAREHOUSE_YTD,
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.id);
        row.text(self.name.as_str());
        self.address.write(row);
        row.numeric(self.tax);
        row.numeric(self.ytd);
    }
}

pub(super) struct District {
    pub warehouse: i32,
    pub id: i32,
    name: Text<10>,
    address: Address,
    pub tax: i64,
    pub ytd: i64,
    pub next_order: i32,
}

impl District {
    pub fn number(n: i64) -> District {
        let mut draws = Draws::of(DISTRICT, n);
        let (warehouse, id) = split(n, DISTRICTS);
        District {
            warehouse: warehouse as i32,
            id,
            name: draws.characters(6),
            address: Address::draw(&mut draws),
            tax: draws.between(0, 2_000).into(),
            ytd: DISTRICT_YTD,
            next_order: ORDERS + 1,
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.id);
        row.int4(self.warehouse);
        row.text(self.name.as_str());
        self.address.write(row);
        row.numeric(self.tax);
        row.numeric(self.ytd);
        row.int4(self.next_order);
    }
}

pub(super) struct Stock {
    pub warehouse: i32,
    pub item: i32,
    pub quantity: i32,
    districts: [Text<24>; DISTRICTS as usize],
    pub data: Text<50>,
}

impl Stock {
    pub fn number(n: i64) -> Stock {
        let mut draws = Draws::of(STOCK, n);
        let (warehouse, item) = split(n, ITEMS);
        Stock {
            warehouse: warehouse as i32,
            item,
            quantity: draws.between(10, 100),
            districts: std::array::from_fn(|_| draws.letters()),
            data: draws.data(),
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.item);
        row.int4(self.warehouse);
        row.int4(self.quantity);
        for district in &self.districts {
            row.text(district.as_str());
        }
        // Year to date, orders, orders of other warehouses.
        row.int4(0);
        row.int4(0);
        row.int4(0);
        row.text(self.data.as_str());
    }
}

pub(super) struct Customer {
    pub warehouse: i32,
    pub district: i32,
    pub id: i32,
    first: Text<16>,
    pub last: String,
    address: Address,
    phone: Text<16>,
    pub has_bad_credit: bool,
    /// Of 10,000.
    pub discount: i64,
    pub balance: i64,
    pub ytd_payment: i64,
    pub payments: i32,
    pub deliveries: i32,
    pub data: Text<500>,
}

impl Customer {
    pub fn number(n: i64) -> Customer {
        let mut draws = Draws::of(CUSTOMER, n);
        let (warehouse, district, id) = in_district(n, CUSTOMERS);
        let last = match id <= random::LAST_NAMES {
            true => id - 1,
            false => draws.nurand(
                random::A_LAST,
                0,
                random::LAST_NAMES - 1,
                random::C_LAST_LOAD,
            ),
        };
        Customer {
            warehouse,
            district,
            id,
            first: draws.characters(8),
            last: last_name(last),
            address: Address::draw(&mut draws),
            phone: draws.digits(),
            has_bad_credit: draws.one_in_ten(),
            discount: draws.between(0, 5_000).into(),
            balance: -PAID,
            ytd_payment: PAID,
            payments: 1,
            deliveries: 0,
            data: draws.characters(300),
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.id);
        row.int4(self.district);
        row.int4(self.warehouse);
        row.text(self.first.as_str());
        row.text("OE");
        row.text(&self.last);
        self.address.write(row);
        row.text(self.phone.as_str());
        row.timestamp(LOADED);
        row.text(if self.has_bad_credit { "BC" } else { "GC" });
        row.numeric(CREDIT_LIMIT);
        row.numeric(self.discount);
        row.numeric(self.balance);
        row.numeric(self.ytd_payment);
        row.int4(self.payments);
        row.int4(self.deliveries);
        row.text(self.data.as_str());
    }
}

/// The first payment of the customer with the same number.
pub(super) struct History {
    pub warehouse: i32,
    pub district: i32,
    pub customer: i32,
    pub amount: i64,
    data: Text<24>,
}

impl History {
    pub fn number(n: i64) -> History {
        let (warehouse, district, customer) = in_district(n, CUSTOMERS);
        History {
            warehouse,
            district,
            customer,
            amount: PAID,
            data: Draws::of(HISTORY, n).characters(12),
        }
    }

    pub fn write(&self, row: &mut Row) {
        row.int4(self.customer);
        row.int4(self.district);
        row.int4(self.warehouse);
        row.int4(self.district);
        row.int4(self.warehouse);
        row.timestamp(LOADED);
        row.numeric(self.amount);
        row.text(self.data.as_str());
    }
}
