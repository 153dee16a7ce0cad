//! Terminals with keying and think times, and the metrics of runs of the load derived from TPC-C.

use super::tpcc::loaded;
use crate::common::expect_near;
use crate::common::runs::{Runs, error_of};
use postgres::Client;

fn metric(session: &mut Client, run: i64, name: &str) -> f64 {
    let value = session.value(&format!(
        "SELECT value FROM pgperf.run_metrics WHERE run_id = {run} AND metric = '{name}'"
    ));
    value.parse().unwrap_or_else(|_| panic!("{name}: {value}"))
}

/// Transactions per second of so many terminals if transactions took no time: keying and mean think times of 5.2.5.7, by the weights of the transactions.
fn specified_rate(terminals: f64, waits: f64) -> f64 {
    terminals / (waits * (0.45 * 30.0 + 0.43 * 15.0 + 0.04 * 12.0 + 0.08 * 7.0))
}

/// A thousand users at a multiple of the specified waits, for so many seconds.
fn hold_the_rate(waits: f64, seconds: u32) {
    let (_cluster, mut session) = loaded();
    let run = session.finish_long_run(&format!(
        "'tpcc-like', clients => 8, duration => '{seconds} s', max_tries => 100, random_seed => 5, \
         options => '{{\"terminals\": 1000, \"waits\": {waits}}}'"
    ));
    let specified = specified_rate(1000.0, waits);
    let tps: f64 = session
        .value(&format!(
            "SELECT tps FROM pgperf.run_summary WHERE run_id = {run}"
        ))
        .parse()
        .expect("a rate");
    expect_near("tps", tps, specified, 0.02);
    let efficiency = metric(&mut session, run, "terminal_efficiency_percent");
    expect_near("efficiency", efficiency, 100.0 * tps / specified, 1e-6);
    let nopm = metric(&mut session, run, "nopm");
    expect_near("new orders", nopm, tps * 60.0 * 0.4455, 0.1);
    assert_eq!(metric(&mut session, run, "slow_types"), 0.0);
    let shown = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) AS line"
    ));
    assert!(
        shown.contains("schedule of 1000 terminals: lag: avg "),
        "{shown}"
    );
    // Latency counts from when a transaction was due.
    let lag = session.value(&format!(
        "SELECT lag_avg_ms > 0 AND latency_avg_ms > lag_avg_ms FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    assert_eq!(lag, "t");
    assert_eq!(
        session.value("SELECT bool_and(passed) FROM pgperf.\"check\"('tpcc-like')"),
        "t"
    );
}

#[test]
fn a_thousand_terminals_hold_the_specified_rate() {
    hold_the_rate(0.5, 30);
}

#[test]
fn a_thousand_terminals_hold_the_specified_rate_for_minutes() {
    hold_the_rate(1.0, 300);
}

#[test]
fn efficiency_is_the_share_of_the_specified_rate() {
    let (_cluster, mut session) = loaded();
    let run = session.finish_run(
        "'tpcc-like', clients => 2, duration => '3 s', max_tries => 100, options => '{\"terminals\": 20, \"waits\": 0.1}'",
    );
    let tps: f64 = metric_of_summary(&mut session, run, "tps");
    let efficiency = metric(&mut session, run, "terminal_efficiency_percent");
    let expected = 100.0 * tps / specified_rate(20.0, 0.1);
    expect_near("efficiency", efficiency, expected, 1e-6);
}

#[test]
fn each_terminal_keeps_its_warehouse() {
    let (_cluster, mut session) = loaded();
    // Those of the first warehouse alone: ten terminals are one warehouse.
    session.finish_run(
        "'tpcc-like', clients => 2, transactions_per_client => 100, max_tries => 100, \
         options => '{\"terminals\": 10, \"waits\": 0}'",
    );
    let homes =
        "SELECT string_agg(DISTINCT h_w_id::text, ' ') FROM history WHERE h_date > '2026-01-01'";
    assert_eq!(session.value(homes), "1");
    session.finish_run(
        "'tpcc-like', clients => 2, transactions_per_client => 100, max_tries => 100, \
         options => '{\"terminals\": 20, \"waits\": 0}'",
    );
    assert_eq!(session.value(homes), "1 2");
}

#[test]
fn what_terminals_cannot_have_is_refused() {
    let (_cluster, mut session) = loaded();
    let terminals = "options => '{\"terminals\": 10}'";
    for (arguments, message) in [
        (
            format!("rate => 10, {terminals}"),
            "rate and terminals exclude each other",
        ),
        (
            format!("think_time => '1 s', {terminals}"),
            "think_time and terminals exclude each other",
        ),
        (
            format!("reconnect => 5, {terminals}"),
            "reconnect and terminals exclude each other",
        ),
        (
            format!("clients => 11, {terminals}"),
            "terminals must be at least the number of clients, 11, not 10",
        ),
        (
            "options => '{\"terminals\": 0}'".to_owned(),
            "terminals must be an integer from 1 to 1000000",
        ),
        (
            "options => '{\"waits\": -1}'".to_owned(),
            "waits must be a number from 0 to 100",
        ),
    ] {
        let call = format!("SELECT pgperf.start_run('tpcc-like', {arguments})");
        let (sqlstate, found, _) = error_of(&mut session, &call);
        assert_eq!(sqlstate, "22023", "{found}");
        assert!(found.starts_with(message), "{found}");
    }
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        0
    );
}

/// The conditions of a warehouse's data and the metrics tell the same.
#[test]
fn new_orders_per_minute_are_those_that_the_districts_count() {
    let (_cluster, mut session) = loaded();
    let mut runs = Vec::new();
    for workload in ["tpcc-like", "tpcc-like-sql"] {
        let next = "SELECT sum(d_next_o_id) FROM district";
        let before = session.number(next);
        let run = session.finish_run(&format!(
            "'{workload}', clients => 3, duration => '3 s', max_tries => 100"
        ));
        let orders = (session.number(next) - before) as f64;
        let seconds = metric_of_summary(&mut session, run, "duration_s");
        let nopm = metric(&mut session, run, "nopm");
        expect_near(workload, nopm * seconds / 60.0, orders, 1e-6);
        let tps = metric_of_summary(&mut session, run, "tps");
        expect_near("tpm", metric(&mut session, run, "tpm"), tps * 60.0, 1e-6);
        runs.push(run.to_string());
    }
    // It is in a comparison, before what every run has.
    let place = session.value(&format!(
        "SELECT direction || ' ' || unit FROM pgperf.compare({}) WHERE metric = 'nopm'",
        runs.join(", ")
    ));
    assert_eq!(place, "higher per minute");
    // The types of transactions side by side.
    let types = session.value(&format!(
        "SELECT string_agg(object, ', ' ORDER BY object) FROM pgperf.compare({}) WHERE category = 'scripts' AND metric = 'tps' \
           AND baseline > 0 AND candidate > 0",
        runs.join(", ")
    ));
    assert!(
        types.starts_with("delivery, new order, ")
            && types.ends_with("order status, payment, stock level"),
        "{types}"
    );
}

fn metric_of_summary(session: &mut Client, run: i64, column: &str) -> f64 {
    let value = session.value(&format!(
        "SELECT {column} FROM pgperf.run_summary WHERE run_id = {run}"
    ));
    value.parse().expect("a number")
}
