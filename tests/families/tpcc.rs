//! The workloads derived from TPC-C on a server: the tables meet the conditions after a load and after runs, each check fails
//! if its condition is broken, and the shares of a run are those of the clauses.

use super::shares::{expect_share_within, expect_the_same_rows};
use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, StopMode, cases};
use postgres::Client;

const SETTINGS: [&str; 2] = ["max_wal_size = 4GB", "shared_buffers = 256MB"];

/// A cluster with the tables of two warehouses, loaded by several workers.
pub fn loaded() -> (Cluster, Client) {
    let cluster = Cluster::with_warehouses(&SETTINGS);
    let session = cluster.connect();
    (cluster, session)
}

pub fn failed_checks(session: &mut Client) -> String {
    session.value(
        "SELECT coalesce(string_agg(check_name || ': ' || detail, '; '), '') FROM pgperf.\"check\"('tpcc-like') \
          WHERE passed IS NOT TRUE",
    )
}

/// The numbers of the conditions whose checks fail.
fn failed_conditions(session: &mut Client) -> String {
    session.value(
        "SELECT coalesce(string_agg(substring(check_name FROM 'condition (\\d+)'), ' '), '') FROM pgperf.\"check\"('tpcc-like') \
          WHERE passed IS NOT TRUE",
    )
}

/// The numbers of conditions that fail after a statement: sums are compared with more than one other sum, and lines belong to
/// several conditions.
const BREAKS: [(&str, &str); 12] = [
    (
        "1 8",
        "UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2",
    ),
    (
        "2",
        "UPDATE district SET d_next_o_id = 3002 WHERE d_w_id = 2 AND d_id = 7",
    ),
    (
        "3 5 11",
        "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2500",
    ),
    (
        "4 6",
        "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 9 AND ol_number = 1",
    ),
    (
        "5 7",
        "UPDATE orders SET o_carrier_id = NULL WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 9",
    ),
    (
        "6",
        "UPDATE orders SET o_ol_cnt = o_ol_cnt + CASE o_id WHEN 9 THEN 1 ELSE -1 END WHERE o_w_id = 1 AND o_d_id = 3 AND o_id IN (9, 10)",
    ),
    (
        "7",
        "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 9 AND ol_number = 2",
    ),
    (
        "8 9",
        "UPDATE history SET h_w_id = 1 WHERE h_w_id = 2 AND h_d_id = 3 AND h_c_id = 4",
    ),
    (
        "9",
        "UPDATE district SET d_ytd = d_ytd + CASE d_id WHEN 3 THEN 1 ELSE -1 END WHERE d_w_id = 2 AND d_id IN (3, 4)",
    ),
    (
        "10",
        "UPDATE history SET h_c_id = 5 WHERE h_w_id = 2 AND h_d_id = 3 AND h_c_id = 4",
    ),
    (
        "11",
        "UPDATE customer SET c_delivery_cnt = 1 WHERE c_w_id = 2 AND c_d_id = 3 AND c_id = 4",
    ),
    (
        "12",
        "UPDATE customer SET c_ytd_payment = 11 WHERE c_w_id = 2 AND c_d_id = 3 AND c_id = 4",
    ),
];

/// Breaks one condition after the other, each for the time of a transaction.
pub fn expect_each_check_to_fail(session: &mut Client) {
    // In CI every second one.
    for (failing, sql) in BREAKS.into_iter().step_by(12 / cases(6, 12)) {
        session.value("BEGIN");
        session.value(sql);
        assert_eq!(failed_conditions(session), failing, "{sql}");
        session.value("ROLLBACK");
    }
}

#[test]
fn each_check_fails_if_its_condition_is_broken() {
    let (_cluster, mut session) = loaded();
    assert_eq!(failed_checks(&mut session), "");
    assert_eq!(
        session.value(
            "SELECT data_set || ' ' || scale || ' ' || cardinality(relations) FROM pgperf.data_sets"
        ),
        "tpcc-like 2 9"
    );
    expect_each_check_to_fail(&mut session);
    // The detail names the first place.
    session.value("BEGIN");
    session.value("UPDATE district SET d_next_o_id = 3002 WHERE d_w_id = 2 AND d_id IN (5, 6)");
    assert_eq!(
        failed_checks(&mut session),
        "condition 2: d_next_o_id - 1 = largest o_id = largest no_o_id: warehouse 2, district 5: \
         d_next_o_id 3002, largest o_id 3000, largest no_o_id 3000, and 1 more"
    );
    session.value("ROLLBACK");
    session.value("BEGIN");
    session.value("DELETE FROM item WHERE i_id = 77");
    assert_eq!(
        failed_checks(&mut session),
        "item has 100000 rows at scale 2: 99999 rows"
    );
    session.value("ROLLBACK");
}

