//! Runs that begin at a moment given beforehand.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::wait_until;
use postgres::Client;

/// A script that notes who runs it when.
const NOTES: &str = "script => 'INSERT INTO noted VALUES (:client_id, clock_timestamp());'";

/// How late something may be that begins at a moment. A run counts by another clock, which may be a little ahead.
const AT_ONCE_MS: std::ops::Range<f64> = -5.0..100.0;

fn cluster() -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE noted (client int, at timestamptz)");
    (cluster, session)
}

/// Starts a run so many seconds from now; its number and the moment.
fn start(session: &mut Client, seconds: f64, arguments: &str) -> (i64, String) {
    let at = session.value(&format!("SELECT now() + {seconds} * interval '1 s'"));
    let run = session.start_run(&format!("{arguments}, start_at => '{at}'"));
    (run, at)
}

/// How much later something of a run was, in milliseconds.
fn ms_after(session: &mut Client, at: &str, moment: &str) -> f64 {
    session.float(&format!(
        "SELECT EXTRACT(epoch FROM ({moment}) - '{at}'::timestamptz)::float8 * 1000"
    ))
}

#[test]
fn the_clients_are_ready_before_and_begin_at_the_moment() {
    let (_cluster, mut session) = cluster();
    let arguments =
        format!("{NOTES}, clients => 2, duration => '0.5 s', sample_interval => '0.1 s'");
    let (run, at) = start(&mut session, 2.0, &arguments);
    session.wait_for_status(run, "waiting");
    let ready = format!("SELECT spec ? 'ready_at' FROM pgperf.runs WHERE run_id = {run}");
    wait_until("its clients", PATIENCE, || session.value(&ready) == "t");
    let clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client'";
    assert_eq!(session.number(clients), 2);
    assert_eq!(session.number("SELECT count(*) FROM noted"), 0);
    session.wait_for_status(run, "finished");
    let measured = format!("SELECT measured_at FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(ms_after(&mut session, &at, &measured), 0.0);
    let first = format!(
        "SELECT started_at FROM pgperf.run_intervals WHERE run_id = {run} AND interval_no = 0"
    );
    for moment in ["SELECT min(at) FROM noted", &first] {
        let late = ms_after(&mut session, &at, moment);
        assert!(AT_ONCE_MS.contains(&late), "{moment}: {late} ms");
    }
    // Another run cannot begin at that moment.
    let call = format!("SELECT pgperf.report_json({run}) ->> 'call' ~ 'start_at'");
    assert_eq!(session.value(&call), "f");
}

#[test]
fn a_warm_up_begins_at_the_moment() {
    let (_cluster, mut session) = cluster();
    let arguments = format!("{NOTES}, warmup => '0.6 s', duration => '0.3 s'");
    let (run, at) = start(&mut session, 1.5, &arguments);
    session.wait_for_status(run, "finished");
    let late = ms_after(&mut session, &at, "SELECT min(at) FROM noted");
    assert!(AT_ONCE_MS.contains(&late), "{late} ms");
    let column = |name: &str| format!("SELECT {name} FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(ms_after(&mut session, &at, &column("started_at")), 0.0);
    assert_eq!(ms_after(&mut session, &at, &column("measured_at")), 600.0);
    let first = format!("SELECT min(started_at) FROM pgperf.run_intervals WHERE run_id = {run}");
    let late = ms_after(&mut session, &at, &first);
    assert!(AT_ONCE_MS.contains(&(late - 600.0)), "{late} ms");
}

#[test]
fn what_is_not_ready_does_not_begin() {
    let (_cluster, mut session) = cluster();
    let slow = format!("{NOTES}, before_sql => 'SELECT pg_sleep(1.5)'");
    let (run, _) = start(&mut session, 0.7, &slow);
    session.wait_for_status(run, "failed");
    let error = format!("SELECT error FROM pgperf.runs WHERE run_id = {run}");
    let error = session.value(&error);
    assert!(error.contains("was not ready at start_at"), "{error}");
    // One that is stopped before does not, either.
    let (run, _) = start(&mut session, 60.0, NOTES);
    session.wait_for_status(run, "waiting");
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    assert_eq!(session.number("SELECT count(*) FROM noted"), 0);
    session.expect_no_workers("the runs");
}
