//! The eight tables (TPC-H 1.4): names, columns, keys. Money and quantities are decimals or floating-point numbers, as the load
//! says.

use crate::pg::bulk::{Row, Type, Typed};
use crate::workload::plain::{ForeignKey, Index, Plain, Table};
use std::marker::PhantomData;

/// What money and quantities are.
pub(super) trait Decimal: Send + Sync + 'static {
    const TYPE: Type;

    /// Gives a column a number of hundredths.
    fn write(row: &mut Row, hundredths: i64);
}

/// `numeric(15, 2)`: exact.
#[derive(Clone, Copy)]
pub(super) struct Exact;

impl Decimal for Exact {
    const TYPE: Type = Type::Numeric {
        precision: 15,
        scale: 2,
    };

    fn write(row: &mut Row, hundredths: i64) {
        row.numeric(hundredths);
    }
}

/// `double precision`: faster to add up.
#[derive(Clone, Copy)]
pub(super) struct Float;

impl Decimal for Float {
    const TYPE: Type = Type::Float8;

    fn write(row: &mut Row, hundredths: i64) {
        row.float8(hundredths as f64 / 100.0);
    }
}

/// The tables with such decimals.
pub(super) struct Tables<D>(PhantomData<D>);

impl<D: Decimal> Tables<D> {
    pub const REGION: &'static Table = &table(
        "region",
        "r_regionkey",
        &[
            key("r_regionkey"),
            char("r_name", 25),
            varchar("r_comment", 152),
        ],
    );

    pub const NATION: &'static Table = &table(
        "nation",
        "n_nationkey",
        &[
            key("n_nationkey"),
            char("n_name", 25),
            key("n_regionkey"),
            varchar("n_comment", 152),
        ],
    );

    pub const SUPPLIER: &'static Table = &table(
        "supplier",
        "s_suppkey",
        &[
            key("s_suppkey"),
            char("s_name", 25),
            varchar("s_address", 40),
            key("s_nationkey"),
            char("s_phone", 15),
            Self::decimal("s_acctbal"),
            varchar("s_comment", 101),
        ],
    );

    pub const PART: &'static Table = &table(
        "part",
        "p_partkey",
        &[
            key("p_partkey"),
            varchar("p_name", 55),
            char("p_mfgr", 25),
            char("p_brand", 10),
            varchar("p_type", 25),
            Typed::new("p_size", Type::Int4),
            char("p_container", 10),
            Self::decimal("p_retailprice"),
            varchar("p_comment", 23),
        ],
    );

    pub const PARTSUPP: &'static Table = &table(
        "partsupp",
        "ps_partkey, ps_suppkey",
        &[
            key("ps_partkey"),
            key("ps_suppkey"),
            Typed::new("ps_availqty", Type::Int4),
            Self::decimal("ps_supplycost"),
            varchar("ps_comment", 199),
        ],
    );

    pub const CUSTOMER: &'static Table = &table(
        "customer",
        "c_custkey",
        &[
            key("c_custkey"),
            varchar("c_name", 25),
            varchar("c_address", 40),
            key("c_nationkey"),
            char("c_phone", 15),
            Self::decimal("c_acctbal"),
            char("c_mktsegment", 10),
            varchar("c_comment", 117),
        ],
    );

    pub const ORDERS: &'static Table = &table(
        "orders",
        "o_orderkey",
        &[
            order_key("o_orderkey"),
            key("o_custkey"),
            char("o_orderstatus", 1),
            Self::decimal("o_totalprice"),
            date("o_orderdate"),
            char("o_orderpriority", 15),
            char("o_clerk", 15),
            Typed::new("o_shippriority", Type::Int4),
            varchar("o_comment", 79),
        ],
    );

    pub const LINEITEM: &'static Table = &table(
        "lineitem",
        "l_orderkey, l_linenumber",
        &[
            order_key("l_orderkey"),
            key("l_partkey"),
            key("l_suppkey"),
            Typed::new("l_linenumber", Type::Int4),
            Self::decimal("l_quantity"),
            Self::decimal("l_extendedprice"),
            Self::decimal("l_discount"),
            Self::decimal("l_tax"),
            char("l_returnflag", 1),
            char("l_linestatus", 1),
            date("l_shipdate"),
            date("l_commitdate"),
            date("l_receiptdate"),
            char("l_shipinstruct", 25),
            char("l_shipmode", 10),
            varchar("l_comment", 44),
        ],
    );

    /// The orders that a refresh inserts, and their lines: no query reads these tables.
    pub const REFRESH_ORDERS: &'static Table = &Table {
        name: "refresh_orders",
        columns: Self::ORDERS.columns,
        key: None,
        is_updated: false,
    };

    pub const REFRESH_LINEITEM: &'static Table = &Table {
        name: "refresh_lineitem",
        columns: Self::LINEITEM.columns,
        key: None,
        is_updated: false,
    };

    pub const DATA_SET: Plain = Plain {
        tables: &[
            Self::REGION,
            Self::NATION,
            Self::SUPPLIER,
            Self::PART,
            Self::PARTSUPP,
            Self::CUSTOMER,
            Self::ORDERS,
            Self::LINEITEM,
        ],
        indexes: Self::INDEXES,
        foreign_keys: Self::FOREIGN_KEYS,
        // Queries change none.
        busy: &[],
        divided: &[],
    };

    /// With the tables of new orders.
    pub const WITH_REFRESH: Plain = Plain {
        tables: &[
            Self::REGION,
            Self::NATION,
            Self::SUPPLIER,
            Self::PART,
            Self::PARTSUPP,
            Self::CUSTOMER,
            Self::ORDERS,
            Self::LINEITEM,
            Self::REFRESH_ORDERS,
            Self::REFRESH_LINEITEM,
        ],
        indexes: Self::INDEXES,
        foreign_keys: Self::FOREIGN_KEYS,
        busy: &[Self::ORDERS, Self::LINEITEM],
        divided: &[],
    };

    /// On all foreign keys, as HammerDB has them.
    const INDEXES: &'static [Index] = &[
        Index::on(Self::NATION, "n_regionkey"),
        Index::on(Self::SUPPLIER, "s_nationkey"),
        Index::on(Self::PARTSUPP, "ps_partkey"),
        Index::on(Self::PARTSUPP, "ps_suppkey"),
        Index::on(Self::CUSTOMER, "c_nationkey"),
        Index::on(Self::ORDERS, "o_custkey"),
        Index::on(Self::LINEITEM, "l_orderkey"),
        Index::on(Self::LINEITEM, "l_partkey, l_suppkey"),
    ];

    const FOREIGN_KEYS: &'static [ForeignKey] = &[
        ForeignKey::new(Self::NATION, "n_regionkey", Self::REGION),
        ForeignKey::new(Self::SUPPLIER, "s_nationkey", Self::NATION),
        ForeignKey::new(Self::PARTSUPP, "ps_partkey", Self::PART),
        ForeignKey::new(Self::PARTSUPP, "ps_suppkey", Self::SUPPLIER),
        ForeignKey::new(Self::CUSTOMER, "c_nationkey", Self::NATION),
        ForeignKey::new(Self::ORDERS, "o_custkey", Self::CUSTOMER),
        ForeignKey::new(Self::LINEITEM, "l_orderkey", Self::ORDERS),
        ForeignKey::new(Self::LINEITEM, "l_partkey, l_suppkey", Self::PARTSUPP),
    ];

    pub fn data_set(with_new_orders: bool) -> Plain {
        match with_new_orders {
            true => Self::WITH_REFRESH,
            false => Self::DATA_SET,
        }
    }

    const fn decimal(name: &'static str) -> Typed {
        Typed::new(name, D::TYPE)
    }
}

const fn table(name: &'static str, key: &'static str, columns: &'static [Typed]) -> Table {
    Table {
        name,
        columns,
        key: Some(key),
        is_updated: false,
    }
}

const fn key(name: &'static str) -> Typed {
    Typed::new(name, Type::Int4)
}

/// Only every fourth block of eight numbers is a key of an order: an integer is too small from scale 358 on.
const fn order_key(name: &'static str) -> Typed {
    Typed::new(name, Type::Int8)
}

const fn date(name: &'static str) -> Typed {
    Typed::new(name, Type::Date)
}

const fn varchar(name: &'static str, length: u16) -> Typed {
    Typed::new(name, Type::Varchar(length))
}

const fn char(name: &'static str, length: u16) -> Typed {
    Typed::new(name, Type::Char(length))
}
