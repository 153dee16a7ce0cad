//! The load of partitions by month.

use super::super::tables::{Exact, Tables};
use super::steps;
use crate::workload::plain::Plain;
use crate::workload::plain::tests::expect_consistent;
use crate::workload::{Action, Contents, Fill, Step};
use serde_json::json;

#[test]
fn tables_by_month_have_what_the_server_allows() {
    let set = Plain {
        divided: Tables::<Exact>::BY_MONTH,
        ..Tables::<Exact>::WITH_REFRESH
    };
    expect_consistent(&set);
    let given = json!({"partitions": "month", "refresh_orders": true, "foreign_keys": true});
    let steps = steps(0.01, given).unwrap();
    let texts = |step: &Step| -> Vec<String> {
        let statements = step.actions.iter().filter_map(|action| match action {
            Action::Execute(statement) => Some(statement.sql.clone()),
            _ => None,
        });
        statements.collect()
    };
    let created = texts(&steps[1]);
    assert_eq!(created.len(), 10 + 2 * 84);
    let has = |statements: &[String], text: &str| statements.iter().any(|sql| sql.contains(text));
    assert!(
        has(&created, "\"orders\" (o_orderkey")
            && has(&created, ") PARTITION BY RANGE (o_orderdate)")
    );
    assert!(created.contains(
        &"CREATE TABLE \"s\".\"lineitem_1992_12\" PARTITION OF \"s\".\"lineitem\" FOR VALUES FROM ('1992-12-01') TO ('1993-01-01')"
            .to_owned()
    ));
    let partitioned = steps[2].actions.iter().filter_map(|action| match action {
        Action::Fill(Fill {
            table,
            contents: Contents::Made { partitioned, .. },
            ..
        }) => Some((table.as_str(), partitioned.as_ref()?.by)),
        _ => None,
    });
    assert_eq!(
        partitioned.collect::<Vec<_>>(),
        [("orders", "o_orderdate"), ("lineitem", "l_shipdate")]
    );
    let keys = texts(&steps[3]);
    assert!(has(&keys, "PRIMARY KEY (o_orderkey, o_orderdate)"));
    assert!(has(
        &keys,
        "PRIMARY KEY (l_orderkey, l_linenumber, l_shipdate)"
    ));
    let foreign = texts(&steps[5]);
    assert_eq!(foreign.len(), 7);
    assert!(!has(&foreign, "REFERENCES \"s\".\"orders\""));
}
