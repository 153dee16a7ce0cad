//! The conditions that the tables must meet: no transaction adds or removes rows but those of call_forwarding, and none
//! changes a key.

use super::options::subscribers;
use super::tables::{ACCESS_INFO, CALL_FORWARDING, SPECIAL_FACILITY, SUBSCRIBER};
use crate::workload::family::Check;
use crate::workload::params::Params;
use crate::workload::plain::Table;

pub(super) fn checks(params: &Params) -> Vec<Check> {
    let name = |table: &Table| table.qualified(&params.schema);
    let subscriber = name(&SUBSCRIBER);
    let types = |table: &Table, column: &str| Check {
        name: format!(
            "every subscriber has rows in {}, of types 1 to 4",
            table.name
        ),
        sql: format!(
            "SELECT missing.n = 0 AND other.n = 0 AS passed, \
                    pg_catalog.format('%s subscribers without, %s rows of other types', missing.n, other.n) AS detail \
               FROM (SELECT pg_catalog.count(*) AS n FROM {subscriber} AS s \
                      WHERE NOT EXISTS (SELECT FROM {table} AS t WHERE t.s_id = s.s_id)) AS missing, \
                    (SELECT pg_catalog.count(*) AS n FROM {table} WHERE {column} NOT BETWEEN 1 AND 4) AS other",
            table = name(table)
        ),
    };
    vec![
        SUBSCRIBER.row_count(params, subscribers(params)),
        none(
            "sub_nbr is s_id with 15 digits",
            &format!("{subscriber} WHERE sub_nbr <> pg_catalog.lpad(s_id::text, 15, '0')"),
        ),
        types(&ACCESS_INFO, "ai_type"),
        types(&SPECIAL_FACILITY, "sf_type"),
        none(
            "call_forwarding begins at 0, 8 or 16 and ends by 24",
            &format!(
                "{} WHERE start_time NOT IN (0, 8, 16) OR end_time NOT BETWEEN 1 AND 24",
                name(&CALL_FORWARDING)
            ),
        ),
    ]
}

/// There are no rows like these.
fn none(words: &str, wrong: &str) -> Check {
    Check {
        name: words.to_owned(),
        sql: format!(
            "SELECT pg_catalog.count(*) = 0 AS passed, pg_catalog.format('%s rows differ', pg_catalog.count(*)) AS detail \
               FROM {wrong}"
        ),
    }
}
