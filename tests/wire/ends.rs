//! However a run over the wire ends, it ends soon, and nothing is left of it.

use super::{cluster, expect_nothing_left};
use crate::common::aftermath::Victim;
use crate::common::runs::{ENDLESS, PATIENCE, Runs, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;
use std::time::{Duration, Instant};

/// How long a stop may take, whatever the server does.
const STOP: Duration = Duration::from_secs(10);
const BUSY: &str = "'tpcb-like', transport => 'wire', clients => 4, workers => 2, duration => '1 h', sample_interval => '0.1 s'";

fn endless(session: &mut Client) -> i64 {
    let run = session.start_run(&format!("{ENDLESS}, transport => 'wire', clients => 3"));
    session.wait_for_clients(run, 3, "wait_event = 'PgSleep'");
    run
}

fn stop_within(session: &mut Client, run: i64, limit: Duration) {
    let began = Instant::now();
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    let took = began.elapsed();
    println!("stopped within {took:?}");
    assert!(took < limit, "{took:?}");
}

#[test]
fn a_stop_cancels_long_statements() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = endless(&mut session);
    stop_within(&mut session, run, STOP);
    expect_nothing_left(&mut session, "a stop");
    // At once at the second request.
    let run = endless(&mut session);
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "draining");
    stop_within(&mut session, run, Duration::from_secs(3));
    expect_nothing_left(&mut session, "two stops");
    let run = Victim::start(&mut session, BUSY);
    session.value(&format!("SELECT pgperf.stop_run({})", run.run));
    run.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();
}

#[test]
fn a_server_process_that_does_not_react_is_given_up() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = endless(&mut session);
    let stopped = session.client(run, 1) as u32;
    cluster.signal(stopped, "STOP");
    stop_within(&mut session, run, STOP);
    cluster.signal(stopped, "CONT");
    expect_nothing_left(&mut session, "a stopped process");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn a_cancelled_call_stops_its_run() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let mut caller = cluster.connect();
    let token = caller.cancel_token();
    let call = std::thread::spawn(move || {
        caller
            .simple_query(&format!("CALL pgperf.run({BUSY})"))
            .map(drop)
    });
    wait_until("intervals", PATIENCE, || {
        session.number("SELECT count(*) FROM pgperf.run_intervals") >= 2
    });
    token.cancel_query(postgres::NoTls).expect("a cancel");
    let _ = call.join().expect("the call");
    let run = session.number("SELECT max(run_id) FROM pgperf.runs");
    session.wait_for_status(run, "stopped");
    expect_nothing_left(&mut session, "a cancelled call");
}

#[test]
fn a_terminated_session_ends_its_client_alone() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let pid = session.client(run, 2);
    session.value(&format!("SELECT pg_terminate_backend({pid})"));
    let errors = format!(
        "SELECT concat_ws(' ', client_id, sqlstate, occurrences) FROM pgperf.run_errors WHERE run_id = {run}"
    );
    session.wait_for_clients(run, 3, "true");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    wait_until("the end", PATIENCE, || session.status(run) != "running");
    wait_until("the error", PATIENCE, || !session.value(&errors).is_empty());
    assert_eq!(session.value(&errors), "2 57P01 1");
    expect_nothing_left(&mut session, "a terminated session");
    cluster.expect_no_crash();
}

/// As pgbench, continue_on_error or not: without its session a client can do nothing more.
#[test]
fn no_error_of_a_lost_session_is_survived() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(&format!("{BUSY}, continue_on_error => true"));
    let pid = session.client(run, 2);
    session.value(&format!("SELECT pg_terminate_backend({pid})"));
    session.wait_for_clients(run, 3, "true");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    wait_until("the end", PATIENCE, || session.status(run) != "running");
    let errors = format!(
        "SELECT concat_ws(' ', client_id, sqlstate, occurrences) FROM pgperf.run_errors WHERE run_id = {run}"
    );
    wait_until("the error", PATIENCE, || !session.value(&errors).is_empty());
    assert_eq!(session.value(&errors), "2 57P01 1");
    assert!(session.total(run, "failed") <= 1);
    expect_nothing_left(&mut session, "a lost session");
}

