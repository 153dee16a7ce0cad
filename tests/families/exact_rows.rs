//! Statements of scripts on planted rows, at the limits of their conditions.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

/// The query of a script that contains this text, with values in place of its variables.
fn query(script: &str, part: &str, values: &[(&str, i64)]) -> String {
    let line = script.lines().find(|line| line.contains(part));
    let mut text = line
        .expect("the query")
        .replace("\\gset", "")
        .replace(';', "");
    // Longer names first: others may be their beginnings.
    let mut values = values.to_vec();
    values.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in values {
        text = text.replace(&format!(":{name}"), &value.to_string());
    }
    assert!(!text.contains(" :"), "{text}");
    text
}

#[test]
fn the_stock_level_is_that_of_the_last_twenty_orders() {
    const PLAIN: &str = include_str!("../../src/workload/tpcc/scripts/plain/stock_level.sql");
    let cluster = Cluster::with_warehouses(&[]);
    let mut session = cluster.connect();
    let threshold = 15;
    // Both ways of counting.
    let levels = |session: &mut Client, w: i64, d: i64| {
        let next = session.number(&format!(
            "SELECT d_next_o_id FROM district WHERE d_w_id = {w} AND d_id = {d}"
        ));
        let plain = query(
            PLAIN,
            "count(*)",
            &[
                ("w_id", w),
                ("d_id", d),
                ("d_next_o_id", next),
                ("threshold", threshold),
            ],
        );
        [
            session.number(&plain),
            session.number(&format!("SELECT tpcc_stock_level({w}, {d}, {threshold})")),
        ]
    };
    let items = |orders: &str| {
        format!(
            "SELECT ol_i_id FROM order_line JOIN district ON d_w_id = ol_w_id AND d_id = ol_d_id \
              WHERE ol_w_id = 1 AND ol_d_id = 3 AND d_next_o_id - ol_o_id {orders}"
        )
    };
    // Items of these orders alone are low: of the newest, the twentieth and the one before. The limit itself is not below it.
    for (orders, quantity, counted) in [
        ("= 1", threshold - 1, true),
        ("= 20", threshold - 1, true),
        ("= 21", threshold - 1, false),
        ("= 20", threshold, false),
    ] {
        session.value("UPDATE stock SET s_quantity = 100 WHERE s_w_id = 1 AND s_quantity < 100");
        let (these, others) = (items(orders), items("BETWEEN 1 AND 20"));
        session.value(&format!(
            "UPDATE stock SET s_quantity = {quantity} WHERE s_w_id = 1 AND s_i_id IN ({these})"
        ));
        let expected = match (counted, quantity < threshold) {
            (true, _) => format!("SELECT count(DISTINCT i) FROM ({these}) AS o (i)"),
            // Some of them may be in a later order, too.
            (false, true) => {
                format!("SELECT count(*) FROM ({these} INTERSECT {others}) AS o")
            }
            (false, false) => "SELECT 0".to_owned(),
        };
        let expected = session.number(&expected);
        assert_eq!(levels(&mut session, 1, 3), [expected; 2], "{orders}");
        assert_eq!(counted, expected > 3, "{orders}");
    }
}

#[test]
fn a_new_destination_begins_at_its_start_and_ends_before_its_end() {
    const SCRIPT: &str = include_str!("../../src/workload/tatp/scripts/get_new_destination.sql");
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CALL pgperf.init('tatp')");
    session.value(
        "TRUNCATE call_forwarding; UPDATE special_facility SET is_active = 1; \
         DELETE FROM special_facility WHERE s_id = 7; \
         INSERT INTO special_facility VALUES (7, 1, 1, 0, 0, 'AAAAA'), (7, 2, 0, 0, 0, 'AAAAA'); \
         INSERT INTO call_forwarding VALUES (7, 1, 8, 16, '1'), (7, 2, 8, 16, '2')",
    );
    for (sf_type, start_time, end_time, found) in [
        (1, 8, 15, 1),
        (1, 8, 16, 0),
        (1, 8, 17, 0),
        (1, 16, 15, 1),
        (1, 0, 15, 0),
        // It is not active; there is none.
        (2, 8, 15, 0),
        (3, 8, 15, 0),
    ] {
        let values = [
            ("s_id", 7),
            ("sf_type", sf_type),
            ("start_time", start_time),
            ("end_time", end_time),
        ];
        let query = query(SCRIPT, "SELECT", &values);
        let rows = session.number(&format!("SELECT count(*) FROM ({query}) AS f"));
        assert_eq!(
            rows, found,
            "type {sf_type} from {start_time} to {end_time}"
        );
    }
}

/// HammerDB's tables: half of the customers have no order, and there are no functions.
#[test]
fn tables_of_another_program_serve_plain_statements() {
    let cluster = Cluster::with_warehouses(&[]);
    let mut session = cluster.connect();
    session.value(
        "DELETE FROM pgperf.data_sets; UPDATE orders SET o_c_id = o_c_id - 1 WHERE o_c_id % 2 = 0; \
         DROP FUNCTION tpcc_order_status",
    );
    let run = session.finish_run(
        "'tpcc-like-sql', clients => 2, transactions_per_client => 300, max_tries => 10, random_seed => 3",
    );
    assert_eq!(session.total(run, "transactions"), 600);
    let without = format!(
        "SELECT sum(calls) FILTER (WHERE starts_with(statement, 'SELECT o_id')) > sum(calls) FILTER (WHERE starts_with(statement, 'SELECT ol_i_id')) \
           FROM pgperf.run_statements WHERE run_id = {run} AND script = 'order status'"
    );
    assert_eq!(session.value(&without), "t");
    let (sqlstate, message, hint) = crate::common::runs::error_of(
        &mut session,
        "SELECT pgperf.start_run('tpcc-like', transactions_per_client => 1)",
    );
    assert_eq!(sqlstate, "42883", "{message}");
    assert!(
        message.starts_with("function \"tpcc_order_status\" of workload \"tpcc-like\""),
        "{message}"
    );
    assert!(hint.contains("run tpcc-like-sql"), "{hint}");
}
