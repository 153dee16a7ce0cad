//! Refresh functions of the workload derived from TPC-H: they are part of runs, and leave the tables as they were.

use super::shares::{expect_failures, failed_checks, transactions};
use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::wait_until;
use postgres::Client;

const WITH_NEW_ORDERS: &str = "scale => 0.01, options => '{\"refresh_orders\": true}'";
/// What runs begin with.
const REFRESH: &str = "'tpch-like', options => '{\"refresh\": true}'";

fn load(arguments: &str) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&["max_wal_size = 4GB", "shared_buffers = 256MB"]);
    let mut session = cluster.connect();
    let load = session.number(&format!("CALL pgperf.init('tpch-like', {arguments})"));
    assert_eq!(session.status(load), "finished");
    (cluster, session)
}

/// What orders and lines there are.
fn contents(session: &mut Client) -> String {
    session.value(
        "SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY o::text)) FROM orders o) || ' ' || \
                (SELECT md5(string_agg(l::text, ',' ORDER BY l::text)) FROM lineitem l)",
    )
}

fn orders(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM orders")
}

/// The rows that the statements of a script changed that begin like this.
fn rows(session: &mut Client, run: i64, script: &str, start: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(rows::text, ' ' ORDER BY command_no) FROM pgperf.run_statements \
          WHERE run_id = {run} AND script = '{script}' AND starts_with(statement, '{start}')"
    ))
}

/// The metrics of a run that there are.
fn metrics(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT string_agg(metric, ' ' ORDER BY metric) FROM pgperf.run_metrics \
          WHERE run_id = {run} AND value > 0 AND (metric ~ '_at_size$' OR metric = 'geometric_mean_s')"
    ))
}

fn refreshes(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = 'refreshes'"
    ))
}

/// A run whose first query that reads region waits, which is after the first refresh function. The lock is the other session's.
fn start_and_hold(session: &mut Client, other: &mut Client, arguments: &str) -> i64 {
    other.batch_execute("BEGIN; LOCK TABLE region").unwrap();
    let run = session.start_run(arguments);
    wait_until("new orders", PATIENCE, || orders(session) == 15_015);
    run
}

#[test]
fn a_power_run_inserts_orders_before_its_queries_and_deletes_them_afterwards() {
    let (cluster, mut session) = load(WITH_NEW_ORDERS);
    let before = contents(&mut session);
    assert_eq!(
        session.value("SELECT count(*) || ' ' || min(o_orderkey) FROM refresh_orders"),
        "15 9"
    );
    let lines = session.value("SELECT count(*) FROM refresh_lineitem");

    let run = session.finish_run(&format!("{REFRESH}, transaction_log => true"));
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(script, ' ' ORDER BY transaction_no) FROM pgperf.run_transactions \
               JOIN pgperf.run_scripts USING (node_id, run_id, script_no) WHERE run_id = {run}"
        )),
        "rf1 q14 q02 q09 q20 q06 q17 q18 q08 q21 q13 q03 q22 q16 q04 q11 q15 q01 q10 q19 q05 q07 q12 rf2"
    );
    assert_eq!(
        rows(&mut session, run, "rf1", "INSERT"),
        format!("15 {lines}")
    );
    assert_eq!(
        rows(&mut session, run, "rf2", "DELETE"),
        format!("{lines} 15")
    );
    assert_eq!(contents(&mut session), before);
    assert_eq!(refreshes(&mut session, run), "2");
    assert_eq!(
        metrics(&mut session, run),
        "geometric_mean_s power_at_size queries_per_hour_at_size throughput_at_size"
    );

    // One that is stopped puts everything back.
    let mut other = cluster.connect();
    let run = start_and_hold(&mut session, &mut other, REFRESH);
    // The second time, it does not wait for the statement.
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    other.batch_execute("ROLLBACK").unwrap();
    assert_eq!(contents(&mut session), before);

    // What a crash has left, the checks find, and the next run deletes it.
    let leave = "INSERT INTO orders SELECT * FROM refresh_orders; INSERT INTO lineitem SELECT * FROM refresh_lineitem";
    expect_failures(
        &mut session,
        "tpch-like",
        &[
            (
                "7 21",
                "WITH o AS (INSERT INTO orders SELECT * FROM refresh_orders) INSERT INTO lineitem SELECT * FROM refresh_lineitem",
            ),
            ("20", "DELETE FROM refresh_orders WHERE o_orderkey = 9"),
        ],
    );
    session.batch_execute(leave).unwrap();
    let run = session.finish_run(REFRESH);
    assert_eq!(session.total(run, "failed"), 0);
    assert_eq!(contents(&mut session), before);
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");

    // Without refreshes, the new orders take no part.
    let run = session.finish_run("'tpch-like'");
    assert_eq!(session.total(run, "transactions"), 22);
    assert_eq!(refreshes(&mut session, run), "0");

    session.value("CALL pgperf.init('tpch-like', scale => 0.01)");
    assert_eq!(session.value("SELECT to_regclass('refresh_orders')"), "");
    let (code, message, hint) =
        error_of(&mut session, &format!("SELECT pgperf.start_run({REFRESH})"));
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "22023",
            "refresh must be false on tables without new orders, not true"
        )
    );
    assert!(hint.contains("refresh_orders"), "{hint}");
}

