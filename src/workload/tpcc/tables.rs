//! The nine tables (TPC-C 1.3): names, columns, keys. The money of warehouses and districts has more digits than in the
//! specification: at the speed of a server without terminals, twelve are used up within hours.

use crate::pg::bulk::{Type, Typed};
use crate::workload::distribution::Place;
use crate::workload::plain::{ForeignKey, Index, Plain, Table};

pub(super) static DATA_SET: Plain = Plain {
    tables: &TABLES,
    indexes: &[
        // Customers by their last name, in the order of their first names.
        Index::on(&CUSTOMER, "c_w_id, c_d_id, c_last, c_first"),
        // A customer's latest order.
        Index::on(&ORDERS, "o_w_id, o_d_id, o_c_id, o_id"),
    ],
    foreign_keys: &[
        ForeignKey::new(&DISTRICT, "d_w_id", &WAREHOUSE),
        ForeignKey::new(&STOCK, "s_w_id", &WAREHOUSE),
        ForeignKey::new(&STOCK, "s_i_id", &ITEM),
        ForeignKey::new(&CUSTOMER, "c_w_id, c_d_id", &DISTRICT),
        ForeignKey::new(&HISTORY, "h_w_id, h_d_id", &DISTRICT),
        ForeignKey::new(&HISTORY, "h_c_w_id, h_c_d_id, h_c_id", &CUSTOMER),
        ForeignKey::new(&ORDERS, "o_w_id, o_d_id, o_c_id", &CUSTOMER),
        ForeignKey::new(&NEW_ORDER, "no_w_id, no_d_id, no_o_id", &ORDERS),
        ForeignKey::new(&ORDER_LINE, "ol_w_id, ol_d_id, ol_o_id", &ORDERS),
        ForeignKey::new(&ORDER_LINE, "ol_supply_w_id, ol_i_id", &STOCK),
    ],
    // The small ones whose rows transactions update or delete again and again.
    busy: &[&WAREHOUSE, &DISTRICT, &NEW_ORDER],
    divided: &[],
};

pub(super) static TABLES: [&Table; 9] = [
    &ITEM,
    &WAREHOUSE,
    &DISTRICT,
    &STOCK,
    &CUSTOMER,
    &HISTORY,
    &ORDERS,
    &NEW_ORDER,
    &ORDER_LINE,
];

/// Where their rows are on Citus: those of a warehouse on one node.
pub(super) static PLACES: [(&Table, Place); 9] = [
    (&ITEM, Place::Everywhere),
    (&WAREHOUSE, Place::By("w_id")),
    (&DISTRICT, Place::By("d_w_id")),
    (&STOCK, Place::By("s_w_id")),
    (&CUSTOMER, Place::By("c_w_id")),
    (&HISTORY, Place::By("h_w_id")),
    (&ORDERS, Place::By("o_w_id")),
    (&NEW_ORDER, Place::By("no_w_id")),
    (&ORDER_LINE, Place::By("ol_w_id")),
];

pub(super) static ITEM: Table = Table {
    name: "item",
    columns: &[
        key("i_id"),
        int("i_im_id"),
        varchar("i_name", 24),
        numeric("i_price", 5, 2),
        varchar("i_data", 50),
    ],
    key: Some("i_id"),
    is_updated: false,
};

pub(super) static WAREHOUSE: Table = Table {
    name: "warehouse",
    columns: &[
        key("w_id"),
        varchar("w_name", 10),
        varchar("w_street_1", 20),
        varchar("w_street_2", 20),
        varchar("w_city", 20),
        char("w_state", 2),
        char("w_zip", 9),
        numeric("w_tax", 4, 4),
        numeric("w_ytd", 16, 2),
    ],
    key: Some("w_id"),
    is_updated: true,
};

pub(super) static DISTRICT: Table = Table {
    name: "district",
    columns: &[
        key("d_id"),
        key("d_w_id"),
        varchar("d_name", 10),
        varchar("d_street_1", 20),
        varchar("d_street_2", 20),
        varchar("d_city", 20),
        char("d_state", 2),
        char("d_zip", 9),
        numeric("d_tax", 4, 4),
        numeric("d_ytd", 16, 2),
        int("d_next_o_id"),
    ],
    key: Some("d_w_id, d_id"),
    is_updated: true,
};

