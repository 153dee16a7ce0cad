//! The time between transactions and statements: think time, round trips, the schedule of a rate.

use std::time::Duration;

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs, at_once};
use postgres::Client;
use script::random;

fn total(session: &mut Client, run: i64, column: &str) -> f64 {
    session.float(&format!(
        "SELECT {column} FROM pgperf.run_summary WHERE run_id = {run}"
    ))
}

#[test]
fn think_time_lies_between_transactions_not_in_them() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "script => 'SELECT 1;', clients => 2, duration => '3 s', think_time => '20 ms'",
    );
    let transactions = session.total(run, "transactions");
    // 150 pauses a client at most.
    assert!((100..=302).contains(&transactions), "{transactions}");
    let median = total(&mut session, run, "latency_p50_ms");
    assert!(median < 10.0, "{median} ms");
    let seconds = total(&mut session, run, "duration_s");
    assert!(seconds >= 2.9, "{seconds} s");
    let run = session.start_run("script => 'SELECT 1;', duration => '1 h', think_time => '10 min'");
    session.wait_for_status(run, "running");
    at_once("stop while thinking", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
}

#[test]
fn a_round_trip_follows_each_statement_that_leaves_its_block_open() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let script = "script => E'BEGIN;\\nSELECT 1;\\nSELECT 2;\\nEND;\\nSELECT 3;', \
         transactions_per_client => 200";
    for (round_trip, ms) in [("10 ms", 10.0), ("200 us", 0.2)] {
        let run = session.finish_run(&format!("{script}, round_trip => '{round_trip}'"));
        let median = total(&mut session, run, "latency_p50_ms");
        // After BEGIN and two SELECTs; not after END and what comes after it.
        assert!(
            median >= 3.0 * ms && median < 3.0 * ms + 5.0,
            "{median} ms with {round_trip}"
        );
        let statements = session.float(&format!(
            "SELECT max(latency_p50_ms) FROM pgperf.run_statements WHERE run_id = {run}"
        ));
        assert!(statements < ms.max(2.0), "a statement took {statements} ms");
    }
    let run = session.start_run(&format!("{script}, round_trip => '10 min'"));
    session.wait_for_clients(run, 1, "state = 'idle in transaction'");
    at_once("stop in a round trip", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
}

/// How many transactions a client's schedule holds before the end of the run.
fn scheduled(seed: u64, clients: usize, rate: f64, seconds: f64) -> i64 {
    let streams = random::Streams::derive(seed, clients, clients, None);
    let mean_us = 1e6 / rate * clients as f64;
    let counts = streams.threads.into_iter().map(|mut thread| {
        let mut due = 0;
        let mut count = 0;
        loop {
            due += random::poisson(&mut thread.throttle, mean_us);
            if due as f64 >= seconds * 1e6 {
                return count;
            }
            count += 1;
        }
    });
    counts.sum()
}

#[test]
fn half_the_capacity_is_hit_within_one_percent() {
    const SEED: u64 = 5;
    const SECONDS: f64 = 10.0;
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let free = session.finish_run("'select-only', clients => 2, duration => '2 s'");
    // A schedule of single microseconds is another test's.
    let rate = (total(&mut session, free, "tps") / 2.0).min(4000.0).floor();
    let run = session.finish_run(&format!(
        "'select-only', clients => 2, rate => {rate}, duration => '{SECONDS} s', random_seed => {SEED}"
    ));
    // The number that the seed schedules, which is within the noise of the rate, to the last few.
    let expected = scheduled(SEED, 2, rate, SECONDS);
    let transactions = session.total(run, "transactions");
    println!("{rate} a second: {transactions} of {expected}");
    assert!(
        (transactions - expected).abs() <= expected / 100,
        "{transactions} of {expected}"
    );
    let noise = 4.0 / (rate * SECONDS).sqrt();
    assert!((expected as f64 / (rate * SECONDS) - 1.0).abs() < noise);
    // Without a limit nothing is left out, and the lag is reported.
    assert_eq!(session.total(run, "skipped"), 0);
    let (avg, max) = (
        total(&mut session, run, "lag_avg_ms"),
        total(&mut session, run, "lag_max_ms"),
    );
    assert!(avg > 0.0 && max >= avg, "{avg} {max}");
    let of_intervals = format!(
        "SELECT concat_ws(' ', bool_and(lag_avg_ms <= lag_max_ms), max(lag_max_ms) <= {max}) \
         FROM pgperf.run_intervals WHERE run_id = {run} AND transactions > 0"
    );
    assert_eq!(session.value(&of_intervals), "t t");
    let report = format!(
        "SELECT count(*) FROM pgperf.report({run}) line WHERE line ~ '^rate limit schedule lag: avg '"
    );
    assert_eq!(session.number(&report), 1);
}

/// Another session locks the table for two seconds in the middle of a run.
fn run_with_stall(cluster: &Cluster, arguments: &str) -> i64 {
    let mut session = cluster.connect();
    let run = session.start_busy_run(&format!(
        "'select-only', rate => 500, duration => '8 s', sample_interval => '0.5 s', {arguments}"
    ));
    let mut other = cluster.connect();
    other
        .value("BEGIN; LOCK pgbench_accounts IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(2); COMMIT");
    session.wait_for_status(run, "finished");
    run
}

#[test]
fn a_stall_shows_in_all_that_should_have_run_meanwhile() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    // One transaction met the lock; a quarter of all was due while it was held.
    let run = run_with_stall(&cluster, "latency_limit => '10 min'");
    let (p99, max) = (
        total(&mut session, run, "latency_p99_ms"),
        total(&mut session, run, "latency_max_ms"),
    );
    assert!(max >= 1900.0 && p99 >= 1500.0, "p99 {p99}, max {max}");
    let lag = total(&mut session, run, "lag_max_ms");
    assert!(lag >= 1800.0, "{lag}");
    let interval_lag =
        format!("SELECT max(lag_max_ms) FROM pgperf.run_intervals WHERE run_id = {run}");
    assert!((session.float(&interval_lag) - lag).abs() < 1.0);
    let quiet = format!(
        "SELECT lag_max_ms FROM pgperf.run_intervals WHERE run_id = {run} ORDER BY interval_no LIMIT 1"
    );
    assert!(session.float(&quiet) < 1000.0, "before the stall");
    assert_eq!(session.total(run, "late"), 0);

    // With a limit, those are late or not even tried.
    let run = run_with_stall(&cluster, "latency_limit => '100 ms'");
    let (late, skipped) = (session.total(run, "late"), session.total(run, "skipped"));
    assert!(late >= 1, "{late} late");
    assert!(skipped >= 500, "{skipped} skipped");
    let max = total(&mut session, run, "latency_max_ms");
    assert!(max >= 1900.0, "{max}");
}

#[test]
fn a_stop_does_not_wait_for_sleep() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("script => E'\\\\sleep 600 s\\nSELECT 1;', duration => '1 h'");
    session.wait_for_status(run, "running");
    std::thread::sleep(Duration::from_millis(300));
    at_once("stop in \\sleep", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
    crate::common::wait_until("no worker", PATIENCE, || session.workers() == 0);
}
