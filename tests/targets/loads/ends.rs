//! The ways in which a load into a target ends early. What is left there is labelled as incomplete, and no session stays.

use super::{label, load, of_this_major};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use std::time::{Duration, Instant};

/// Starts a load that takes much longer than the tests, and waits until rows go there.
fn start_long_load(session: &mut Client, there: &mut Client) -> i64 {
    let run = session.number(
        "SELECT pgperf.start_load('tpcb-like', scale => 2000, jobs => 3, server => 'target')",
    );
    wait_until("rows", PATIENCE, || {
        there.number(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY%'",
        ) == 3
    });
    run
}

fn expect_no_sessions(there: &mut Client) {
    wait_until("no session left there", PATIENCE, || {
        there.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run%'",
        ) == 0
    });
}

/// A load afterwards is as if nothing had been before.
fn expect_next_load(session: &mut Client, there: &mut Client) {
    let text = label(there, "pgbench_accounts");
    assert!(text.starts_with("pgperf: pgbench, incomplete {"), "{text}");
    expect_no_sessions(there);
    let run = "SELECT pgperf.start_run('tpcb-like', server => 'target')";
    let (code, message, hint) = error_of(session, run);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "55000",
            "the tables of workload \"tpcb-like\" are not completely loaded"
        )
    );
    assert!(hint.contains("server => 'target'"), "{hint}");
    load(session, "'tpcb-like', jobs => 2, server => 'target'");
    assert_eq!(
        there.number("SELECT count(*) FROM pgbench_accounts"),
        100_000
    );
    session.finish_run("'tpcb-like', transactions_per_client => 1, server => 'target'");
}

fn error(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ))
}

#[test]
fn a_stop_ends_the_statements_there() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    let run = start_long_load(&mut session, &mut there);
    let other = "SELECT pgperf.start_load('tpcb-like', server => 'target')";
    let (code, message, _) = error_of(&mut session, other);
    assert_eq!(code, "55006");
    assert!(
        message.contains(&format!("run {run} works on them")),
        "{message}"
    );
    let began = Instant::now();
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    expect_next_load(&mut session, &mut there);
}

#[test]
fn a_cancel_of_init_stops_it() {
    let (_target, cluster, mut session, mut there) = of_this_major();
    let mut waiting = cluster.connect();
    let pid = waiting.number("SELECT pg_backend_pid()");
    let thread = std::thread::spawn(move || {
        let call = "CALL pgperf.init('tpcb-like', scale => 2000, jobs => 3, server => 'target')";
        error_of(&mut waiting, call)
    });
    wait_until("rows", PATIENCE, || {
        there.number(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY%'",
        ) == 3
    });
    session.value(&format!("SELECT pg_cancel_backend({pid})"));
    let (code, ..) = thread.join().expect("the call");
    assert_eq!(code, "57014");
    session.wait_for_status(1, "stopped");
    expect_next_load(&mut session, &mut there);
}

#[test]
fn an_error_of_the_target_is_that_of_the_load() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    // By its administrator.
    let run = start_long_load(&mut session, &mut there);
    there.value("SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND pid <> pg_backend_pid()");
    session.wait_for_status(run, "failed");
    let text = error(&mut session, run);
    assert!(
        text.contains("terminating connection due to administrator command"),
        "{text}"
    );
    expect_no_sessions(&mut there);
    // By its own timeout.
    there.value("ALTER DATABASE postgres SET statement_timeout = '300ms'");
    let run = session.number(
        "SELECT pgperf.start_load('tpcb-like', scale => 500, jobs => 1, server => 'target')",
    );
    session.wait_for_status(run, "failed");
    let text = error(&mut session, run);
    assert!(
        text.ends_with("canceling statement due to statement timeout"),
        "{text}"
    );
    let known = format!(
        "SELECT count(*) FROM pgperf.run_errors WHERE run_id = {run} AND sqlstate = '57014'"
    );
    assert_eq!(session.number(&known), 1);
    there.value("ALTER DATABASE postgres RESET statement_timeout");
    expect_next_load(&mut session, &mut there);
}

#[test]
fn a_worker_that_is_terminated_leaves_no_session() {
    let (_target, _cluster, mut session, mut there) = of_this_major();
    let run = start_long_load(&mut session, &mut there);
    session.value(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgperf run {run} worker 1'"
    ));
    session.wait_for_status(run, "failed");
    expect_next_load(&mut session, &mut there);
    session.expect_no_workers("the load");
}

/// A target that hangs takes no rows, and notices no cancel.
#[test]
fn a_target_that_hangs_does_not_hold_a_stop() {
    let (target, _cluster, mut session, mut there) = of_this_major();
    let run = start_long_load(&mut session, &mut there);
    let sessions = there.value("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE query LIKE 'COPY%' AND pid <> pg_backend_pid()");
    let pids: Vec<u32> = sessions
        .split(' ')
        .map(|pid| pid.parse().expect("a pid"))
        .collect();
    let postmaster = target.postmaster_pid().expect("a server");
    let stopped = Stopped {
        target: &target,
        pids: pids.into_iter().chain([postmaster]).collect(),
    };
    stopped.signal("STOP");
    let began = Instant::now();
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    // It is asked for its figures, too, which takes as long as connecting may take.
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    drop(stopped);
    expect_next_load(&mut session, &mut there);
}

struct Stopped<'a> {
    target: &'a Cluster,
    pids: Vec<u32>,
}

impl Stopped<'_> {
    fn signal(&self, signal: &str) {
        for pid in &self.pids {
            self.target.signal(*pid, signal);
        }
    }
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}
