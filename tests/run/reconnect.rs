//! Clients that get a new session after a number of transactions.

use std::thread::sleep;
use std::time::Duration;

use crate::common::aftermath::Aftermath;
use crate::common::runs::{PATIENCE, Runs, at_once};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// Leaves what was drawn and kept, and in which session.
const SCRIPT: &str = "script => E'\\\\set draw random(1, 1000000)\\n\\\\if :draw > 900000\\n\\\\set kept :draw * 0.1\\n\\\\endif\\n\
    INSERT INTO drawn VALUES (:client_id, :draw, :kept, pg_backend_pid());', variables => '{\"kept\": \"none\"}'";
const TABLE: &str = "CREATE TABLE drawn (client int, draw int, kept text, pid int, n serial)";
const DRAWN: &str =
    "SELECT md5(string_agg(concat_ws(' ', client, draw, kept), ',' ORDER BY client, n)) FROM drawn";

#[test]
fn the_work_goes_on_as_if_there_had_been_no_break() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(TABLE);
    let counts = "clients => 2, transactions_per_client => 95, random_seed => 11";
    session.finish_run(&format!("{SCRIPT}, {counts}"));
    let without = session.value(DRAWN);
    session.value("TRUNCATE drawn");
    let run = session.finish_run(&format!("{SCRIPT}, {counts}, reconnect => 10"));
    assert_eq!(session.value(DRAWN), without);
    // Ten sessions a client, the last one of five transactions.
    assert_eq!(
        session.value(
            "SELECT string_agg(concat_ws(' ', client, sessions, most), ', ' ORDER BY client) FROM ( \
                 SELECT client, count(*) AS sessions, max(n) AS most FROM ( \
                     SELECT client, pid, count(*) AS n FROM drawn GROUP BY 1, 2) s GROUP BY 1) q"
        ),
        "0 10 10, 1 10 10"
    );
    assert_eq!(session.total(run, "transactions"), 190);
    assert_eq!(session.total(run, "reconnects"), 18);
    let sane = "(reconnect_avg_ms BETWEEN 0.1 AND 5000)::int";
    assert_eq!(session.total(run, sane), 1);
    let calls =
        format!("SELECT min(calls) FROM pgperf.run_statements WHERE run_id = {run} AND is_sql");
    assert_eq!(session.number(&calls), 190);
    let report = session.value(&format!(
        "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    assert!(report.contains("average connection time = "), "{report}");
    assert!(
        report.contains("(including reconnection times)"),
        "{report}"
    );
    assert_eq!(session.workers(), 0);
}

#[test]
fn a_reconnecting_run_ends_by_time_stop_and_shutdown() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "'tpcb-like', clients => 2, duration => '2 s', reconnect => 20, transaction_log => true",
    );
    assert!(session.total(run, "reconnects") > 4);
    let logged = format!(
        "SELECT count(DISTINCT (client_id, transaction_no)) FROM pgperf.run_transactions WHERE run_id = {run}"
    );
    assert_eq!(session.number(&logged), session.total(run, "transactions"));
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_history"),
        session.total(run, "transactions")
    );
    let endless =
        "'tpcb-like', clients => 3, duration => '1 h', reconnect => 5, sample_interval => '0.1 s'";
    let run = session.start_busy_run(endless);
    at_once("stop", || {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        session.wait_for_status(run, "stopped");
    });
    session.expect_no_workers("the stop");
    let run = session.start_busy_run(endless);
    at_once("shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "interrupted");
    assert_eq!(session.workers(), 0);
}

#[test]
fn a_client_that_cannot_connect_again_fails_the_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'tpcb-like', clients => 2, duration => '1 h', reconnect => 5, sample_interval => '0.1 s'",
    );
    let mut other = cluster.connect_to("template1");
    other.value("ALTER DATABASE postgres ALLOW_CONNECTIONS false");
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        error.starts_with("57P01 client") && error.contains("could not connect again"),
        "{error}"
    );
    session.expect_no_workers("the failure");
    other.value("ALTER DATABASE postgres ALLOW_CONNECTIONS true");
}

/// A run that takes slots of another's clients while those are between two sessions; its number.
fn take_slots(cluster: &Cluster, session: &mut Client, from: i64, workload: &str) -> i64 {
    let leader = u32::try_from(session.leader(from)).expect("a process id");
    // Nobody gives its clients their next sessions.
    cluster.signal(leader, "STOP");
    wait_until("the end of their sessions", PATIENCE, || {
        session.workers() == 1
    });
    let taken = session.start_run(&format!("script => 'SELECT pg_sleep(0.1);', {workload}"));
    session.wait_for_status(taken, "running");
    cluster.signal(leader, "CONT");
    taken
}

/// Others take the slot of a client that is between two sessions: for a while it waits for one.
#[test]
fn a_client_without_a_worker_slot_waits_for_one_but_not_for_ever() {
    let cluster = Cluster::for_faults(&[]);
    let (mut session, mut other) = (cluster.connect(), cluster.connect());
    session.value(TABLE);
    // Of 16 slots the launcher of logical replication has one, and the leaders two: one client too many.
    let run = session.start_busy_run(
        "script => 'INSERT INTO drawn (client) VALUES (:client_id);', clients => 8, duration => '1 h', \
         reconnect => 1, sample_interval => '0.5 s'",
    );
    let mut working = || {
        session.value("TRUNCATE drawn");
        sleep(Duration::from_millis(300));
        session.number("SELECT count(DISTINCT client) FROM drawn")
    };
    wait_until("all to work", PATIENCE, || working() == 8);
    let filler = take_slots(&cluster, &mut other, run, "clients => 6, duration => '4 s'");
    wait_until("the others to go on", PATIENCE, || working() == 7);
    assert_eq!(other.status(filler), "running");
    other.wait_for_status(filler, "finished");
    wait_until("all to work again", PATIENCE, || working() == 8);

    // There is none left for any of them.
    let filler = take_slots(
        &cluster,
        &mut other,
        run,
        "clients => 13, duration => '1 h'",
    );
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        error.starts_with("53400 could not start client ")
            && error.ends_with(" of 8: all 16 worker slots (max_worker_processes) are in use"),
        "{error}"
    );
    assert_eq!(other.status(filler), "running");
    other.value(&format!("SELECT pgperf.stop_run({filler})"));
    other.wait_for_status(filler, "stopped");
    session.expect_nothing_left("a client without a worker slot");
}