#[test]
fn a_throughput_run_has_a_stream_of_refreshes_beside_its_queries() {
    let (_cluster, mut session) = load(
        "scale => 0.01, options => '{\"refresh_orders\": true, \"foreign_keys\": true, \"decimals\": \"float\"}'",
    );
    let before = contents(&mut session);
    let run = session.finish_run(&format!("{REFRESH}, clients => 2"));
    assert_eq!(session.total(run, "failed"), 0);
    assert_eq!(session.total(run, "transactions"), 2 * 22 + 2 * 2);
    assert_eq!(
        session.value(&format!(
            "SELECT clients || ' ' || (spec -> 'call' ->> 'clients') FROM pgperf.runs WHERE run_id = {run}"
        )),
        "3 2"
    );
    for (script, expected) in [("rf1", 2), ("rf2", 2), ("q01", 2), ("q22", 2)] {
        assert_eq!(
            transactions(&mut session, run, script),
            expected,
            "{script}"
        );
    }
    assert_eq!(refreshes(&mut session, run), "4");
    assert_eq!(
        metrics(&mut session, run),
        "geometric_mean_s throughput_at_size"
    );
    let wanted = "number of transactions actually processed: 48/48";
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.report({run}) AS r (line) WHERE line = '{wanted}'"
        )),
        1
    );
    assert_eq!(contents(&mut session), before);
    // Sums of double precision depend on the plan, but only in their last digits.
    assert_eq!(
        session.value(
            "SELECT count(*) || ' ' || count(*) FILTER (WHERE passed) FROM pgperf.\"check\"('tpch-like', full => true)"
        ),
        "43 43"
    );
}

#[test]
fn a_run_that_goes_on_after_a_crash_leaves_the_tables_as_they_were() {
    let (cluster, mut session) = load(WITH_NEW_ORDERS);
    let before = contents(&mut session);
    let mut other = cluster.connect();
    let run = start_and_hold(
        &mut session,
        &mut other,
        &format!("{REFRESH}, resume => true"),
    );
    cluster.crash();
    cluster.start();
    session = cluster.connect();
    assert_eq!(orders(&mut session), 15_015);
    session.value(&format!("SELECT pgperf.resume_run({run})"));
    session.wait_for_status(run, "finished");
    assert_eq!(session.total(run, "failed"), 0);
    assert_eq!(contents(&mut session), before);
    assert_eq!(failed_checks(&mut session, "tpch-like"), "");
}
