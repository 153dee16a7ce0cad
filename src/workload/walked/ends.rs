//! Branches that depend on the results of statements.

use super::*;

#[test]
fn branches_end_where_the_results_say() {
    let double = Value::Double;
    let money = |savings: f64, checking: f64| {
        [("savings", double(savings)), ("checking", double(checking))]
    };
    // What is taken from checking.
    for (savings, checking, taken) in [
        (10.0, 0.0, "5.00"),
        (0.0, 10.0, "5.00"),
        (2.5, 2.5, "5.00"),
        (0.0, 4.99, "6.00"),
        (4.99, 0.0, "6.00"),
        (10.0, -5.01, "6.00"),
        (0.0, 0.0, "6.00"),
    ] {
        let mut walker = Walker::new("smallbank", "write check", &json!({}));
        let mut updates = Vec::new();
        let balances = money(savings, checking);
        walker.walk(&[("bal AS", &balances)], |text, _| {
            updates.extend(
                text.split_once("bal = bal - ")
                    .map(|(_, rest)| rest[..4].to_owned()),
            );
        });
        assert_eq!(updates, [taken], "{savings} and {checking}");
    }
    // Workload, script, results, and the end of the transaction.
    let cases: [(&str, &str, Answers, &[&str]); 12] = [
        (
            "smallbank",
            "send payment",
            &[("bal AS", &[("checking", double(5.0))])],
            &["UPDATE checking", "UPDATE checking", "COMMIT"],
        ),
        (
            "smallbank",
            "send payment",
            &[("bal AS", &[("checking", double(4.99))])],
            &["SELECT bal", "ROLLBACK"],
        ),
        (
            "smallbank",
            "transact savings",
            &[("bal AS", &[("savings", double(20.20))])],
            &["UPDATE savings", "COMMIT"],
        ),
        (
            "smallbank",
            "transact savings",
            &[("bal AS", &[("savings", double(-20.21))])],
            &["SELECT bal", "ROLLBACK"],
        ),
        (
            "tatp",
            "update subscriber data",
            &[("AS found", &[("found", Value::Int(1))])],
            &["UPDATE special_facility", "COMMIT"],
        ),
        (
            "tatp",
            "update subscriber data",
            NONE,
            &["UPDATE special_facility", "ROLLBACK"],
        ),
        (
            "tpcc-like",
            "new order",
            &[("new_order", &[("order_id", Value::Int(1))])],
            &["SELECT *", "COMMIT"],
        ),
        (
            "tpcc-like",
            "new order",
            &[("new_order", &[("order_id", Value::Int(0))])],
            &["SELECT *", "ROLLBACK"],
        ),
        (
            "tpcc-like-sql",
            "new order",
            &[("FROM item", &[("i_price", Value::Int(1))])],
            &["INSERT INTO", "COMMIT"],
        ),
        (
            "tpcc-like-sql",
            "new order",
            NONE,
            &["SELECT i_price,", "ROLLBACK"],
        ),
        (
            "tpcc-like-sql",
            "order status",
            &[("FROM orders", &[("o_id", Value::Int(1))])],
            &["SELECT o_id,", "SELECT ol_i_id,", "COMMIT"],
        ),
        // Of a customer without an order: tables of other programs have such.
        (
            "tpcc-like-sql",
            "order status",
            NONE,
            &["SELECT c_first,", "SELECT o_id,", "COMMIT"],
        ),
    ];
    for (workload, script, answers, end) in cases {
        let mut walker = Walker::new(workload, script, &json!({}));
        for _ in 0..100 {
            let way = walker.way(answers);
            let way: Vec<_> = way.iter().map(String::as_str).collect();
            assert!(way.ends_with(end), "{workload}, {script}: {way:?}");
        }
    }
    // A delivery takes an order of each district that has one.
    for (answers, orders) in [
        (NONE, 0),
        (
            &[("FROM new_order", &[("no_o_id", Value::Int(7))][..])][..],
            10,
        ),
    ] {
        let way = Walker::new("tpcc-like-sql", "delivery", &json!({})).way(answers);
        let count = |what: &str| way.iter().filter(|sent| *sent == what).count();
        assert_eq!(
            (count("SELECT no_o_id"), count("DELETE FROM")),
            (10, orders)
        );
        assert_eq!(count("UPDATE customer"), orders);
        assert_eq!(way.last().map(String::as_str), Some("COMMIT"));
    }
}
