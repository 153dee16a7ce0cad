//! The four tables: names, columns, keys.

use crate::pg::bulk::{Type, Typed};

/// A table of the data set.
#[derive(Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [Typed],
    /// The columns of its primary key.
    pub key: &'static str,
    /// Whether transactions change its rows.
    pub is_changed: bool,
}

/// All tables. A table comes before those that refer to it.
pub(super) static TABLES: [&Table; 4] = [
    &SUBSCRIBER,
    &ACCESS_INFO,
    &SPECIAL_FACILITY,
    &CALL_FORWARDING,
];

pub(super) static SUBSCRIBER: Table = Table {
    name: "subscriber",
    columns: &[
        Typed::new("s_id", Type::Int4),
        Typed::new("sub_nbr", Type::Varchar(15)),
        Typed::new("bit_1", Type::Int2),
        Typed::new("bit_2", Type::Int2),
        Typed::new("bit_3", Type::Int2),
        Typed::new("bit_4", Type::Int2),
        Typed::new("bit_5", Type::Int2),
        Typed::new("bit_6", Type::Int2),
        Typed::new("bit_7", Type::Int2),
        Typed::new("bit_8", Type::Int2),
        Typed::new("bit_9", Type::Int2),
        Typed::new("bit_10", Type::Int2),
        Typed::new("hex_1", Type::Int2),
        Typed::new("hex_2", Type::Int2),
        Typed::new("hex_3", Type::Int2),
        Typed::new("hex_4", Type::Int2),
        Typed::new("hex_5", Type::Int2),
        Typed::new("hex_6", Type::Int2),
        Typed::new("hex_7", Type::Int2),
        Typed::new("hex_8", Type::Int2),
        Typed::new("hex_9", Type::Int2),
        Typed::new("hex_10", Type::Int2),
        Typed::new("byte2_1", Type::Int2),
        Typed::new("byte2_2", Type::Int2),
        Typed::new("byte2_3", Type::Int2),
        Typed::new("byte2_4", Type::Int2),
        Typed::new("byte2_5", Type::Int2),
        Typed::new("byte2_6", Type::Int2),
        Typed::new("byte2_7", Type::Int2),
        Typed::new("byte2_8", Type::Int2),
        Typed::new("byte2_9", Type::Int2),
        Typed::new("byte2_10", Type::Int2),
        // Numbers of 32 bits without a sign.
        Typed::new("msc_location", Type::Int8),
        Typed::new("vlr_location", Type::Int8),
    ],
    key: "s_id",
    is_changed: true,
};

pub(super) static ACCESS_INFO: Table = Table {
    name: "access_info",
    columns: &[
        Typed::new("s_id", Type::Int4),
        Typed::new("ai_type", Type::Int2),
        Typed::new("data1", Type::Int2),
        Typed::new("data2", Type::Int2),
        Typed::new("data3", Type::Char(3)),
        Typed::new("data4", Type::Char(5)),
    ],
    key: "s_id, ai_type",
    is_changed: false,
};

pub(super) static SPECIAL_FACILITY: Table = Table {
    name: "special_facility",
    columns: &[
        Typed::new("s_id", Type::Int4),
        Typed::new("sf_type", Type::Int2),
        Typed::new("is_active", Type::Int2),
        Typed::new("error_cntrl", Type::Int2),
        Typed::new("data_a", Type::Int2),
        Typed::new("data_b", Type::Char(5)),
    ],
    key: "s_id, sf_type",
    is_changed: true,
};

pub(super) static CALL_FORWARDING: Table = Table {
    name: "call_forwarding",
    columns: &[
        Typed::new("s_id", Type::Int4),
        Typed::new("sf_type", Type::Int2),
        Typed::new("start_time", Type::Int2),
        Typed::new("end_time", Type::Int2),
        Typed::new("numberx", Type::Varchar(15)),
    ],
    key: "s_id, sf_type, start_time",
    is_changed: true,
};

/// The foreign keys: a table, its columns, and the table whose primary key they are.
pub(super) static FOREIGN_KEYS: [(&Table, &str, &Table); 3] = [
    (&ACCESS_INFO, "s_id", &SUBSCRIBER),
    (&SPECIAL_FACILITY, "s_id", &SUBSCRIBER),
    (&CALL_FORWARDING, "s_id, sf_type", &SPECIAL_FACILITY),
];

pub(super) fn names() -> Vec<String> {
    TABLES.map(|table| table.name.to_owned()).into()
}

impl Table {
    /// Its columns as CREATE TABLE has them.
    pub fn definition(&self) -> String {
        let columns = self.columns.iter();
        let columns: Vec<_> = columns
            .map(|column| format!("{} {} NOT NULL", column.name, sql_type(column.kind)))
            .collect();
        columns.join(", ")
    }
}

fn sql_type(kind: Type) -> String {
    match kind {
        Type::Int2 => "smallint".to_owned(),
        Type::Int4 => "integer".to_owned(),
        Type::Int8 => "bigint".to_owned(),
        Type::Varchar(length) => format!("varchar({length})"),
        Type::Char(length) => format!("char({length})"),
        // No table has a column of another type.
        other => format!("{other:?}"),
    }
}
