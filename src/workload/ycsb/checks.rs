//! The conditions that the table meets, whichever of the workloads have run: no record is lost, and all have the form of those
//! that were loaded.

use super::data_set::{FIELD_LENGTH, FIELDS, SEQUENCE, USERTABLE};
use super::options::YcsbOptions;
use crate::pg::sql::quote::qualified;
use crate::workload::family::Check;
use crate::workload::params::Params;

pub(super) fn checks(params: &Params) -> Vec<Check> {
    // Options that cannot be read are those of a table that a later version has made: nothing is known about it.
    let Ok(options) = YcsbOptions::of(params) else {
        return Vec::new();
    };
    let (table, sequence) = (
        USERTABLE.qualified(&params.schema),
        qualified(&params.schema, SEQUENCE),
    );
    let records = options.records;
    let other_length = |n| format!("pg_catalog.length(field{n}) IS DISTINCT FROM {FIELD_LENGTH}");
    let other_length: Vec<_> = (0..FIELDS).map(other_length).collect();
    vec![
        // A number is taken before its record is inserted, and not given back if that fails.
        Check {
            name: format!(
                "usertable has the {records} records of the load, and some of those numbered since"
            ),
            sql: format!(
                "SELECT n.n BETWEEN {records} AND s.last_value + 1 AS passed, \
                        pg_catalog.format('%s records, %s numbers', n.n, s.last_value + 1) AS detail \
                   FROM (SELECT pg_catalog.count(*) AS n FROM {table}) AS n, {sequence} AS s"
            ),
        },
        none(
            "keys are user and a number",
            &format!("{table} WHERE ycsb_key !~ '^user[0-9]+$'"),
        ),
        none(
            &format!("all fields have {FIELD_LENGTH} characters"),
            &format!("{table} WHERE {}", other_length.join(" OR ")),
        ),
    ]
}

/// There are no records like these.
fn none(words: &str, wrong: &str) -> Check {
    Check {
        name: words.to_owned(),
        sql: format!(
            "SELECT pg_catalog.count(*) = 0 AS passed, pg_catalog.format('%s records differ', pg_catalog.count(*)) AS detail \
               FROM {wrong}"
        ),
    }
}
