//! The conditions that the tables must meet: no transaction opens or closes an account, and none overdraws savings. Checking
//! accounts may be overdrawn, by a check.

use super::data_set::{SAVINGS, TABLES, Table};
use super::options::customers;
use crate::pg::sql::quote::qualified;
use crate::workload::family::Check;
use crate::workload::params::Params;

pub(super) fn checks(params: &Params) -> Vec<Check> {
    let mut checks: Vec<Check> = TABLES.map(|table| row_count(params, table)).into();
    checks.push(Check {
        name: "no balance of savings is negative".to_owned(),
        sql: format!(
            "SELECT pg_catalog.count(*) = 0 AS passed, \
                    pg_catalog.format('%s negative, the least is %s', pg_catalog.count(*), COALESCE(pg_catalog.min(bal)::text, '-')) AS detail \
               FROM {} WHERE bal < 0",
            qualified(&params.schema, SAVINGS.name)
        ),
    });
    checks
}

fn row_count(params: &Params, table: &Table) -> Check {
    let rows = customers(params);
    Check {
        name: format!("{} has {rows} rows at scale {}", table.name, params.scale),
        sql: format!(
            "SELECT actual.n = {rows} AS passed, pg_catalog.format('%s rows', actual.n) AS detail \
               FROM (SELECT pg_catalog.count(*) AS n FROM {}) AS actual",
            qualified(&params.schema, table.name)
        ),
    }
}