/// What a run has left in the tables, and what it has counted, agree.
fn expect_agreement(session: &mut Client, run: i64, before: &Before) {
    assert_eq!(failed_checks(session), "");
    let mut counted = |script: &str| {
        session.number(&format!(
            "SELECT transactions FROM pgperf.run_scripts WHERE run_id = {run} AND script = '{script}'"
        ))
    };
    let (orders, invalid, payments) = (
        counted("new order"),
        counted("new order, invalid item"),
        counted("payment"),
    );
    assert!(invalid > 0, "no invalid item");
    let after = Before::read(session);
    assert_eq!(after.next_orders - before.next_orders, orders);
    assert_eq!(after.payments - before.payments, payments);
    assert_eq!(session.total(run, "failed"), 0);
}

struct Before {
    next_orders: i64,
    payments: i64,
}

impl Before {
    fn read(session: &mut Client) -> Before {
        Before {
            next_orders: session.number("SELECT sum(d_next_o_id) FROM district"),
            payments: session.number("SELECT count(*) FROM history"),
        }
    }
}

#[test]
fn runs_keep_the_conditions_and_have_the_shares_of_the_clauses() {
    let (_cluster, mut session) = loaded();
    let run = |session: &mut Client, workload: &str, query_mode: &str, transactions: i64| {
        let before = Before::read(session);
        let run = session.finish_long_run(&format!(
            "'{workload}', clients => 4, transactions_per_client => {transactions}, max_tries => 100, query_mode => '{query_mode}', \
             random_seed => 11, collectors => '{{}}'"
        ));
        expect_agreement(session, run, &before);
        run
    };
    // `make test-full`: 200,000 transactions of each.
    let stored = run(
        &mut session,
        "tpcc-like",
        "prepared",
        cases(1_000, 50_000) as i64,
    );
    let plain = run(
        &mut session,
        "tpcc-like-sql",
        "prepared",
        cases(500, 50_000) as i64,
    );
    run(&mut session, "tpcc-like-sql", "simple", 200);
    run(&mut session, "tpcc-like", "simple", 200);

    // Of 200,000 transactions, the interval of 99 %.
    let deviations = if cases(0, 1) == 1 { 2.576 } else { 3.29 };
    let mut share = |what: &str, found: &str, of: &str, expected: f64| {
        let (found, of) = (session.number(found), session.number(of));
        expect_share_within(deviations, what, found, of, expected);
    };
    let scripts = |run: i64, script: &str| {
        format!(
            "SELECT sum(transactions) FROM pgperf.run_scripts WHERE run_id = {run} AND script LIKE '{script}'"
        )
    };
    for (script, expected) in [
        ("new order%", 0.45),
        ("payment", 0.43),
        ("order status", 0.04),
        ("delivery", 0.04),
        ("stock level", 0.04),
    ] {
        let (found, of) = (scripts(stored, script), scripts(stored, "%"));
        share(script, &found, &of, expected);
    }
    let (found, of) = (
        scripts(stored, "new order, invalid item"),
        scripts(stored, "new order%"),
    );
    share("invalid items", &found, &of, 0.01);
    // The first payments of all customers are the load's.
    let paid = "SELECT count(*) FROM history WHERE h_date > '2026-01-01'";
    let remote_payments = format!("{paid} AND h_c_w_id <> h_w_id");
    share("remote payments", &remote_payments, paid, 0.15);
    let sold = "SELECT count(*) FROM order_line WHERE ol_o_id > 3000";
    let remote_lines = format!("{sold} AND ol_supply_w_id <> ol_w_id");
    share("remote lines", &remote_lines, sold, 0.01);
    // The look-ups by last name are statements of their own in this workload.
    let calls = |start: &str| {
        format!(
            "SELECT sum(calls) FROM pgperf.run_statements WHERE run_id = {plain} AND script IN ('payment', 'order status') \
               AND statement LIKE '{start}%'"
        )
    };
    let (found, of) = (calls("SELECT c_id FROM (SELECT"), calls("BEGIN"));
    share("by last name", &found, &of, 0.6);

    // The runs' metrics say the same, but for tries that failed.
    for (metric, script, found, of) in [
        ("remote_payments_percent", "payment", &remote_payments, paid),
        ("remote_lines_percent", "new order", &remote_lines, sold),
    ] {
        let difference = session.value(&format!(
            "SELECT (SELECT sum(m.value * s.transactions) / sum(s.transactions) \
                       FROM pgperf.run_metrics AS m JOIN pgperf.run_scripts AS s USING (run_id) \
                      WHERE m.metric = '{metric}' AND s.script = '{script}') \
                  - 100.0 * ({found}) / ({of})"
        ));
        println!("{metric}: {difference}");
        assert!(
            difference.parse::<f64>().expect("a number").abs() < 0.1,
            "{metric}: {difference}"
        );
    }
    let by_name = |run: i64| {
        format!(
            "SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'by_last_name_percent'"
        )
    };
    let of_metric: f64 = session.value(&by_name(plain)).parse().expect("a number");
    let of_calls = 100.0 * session.number(&found) as f64 / session.number(&of) as f64;
    assert!((of_metric - of_calls).abs() < 0.5, "{of_metric} {of_calls}");
    assert_eq!(
        session.value(&by_name(stored).replace("value", "value BETWEEN 55 AND 65")),
        "t"
    );

    // All columns that the clauses update.
    let differences = session.value(
        "SELECT count(*) FROM stock LEFT JOIN ( \
            SELECT ol_supply_w_id, ol_i_id, sum(ol_quantity) AS quantity, count(*) AS lines, \
                   count(*) FILTER (WHERE ol_supply_w_id <> ol_w_id) AS remote \
              FROM order_line WHERE ol_o_id > 3000 GROUP BY 1, 2) AS sold ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id \
          WHERE (s_ytd, s_order_cnt, s_remote_cnt) IS DISTINCT FROM (coalesce(quantity, 0), coalesce(lines, 0), coalesce(remote, 0))",
    );
    assert_eq!(differences, "0");
    let differences = session.value(
        "SELECT count(*) FROM customer JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, count(*) AS payments FROM history GROUP BY 1, 2, 3) AS h \
             ON c_w_id = h_c_w_id AND c_d_id = h_c_d_id AND c_id = h_c_id \
          WHERE c_payment_cnt <> payments OR (payments > 1 AND c_credit = 'BC') <> (c_data LIKE c_id || ' %')",
    );
    assert_eq!(differences, "0");
    assert_eq!(
        session.number("SELECT count(*) FROM orders WHERE o_all_local <> (SELECT min((ol_supply_w_id = ol_w_id)::int) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id) AND o_id > 3000"),
        0
    );
    assert_eq!(
        session.number("SELECT count(*) FROM stock WHERE s_quantity NOT BETWEEN 10 AND 100"),
        0
    );
    assert!(
        session.number("SELECT max(c_delivery_cnt) FROM customer") > 0
            && session.number("SELECT count(*) FROM order_line WHERE ol_delivery_d > '2026-01-01'")
                > 0
    );
}

