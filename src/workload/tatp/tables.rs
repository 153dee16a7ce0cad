//! The four tables: names, columns, keys.

use crate::pg::bulk::{Type, Typed};
use crate::workload::plain::{ForeignKey, Index, Plain, Table};

pub(super) static DATA_SET: Plain = Plain {
    tables: &[
        &SUBSCRIBER,
        &ACCESS_INFO,
        &SPECIAL_FACILITY,
        &CALL_FORWARDING,
    ],
    indexes: &[Index::on(&SUBSCRIBER, "sub_nbr").unique()],
    foreign_keys: &[
        ForeignKey::new(&ACCESS_INFO, "s_id", &SUBSCRIBER),
        ForeignKey::new(&SPECIAL_FACILITY, "s_id", &SUBSCRIBER),
        ForeignKey::new(&CALL_FORWARDING, "s_id, sf_type", &SPECIAL_FACILITY),
    ],
    busy: &[&SUBSCRIBER, &SPECIAL_FACILITY, &CALL_FORWARDING],
    divided: &[],
};

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
    key: Some("s_id"),
    is_updated: true,
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
    key: Some("s_id, ai_type"),
    is_updated: false,
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
    key: Some("s_id, sf_type"),
    is_updated: true,
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
    key: Some("s_id, sf_type, start_time"),
    is_updated: true,
};
