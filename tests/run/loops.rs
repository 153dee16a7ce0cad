//! Loops in scripts: a client in one that never ends and never runs a statement ends with its run, its leader and its
//! server all the same.

use std::time::{Duration, Instant};

use crate::common::runs::{AT_ONCE, PATIENCE, Runs, at_once, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// How long clients may finish their transaction after a stop.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Loops that never end: with nothing in them, outside and inside a transaction, and with a wait.
const ENDLESS: [&str; 3] = [
    "SELECT nextval(''arrived'');\\n\\\\while true\\n\\\\endwhile",
    "BEGIN;\\nSELECT nextval(''arrived'');\\n\\\\while 1\\n\\\\set i 1\\n\\\\endwhile\\nEND;",
    "SELECT nextval(''arrived'');\\n\\\\while 1\\n\\\\sleep 1 ms\\n\\\\endwhile",
];

fn cluster() -> Cluster {
    let cluster = Cluster::for_faults(&[]);
    cluster.connect().value("CREATE SEQUENCE arrived");
    cluster
}

/// A run whose client is in its loop.
fn start(session: &mut Client, script: &str) -> i64 {
    session.value("ALTER SEQUENCE arrived RESTART");
    let run = session.start_run(&format!("script => E'{script}', duration => '1 h'"));
    wait_until("the client to reach its loop", PATIENCE, || {
        session.value("SELECT is_called FROM arrived") == "t"
    });
    session.wait_for_status(run, "running");
    run
}

fn stop(session: &mut Client, run: i64) -> String {
    session.value(&format!("SELECT pgperf.stop_run({run})"))
}

#[test]
fn a_second_stop_ends_an_endless_loop() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for script in ENDLESS {
        let run = start(&mut session, script);
        assert_eq!(stop(&mut session, run), "t");
        session.wait_for_status(run, "draining");
        assert_eq!(stop(&mut session, run), "t");
        session.expect_no_workers(&format!("the second stop_run of {script}"));
        assert_eq!(session.status(run), "stopped", "{script}");
        // What did not come to its end counts as nothing.
        assert_eq!(session.total(run, "transactions"), 0);
        assert_eq!(session.total(run, "failed"), 0);
    }
    expect_next_run(&mut session);
}

#[test]
fn a_stop_gives_an_endless_loop_a_grace_then_ends_it() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = start(&mut session, ENDLESS[0]);
    let began = Instant::now();
    assert_eq!(stop(&mut session, run), "t");
    session.wait_for_status(run, "stopped");
    let took = began.elapsed();
    assert!(took >= STOP_GRACE, "no grace: {took:?}");
    assert!(took < STOP_GRACE + AT_ONCE, "{took:?}");
    session.expect_no_workers("stop_run");
}

#[test]
fn a_client_in_a_loop_can_be_terminated() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for script in ENDLESS {
        let run = start(&mut session, script);
        let client = session.client(run, 0);
        session.value(&format!("SELECT pg_terminate_backend({client})"));
        wait_until("the client to go", AT_ONCE, || {
            session.number(&format!(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = {client}"
            )) == 0
        });
        session.wait_for_status(run, "failed");
        session.expect_no_workers(script);
    }
}

#[test]
fn a_cancel_is_an_error_of_the_loop() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = start(&mut session, ENDLESS[1]);
    let client = session.client(run, 0);
    session.value(&format!("SELECT pg_cancel_backend({client})"));
    session.wait_for_status(run, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, command_no, message) FROM pgperf.run_errors WHERE run_id = {run}"
        )),
        "57014 4 canceling statement due to user request"
    );
    session.expect_no_workers("the cancel");
}

#[test]
fn a_fast_shutdown_ends_an_endless_loop() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = start(&mut session, ENDLESS[1]);
    drop(session);
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "interrupted");
    expect_next_run(&mut session);
}

#[test]
fn a_loop_sends_its_statements_each_time() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE noted (n int)");
    for mode in ["simple", "extended", "prepared"] {
        session.value("TRUNCATE noted");
        let run = session.finish_run(&format!(
            "script => E'\\\\set n 0\\n\\\\while :n < 5\\n\\\\set n :n + 1\\n\\\\if :n <> 3\\n\
             INSERT INTO noted VALUES (:n);\\n\\\\endif\\n\\\\endwhile', transactions_per_client => 2, query_mode => '{mode}'"
        ));
        assert_eq!(session.total(run, "transactions"), 2);
        assert_eq!(
            session.value("SELECT string_agg(n::text, '' ORDER BY ctid) FROM noted"),
            "12451245",
            "{mode}"
        );
        assert_eq!(
            session.number(&format!(
                "SELECT calls FROM pgperf.run_statements WHERE run_id = {run} AND is_sql"
            )),
            8,
            "{mode}"
        );
    }
}