#[test]
fn the_conditions_hold_after_an_immediate_stop() {
    let (cluster, mut session) = loaded();
    session.start_busy_run(
        "'tpcc-like', clients => 4, duration => '1 h', max_tries => 100, sample_interval => '0.2 s'",
    );
    drop(session);
    cluster.stop(StopMode::Immediate);
    cluster.start();
    let mut session = cluster.connect();
    assert!(session.number("SELECT count(*) FROM orders WHERE o_id > 3000") > 0);
    assert_eq!(failed_checks(&mut session), "");
}

#[test]
fn runs_may_stay_in_some_warehouses_and_every_client_in_one() {
    let (_cluster, mut session) = loaded();
    let homes = |session: &mut Client, after: i64| {
        session.value(&format!(
            "SELECT string_agg(DISTINCT h_w_id || '<' || h_c_w_id, ' ') FROM (SELECT * FROM history OFFSET {after}) AS h"
        ))
    };
    let payments = "SELECT count(*) FROM history";
    let before = session.number(payments);
    session.finish_run(
        "'tpcc-like', clients => 2, transactions_per_client => 100, max_tries => 100, options => '{\"warehouses\": \"2-2\"}'",
    );
    // The only other warehouse does not take part, so no payment is remote.
    assert_eq!(homes(&mut session, before), "2<2");
    let before = session.number(payments);
    session.finish_run(
        "'tpcc-like', clients => 1, transactions_per_client => 200, max_tries => 100, options => '{\"home\": \"fixed\"}'",
    );
    assert_eq!(homes(&mut session, before), "1<1 1<2");
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run('tpcc-like', options => '{\"warehouses\": \"3-2\"}')",
    );
    assert_eq!(sqlstate, "22023", "{message}");
    let (_, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run('tpcc-like', options => '{\"home\": \"none\"}')",
    );
    assert!(message.starts_with("home must be "), "{message}");
    assert_eq!(failed_checks(&mut session), "");
}

#[test]
fn foreign_keys_hold() {
    let cluster = Cluster::with_pgperf(&SETTINGS);
    let mut session = cluster.connect();
    session.value(
        "CALL pgperf.init('tpcc-like', options => '{\"foreign_keys\": true, \"fillfactor\": 80}', jobs => 2)",
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated"),
        10
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pg_class WHERE reloptions = '{fillfactor=80}'"),
        6
    );
    for workload in ["tpcc-like", "tpcc-like-sql"] {
        session.finish_run(&format!(
            "'{workload}', clients => 4, transactions_per_client => 100, max_tries => 100"
        ));
    }
    assert_eq!(failed_checks(&mut session), "");
    // Loading again replaces tables that refer to each other.
    session.value("CALL pgperf.init('tpcc-like')");
    assert_eq!(failed_checks(&mut session), "");
}

#[test]
fn rows_are_the_same_however_they_are_written() {
    expect_the_same_rows(
        "CALL pgperf.init('tpcc-like', jobs => 2)",
        &[
            "item",
            "warehouse",
            "district",
            "stock",
            "customer",
            "history",
            "orders",
            "new_order",
            "order_line",
        ],
        "3a4f7f5d3e4fc1add8cd13265bb4d51d",
    );
}
