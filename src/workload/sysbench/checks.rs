//! The condition that the tables meet as long as no workload that only inserts or only deletes has written to them.

use super::data_set::table_name;
use super::options::SysbenchOptions;
use crate::pg::sql::quote::qualified;
use crate::workload::family::Check;
use crate::workload::params::Params;

/// Each table has its rows, numbered without gaps.
pub(super) fn all_rows(params: &Params) -> Vec<Check> {
    // Options that cannot be read are those of tables that a later version has made: nothing is known about these.
    let Ok(options) = SysbenchOptions::of(params) else {
        return Vec::new();
    };
    let rows = options.rows;
    let check = |number| {
        let table = table_name(number);
        Check {
            name: format!("{table} has the rows 1 to {rows}"),
            sql: format!(
                "SELECT r.count OPERATOR(pg_catalog.=) {rows} AND r.min OPERATOR(pg_catalog.=) 1 \
                        AND r.max OPERATOR(pg_catalog.=) {rows} AS passed, \
                        pg_catalog.format('%s rows from %s to %s', r.count, r.min, r.max) AS detail \
                   FROM (SELECT pg_catalog.count(*) AS count, pg_catalog.min(id) AS min, pg_catalog.max(id) AS max \
                           FROM {}) AS r",
                qualified(&params.schema, &table)
            ),
        }
    };
    (1..=options.tables).map(check).collect()
}

/// Nothing is known about tables that grow or shrink.
pub(super) fn none(_params: &Params) -> Vec<Check> {
    Vec::new()
}
