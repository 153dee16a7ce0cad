//! The options of loads and runs.

use crate::workload::option::{Definition, Given, Kind, When};
use crate::workload::params::Params;
use serde::Deserialize;

/// As many as sysbench's other scripts may have.
const MAX_TABLES: i32 = 10_000;
/// A statement of sysbench has 512 kB, which are fewer rows.
const MAX_ROWS: i32 = 100_000;

pub(super) static DEFINITIONS: [Definition; 3] = [
    Definition {
        name: "scale",
        kind: Kind::integer(1, 1),
        default: Given::Number(1.0),
        when: When::Load,
        doc: "tables are empty after a load",
    },
    Definition {
        name: "tables",
        kind: Kind::integer(1, MAX_TABLES),
        default: Given::Number(1.0),
        when: When::Both,
        doc: "number of tables; each client needs one",
    },
    Definition {
        name: "rows",
        kind: Kind::integer(1, MAX_ROWS),
        default: Given::Number(10_000.0),
        when: When::Run,
        doc: "rows of a statement; those of sysbench have as many as fit into 512 kB",
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct BulkInsertOptions {
    pub tables: i32,
    pub rows: i32,
}

impl Default for BulkInsertOptions {
    fn default() -> BulkInsertOptions {
        BulkInsertOptions {
            tables: 1,
            rows: 10_000,
        }
    }
}

impl BulkInsertOptions {
    /// They were checked before; those of a later version's data set are taken as the defaults.
    pub fn of(params: &Params) -> BulkInsertOptions {
        params.options().unwrap_or_default()
    }
}
