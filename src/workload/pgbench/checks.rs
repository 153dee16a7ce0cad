//! The conditions that pgbench's tables must meet. Every transaction of the tpcb-like script adds the
//! same delta to an account, a teller, a branch and the history, so the four sums agree; simple-update
//! leaves out teller and branch. This holds after a fresh load, as long as history is not truncated
//! (pgbench truncates it before each run, except with `-n`) and no other writing workload runs on the
//! tables.

use super::{ACCOUNTS, BRANCHES, HISTORY, PgbenchTable, TELLERS};
use crate::pg::sql::quote::qualified;
use crate::workload::family::Check;
use crate::workload::params::Params;
use crate::workload::scale::Scale;

pub(super) fn tpcb_like(params: &Params) -> Vec<Check> {
    let mut checks = row_counts(params);
    checks.push(equal_sums(
        &params.schema,
        "balances of accounts, tellers and branches and deltas of history agree",
        &[
            (&ACCOUNTS, "abalance"),
            (&TELLERS, "tbalance"),
            (&BRANCHES, "bbalance"),
            (&HISTORY, "delta"),
        ],
    ));
    checks
}

pub(super) fn simple_update(params: &Params) -> Vec<Check> {
    let mut checks = row_counts(params);
    checks.push(equal_sums(
        &params.schema,
        "balances of accounts and deltas of history agree",
        &[(&ACCOUNTS, "abalance"), (&HISTORY, "delta")],
    ));
    checks
}

pub(super) fn select_only(params: &Params) -> Vec<Check> {
    row_counts(params)
}

/// No workload changes how many rows the loaded tables have.
fn row_counts(params: &Params) -> Vec<Check> {
    [&BRANCHES, &TELLERS, &ACCOUNTS]
        .map(|table| row_count(&params.schema, table, params.scale))
        .into()
}

fn row_count(schema: &str, table: &PgbenchTable, scale: Scale) -> Check {
    let expected = i64::from(table.rows) * i64::from(scale.rounded());
    Check {
        name: format!("{} has {} rows at scale {scale}", table.name, expected),
        sql: format!(
            "SELECT actual.n OPERATOR(pg_catalog.=) {expected} AS passed, \
             pg_catalog.format('%s rows', actual.n) AS detail \
             FROM (SELECT pg_catalog.count(*) AS n FROM {}) AS actual",
            qualified(schema, table.name)
        ),
    }
}

/// The sums of these columns are equal, all taken in one snapshot.
fn equal_sums(schema: &str, name: &str, columns: &[(&PgbenchTable, &str)]) -> Check {
    let join = |parts: Vec<String>, separator: &str| parts.join(separator);
    let each = |text: fn(&str) -> String| columns.iter().map(|(_, column)| text(column)).collect();
    let equal = columns
        .windows(2)
        .map(|pair| {
            format!(
                "sums.{} OPERATOR(pg_catalog.=) sums.{}",
                pair[0].1, pair[1].1
            )
        })
        .collect();
    let sums = columns
        .iter()
        .map(|(table, column)| {
            let table = qualified(schema, table.name);
            format!("(SELECT COALESCE(pg_catalog.sum({column}), 0) FROM {table}) AS {column}")
        })
        .collect();
    Check {
        name: name.to_owned(),
        sql: format!(
            "SELECT {} AS passed, pg_catalog.format('{}', {}) AS detail FROM (SELECT {}) AS sums",
            join(equal, " AND "),
            join(each(|column| format!("sum({column}) = %s")), ", "),
            join(each(|column| format!("sums.{column}")), ", "),
            join(sums, ", "),
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::family::Check;
    use crate::workload::find;
    use crate::workload::params::Params;

    fn checks(workload: &str, schema: &str, scale: i32) -> Vec<Check> {
        let workload = find(workload).unwrap();
        (workload.checks)(&Params::of_tables(workload.family, schema, scale.into()))
    }

    #[test]
    fn checks_of_each_workload() {
        let names = |workload| -> Vec<_> {
            let checks = checks(workload, "public", 3);
            checks.into_iter().map(|check| check.name).collect()
        };
        let rows = [
            "pgbench_branches has 3 rows at scale 3",
            "pgbench_tellers has 30 rows at scale 3",
            "pgbench_accounts has 300000 rows at scale 3",
        ];
        assert_eq!(names("select-only"), rows);
        assert_eq!(names("simple-update")[..3], rows);
        assert_eq!(names("tpcb-like")[..3], rows);
        assert_eq!(
            names("simple-update")[3],
            "balances of accounts and deltas of history agree"
        );
        assert_eq!(
            names("tpcb-like")[3],
            "balances of accounts, tellers and branches and deltas of history agree"
        );
    }

    #[test]
    fn sums_are_compared_in_one_query() {
        let checks = checks("simple-update", "b\"x", 1);
        assert_eq!(
            checks[3].sql,
            "SELECT sums.abalance OPERATOR(pg_catalog.=) sums.delta AS passed, \
             pg_catalog.format('sum(abalance) = %s, sum(delta) = %s', sums.abalance, sums.delta) AS detail \
             FROM (SELECT (SELECT COALESCE(pg_catalog.sum(abalance), 0) FROM \"b\"\"x\".\"pgbench_accounts\") AS abalance, \
             (SELECT COALESCE(pg_catalog.sum(delta), 0) FROM \"b\"\"x\".\"pgbench_history\") AS delta) AS sums"
        );
    }

    #[test]
    fn the_scale_is_the_number_of_branches() {
        let family = find("tpcb-like").unwrap().family;
        let params = Params::of_tables(family, "s", 1.into());
        assert_eq!(
            family.count_scale(&params).as_deref(),
            Some("SELECT pg_catalog.count(*) FROM \"s\".\"pgbench_branches\"")
        );
    }
}
