//! The conditions that the tables must meet: no transaction opens or closes an account, and none overdraws savings. Checking
//! accounts may be overdrawn, by a check.

use super::data_set::{DATA_SET, SAVINGS};
use super::options::customers;
use crate::workload::family::Check;
use crate::workload::params::Params;

pub(super) fn checks(params: &Params) -> Vec<Check> {
    let customers = customers(params);
    let tables = DATA_SET.tables.iter();
    let mut checks: Vec<Check> = tables
        .map(|table| table.row_count(params, customers))
        .collect();
    checks.push(Check {
        name: "no balance of savings is negative".to_owned(),
        sql: format!(
            "SELECT pg_catalog.count(*) FILTER (WHERE bal < 0) = 0 AS passed, \
                    pg_catalog.format('%s negative, the least is %s', \
                        pg_catalog.count(*) FILTER (WHERE bal < 0), COALESCE(pg_catalog.min(bal)::text, '-')) AS detail \
               FROM {}",
            SAVINGS.qualified(&params.schema)
        ),
    });
    checks
}