pub(super) static STOCK: Table = Table {
    name: "stock",
    columns: &[
        key("s_i_id"),
        key("s_w_id"),
        int("s_quantity"),
        char("s_dist_01", 24),
        char("s_dist_02", 24),
        char("s_dist_03", 24),
        char("s_dist_04", 24),
        char("s_dist_05", 24),
        char("s_dist_06", 24),
        char("s_dist_07", 24),
        char("s_dist_08", 24),
        char("s_dist_09", 24),
        char("s_dist_10", 24),
        int("s_ytd"),
        int("s_order_cnt"),
        int("s_remote_cnt"),
        varchar("s_data", 50),
    ],
    key: Some("s_w_id, s_i_id"),
    is_updated: true,
};

pub(super) static CUSTOMER: Table = Table {
    name: "customer",
    columns: &[
        key("c_id"),
        key("c_d_id"),
        key("c_w_id"),
        varchar("c_first", 16),
        char("c_middle", 2),
        varchar("c_last", 16),
        varchar("c_street_1", 20),
        varchar("c_street_2", 20),
        varchar("c_city", 20),
        char("c_state", 2),
        char("c_zip", 9),
        char("c_phone", 16),
        timestamp("c_since"),
        char("c_credit", 2),
        numeric("c_credit_lim", 12, 2),
        numeric("c_discount", 4, 4),
        numeric("c_balance", 12, 2),
        numeric("c_ytd_payment", 12, 2),
        int("c_payment_cnt"),
        int("c_delivery_cnt"),
        varchar("c_data", 500),
    ],
    key: Some("c_w_id, c_d_id, c_id"),
    is_updated: true,
};

pub(super) static HISTORY: Table = Table {
    name: "history",
    columns: &[
        key("h_c_id"),
        key("h_c_d_id"),
        key("h_c_w_id"),
        key("h_d_id"),
        key("h_w_id"),
        timestamp("h_date"),
        numeric("h_amount", 6, 2),
        varchar("h_data", 24),
    ],
    key: None,
    is_updated: false,
};

pub(super) static ORDERS: Table = Table {
    name: "orders",
    columns: &[
        key("o_id"),
        key("o_d_id"),
        key("o_w_id"),
        int("o_c_id"),
        timestamp("o_entry_d"),
        int("o_carrier_id"),
        int("o_ol_cnt"),
        int("o_all_local"),
    ],
    key: Some("o_w_id, o_d_id, o_id"),
    is_updated: true,
};

pub(super) static NEW_ORDER: Table = Table {
    name: "new_order",
    columns: &[key("no_o_id"), key("no_d_id"), key("no_w_id")],
    key: Some("no_w_id, no_d_id, no_o_id"),
    is_updated: false,
};

pub(super) static ORDER_LINE: Table = Table {
    name: "order_line",
    columns: &[
        key("ol_o_id"),
        key("ol_d_id"),
        key("ol_w_id"),
        key("ol_number"),
        key("ol_i_id"),
        int("ol_supply_w_id"),
        timestamp("ol_delivery_d"),
        int("ol_quantity"),
        numeric("ol_amount", 6, 2),
        char("ol_dist_info", 24),
    ],
    key: Some("ol_w_id, ol_d_id, ol_o_id, ol_number"),
    is_updated: true,
};

const fn key(name: &'static str) -> Typed {
    Typed::new(name, Type::Int4)
}

const fn int(name: &'static str) -> Typed {
    Typed::new(name, Type::Int4).nullable()
}

const fn timestamp(name: &'static str) -> Typed {
    Typed::new(name, Type::Timestamp).nullable()
}

const fn varchar(name: &'static str, length: u16) -> Typed {
    Typed::new(name, Type::Varchar(length)).nullable()
}

const fn char(name: &'static str, length: u16) -> Typed {
    Typed::new(name, Type::Char(length)).nullable()
}

const fn numeric(name: &'static str, precision: u16, scale: u16) -> Typed {
    Typed::new(name, Type::Numeric { precision, scale }).nullable()
}