#[test]
fn a_terminated_worker_ends_its_clients() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let pid = session.number(&format!(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgperf run {run} worker 1'"
    ));
    session.value(&format!("SELECT pg_terminate_backend({pid})"));
    // Clients 1 and 3 are its own.
    session.wait_for_clients(run, 2, "true");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    let errors = format!(
        "SELECT string_agg(concat_ws(' ', client_id, sqlstate), ', ' ORDER BY client_id) FROM pgperf.run_errors \
         WHERE run_id = {run}"
    );
    wait_until("the errors", PATIENCE, || {
        !session.value(&errors).is_empty()
    });
    assert_eq!(session.value(&errors), "1 57P01, 3 57P01");
    expect_nothing_left(&mut session, "a terminated worker");
    cluster.expect_no_crash();
}

#[test]
fn a_terminated_leader_takes_its_clients_with_it() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for start in [
        |session: &mut Client| session.start_busy_run(BUSY),
        endless as fn(&mut Client) -> i64,
    ] {
        let run = start(&mut session);
        let leader = session.leader(run);
        session.value(&format!("SELECT pg_terminate_backend({leader})"));
        expect_nothing_left(&mut session, "a terminated leader");
        assert_eq!(session.status(run), "interrupted");
    }
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

fn kill(cluster: &Cluster, session: &mut Client, run: i64, name: &str) -> Client {
    let pid = session.number(&format!(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgperf run {run} {name}'"
    ));
    cluster.crash_process(session, pid)
}

#[test]
fn killed_processes_leave_nothing() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for name in ["worker 0", "leader", "client 3"] {
        let run = session.start_busy_run(BUSY);
        session = kill(&cluster, &mut session, run, name);
        session.wait_for_status(run, "interrupted");
        expect_nothing_left(&mut session, name);
        expect_next_run(&mut session);
    }
}

#[test]
fn a_restart_of_the_server_interrupts_it() {
    let cluster = cluster();
    let mut session = cluster.connect();
    for mode in [StopMode::Fast, StopMode::Immediate] {
        let run = session.start_busy_run(BUSY);
        cluster.restart(mode);
        session = cluster.reconnect();
        session.wait_for_status(run, "interrupted");
        expect_nothing_left(&mut session, "a restart");
    }
    expect_next_run(&mut session);
}

#[test]
fn a_run_that_resumes_goes_on_over_the_wire() {
    let cluster = cluster();
    let mut session = cluster.connect();
    let run = session.start_busy_run(
        "'tpcb-like', transport => 'wire', clients => 3, transactions_per_client => 3000, resume => true, \
         sample_interval => '0.1 s'",
    );
    cluster.restart(StopMode::Immediate);
    session = cluster.reconnect();
    session.wait_for_status(run, "interrupted");
    session.value(&format!("SELECT pgperf.resume_run({run})"));
    session.wait_for_status(run, "finished");
    assert_eq!(session.total(run, "transactions"), 9000);
    expect_nothing_left(&mut session, "a resumed run");
}

/// Errors of statements are those that they are inside.
#[test]
fn errors_have_their_sqlstate_and_command() {
    let cluster = cluster();
    let mut session = cluster.connect();
    session.value("CREATE TABLE once (id int PRIMARY KEY); INSERT INTO once VALUES (1)");
    for (script, sqlstate) in [
        ("SELECT 1;\nSELECT * FROM nowhere;\n", "42P01"),
        ("SELECT 1;\nINSERT INTO once VALUES (1);\n", "23505"),
        ("SELECT 1;\nSELECT 1/0;\n", "22012"),
    ] {
        let mut failed = |transport: &str| {
            let run = session.start_run(&format!(
                "script => $s${script}$s$, transport => '{transport}', transactions_per_client => 1"
            ));
            session.wait_for_status(run, "failed");
            session.value(&format!(
                "SELECT concat_ws(' ', sqlstate, command_no, detail) FROM pgperf.run_errors WHERE run_id = {run}"
            ))
        };
        let (inside, wire) = (failed("inside"), failed("wire"));
        assert_eq!(wire, inside, "{script}");
        assert!(wire.starts_with(sqlstate), "{wire}");
    }
    let run = session.finish_run(
        "script => E'SELECT 1 / (random() < 0.5)::int;', transport => 'wire', continue_on_error => true, clients => 2, \
         transactions_per_client => 50",
    );
    let failed = session.total(run, "failed");
    assert!((10..=90).contains(&failed), "{failed}");
    assert_eq!(session.total(run, "transactions") + failed, 100);
    expect_nothing_left(&mut session, "errors");
}
