//! Units and scope of figures. Rows are planted that have another value in every column, of two objects of each kind, among rows of other samples and of
//! another node; what each figure must be is written by hand, with its factor. A figure or a column without an expectation fails.

mod breaks;
mod collected;
mod ends;
mod lists;
mod live_runs;
mod machine;
mod metrics;
mod parts;
mod sections;
mod series;
mod shown;
mod views;
mod windows;

use postgres::GenericClient;
use serde_json::Value;

/// A node that is not this server's.
const ELSEWHERE: &str = "00000000-0000-4000-8000-00000000e15e";

/// Another node, whose history is here.
fn add_elsewhere(session: &mut impl GenericClient) {
    execute(
        session,
        &format!(
            "INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name) \
             VALUES ('{ELSEWHERE}', 'elsewhere', 1, 1, 'theirs')"
        ),
    );
}

fn execute(session: &mut impl GenericClient, sql: &str) {
    session
        .batch_execute(sql)
        .unwrap_or_else(|error| panic!("{error:?}\n{sql}"));
}

/// The value of a query that has one, as text.
fn value(session: &mut impl GenericClient, sql: &str) -> String {
    let row = session
        .query_one(sql, &[])
        .unwrap_or_else(|error| panic!("{error:?}\n{sql}"));
    row.get::<_, Option<String>>(0).unwrap_or_default()
}

/// What these expressions of SQL are.
fn evaluated(session: &mut impl GenericClient, expressions: &[String]) -> Vec<Value> {
    let list: Vec<String> = expressions
        .iter()
        .enumerate()
        .map(|(number, expression)| format!("({number}, to_jsonb({expression}))"))
        .collect();
    let values = value(
        session,
        &format!(
            "SELECT jsonb_agg(e.value ORDER BY e.number)::text FROM (VALUES {}) e(number, value)",
            list.join(", ")
        ),
    );
    serde_json::from_str(&values).expect("the values")
}

/// Whether two figures are the same, but for the last digits of a division.
fn same(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3)
}
