//! The end of a run when it, its database or its extension is taken away: everything ends within two seconds, no
//! worker stays, and stored data stays.

use crate::common::aftermath::Aftermath;
use crate::common::runs::{BUSY, ENDLESS, PATIENCE, Runs, at_once, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};

#[test]
fn a_fast_shutdown_ends_a_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let stored = session.intervals(run);
    drop(session);
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "interrupted");
    assert!(session.intervals(run) >= stored);
    assert!(session.total(run, "transactions") > 0);
    expect_next_run(&mut session);
}

#[test]
fn a_terminated_leader_takes_its_clients_along() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let stored = session.intervals(run);
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_catalog.pg_terminate_backend({leader})"));
    session.expect_no_workers("terminating the leader");
    assert_eq!(session.status(run), "interrupted");
    assert!(session.intervals(run) >= stored);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "f"
    );
    expect_next_run(&mut session);
}

#[test]
fn a_terminated_client_leaves_the_others_alone() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let client = session.client(run, 2);
    session.value(&format!("SELECT pg_catalog.pg_terminate_backend({client})"));
    // The others go on.
    session.wait_for_clients(run, 3, "true");
    let stored = session.intervals(run);
    wait_until("more intervals", PATIENCE, || {
        session.intervals(run) > stored + 2
    });
    session.wait_for_clients(run, 3, "true");
    assert_eq!(session.status(run), "running");
    // The last of them ends the run.
    for number in [0, 1, 3] {
        let client = session.client(run, number);
        session.value(&format!("SELECT pg_catalog.pg_terminate_backend({client})"));
    }
    session.expect_no_workers("terminating all clients");
    let why = format!("57P01 client 2 aborted: its process {client} was terminated");
    let stored = format!(
        "SELECT concat_ws(' ', status, sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    );
    assert_eq!(session.value(&stored), format!("failed {why}"));
    let errors = "SELECT string_agg(concat_ws(' ', client_id, sqlstate, occurrences), ', ' ORDER BY client_id) FROM pgperf.run_errors";
    assert_eq!(
        session.value(&format!("{errors} WHERE run_id = {run}")),
        "0 57P01 1, 1 57P01 1, 2 57P01 1, 3 57P01 1"
    );
    // What they had done is kept: every commit has a row.
    let counted = session.total(run, "transactions");
    let committed = session.number("SELECT count(*) FROM pgbench_history");
    assert!(
        (counted..=counted + 4).contains(&committed),
        "{counted} of {committed}"
    );
    expect_next_run(&mut session);
}

#[test]
fn a_terminated_client_takes_the_others_with_it_on_request() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(&format!("{BUSY}, exit_on_abort => true"));
    let client = session.client(run, 2);
    session.value(&format!("SELECT pg_catalog.pg_terminate_backend({client})"));
    session.expect_no_workers("terminating a client");
    let stored =
        format!("SELECT concat_ws(' ', status, sqlstate) FROM pgperf.runs WHERE run_id = {run}");
    assert_eq!(session.value(&stored), "failed 57P01");
    expect_next_run(&mut session);
}

#[test]
fn cancelling_the_leader_stops_the_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let stored = session.intervals(run);
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_catalog.pg_cancel_backend({leader})"));
    session.expect_no_workers("cancelling the leader");
    assert_eq!(session.status(run), "stopped");
    assert!(session.intervals(run) >= stored);
    // A clean stop: the intervals hold all that the totals say.
    let in_intervals = session.number(&format!(
        "SELECT sum(transactions) FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    assert_eq!(session.total(run, "transactions"), in_intervals);
    expect_next_run(&mut session);
}

#[test]
fn cancelling_a_client_ends_that_client_alone() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.start_run(&format!("{ENDLESS}, clients => 3"));
    session.wait_for_clients(run, 3, "wait_event = 'PgSleep'");
    let client = session.client(run, 1);
    session.value(&format!("SELECT pg_catalog.pg_cancel_backend({client})"));
    session.wait_for_clients(run, 2, "wait_event = 'PgSleep'");
    assert_eq!(session.status(run), "running");
    let first = session.client(run, 0);
    let last = session.client(run, 2);
    session.value(&format!(
        "SELECT pg_cancel_backend({first}), pg_cancel_backend({last})"
    ));
    session.expect_no_workers("cancelling all clients");
    assert_eq!(session.status(run), "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(client_id || ' ' || sqlstate || ' ' || command_no, ', ' ORDER BY client_id) \
             FROM pgperf.run_errors WHERE run_id = {run}"
        )),
        "0 57014 0, 1 57014 0, 2 57014 0"
    );
}

#[test]
fn a_cancel_between_statements_is_ignored() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("script => E'\\\\sleep 200 ms', duration => '2 s'");
    session.wait_for_clients(run, 1, "true");
    session.wait_for_status(run, "running");
    let client = session.client(run, 0);
    // So many that some come while another one is dealt with.
    for _ in 0..5 {
        session.value(&format!(
            "SELECT count(pg_catalog.pg_cancel_backend({client})) FROM pg_catalog.generate_series(1, 20000)"
        ));
    }
    session.wait_for_status(run, "finished");
    assert!(session.total(run, "transactions") >= 5);
}

#[test]
fn the_extension_can_be_dropped_during_a_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    // Several times, because what may go wrong is a matter of moments.
    for round in 0..6 {
        let run = session.start_busy_run(BUSY);
        if round > 0 {
            // Right behind the next interval.
            let stored = session.intervals(run);
            wait_until("an interval", PATIENCE, || session.intervals(run) > stored);
        }
        at_once("DROP EXTENSION", || {
            session.simple_query("DROP EXTENSION pgperf CASCADE")
        })
        .expect("DROP EXTENSION");
        session.expect_no_workers("DROP EXTENSION");
        session
            .simple_query("CREATE EXTENSION pgperf CASCADE")
            .expect("CREATE EXTENSION");
    }
    assert!(!cluster.log().contains("deadlock detected"));
    expect_next_run(&mut session);
}

#[test]
fn a_rolled_back_drop_of_the_extension_does_the_run_no_harm() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    let stored = session.intervals(run);
    let mut other = cluster.connect();
    other
        .simple_query("BEGIN; DROP EXTENSION pgperf CASCADE")
        .expect("DROP EXTENSION");
    // Longer than an interval: what cannot be stored now is stored later.
    std::thread::sleep(std::time::Duration::from_millis(500));
    other.simple_query("ROLLBACK").expect("ROLLBACK");
    wait_until("the intervals", PATIENCE, || {
        session.intervals(run) >= stored + 6
    });
    assert_eq!(session.status(run), "running");
    session.value("SELECT pgperf.stop_all()");
    session.wait_for_status(run, "stopped");
    let no = session.number(&format!(
        "SELECT max(interval_no) + 1 FROM pgperf.run_intervals WHERE run_id = {run}"
    ));
    assert_eq!(no, session.intervals(run));
}

#[test]
fn a_database_can_be_dropped_during_a_run() {
    let cluster = Cluster::new(&[]);
    let mut session = cluster.connect();
    for arguments in [BUSY, ENDLESS] {
        session
            .simple_query("CREATE DATABASE lab")
            .expect("CREATE DATABASE");
        let mut lab = cluster.connect_to("lab");
        lab.simple_query("CREATE EXTENSION pgperf CASCADE")
            .expect("CREATE EXTENSION");
        lab.simple_query("CALL pgperf.init()").expect("init");
        let run = lab.start_run(arguments);
        lab.wait_for_status(run, "running");
        drop(lab);
        wait_until("the session to leave", PATIENCE, || {
            session.value("SELECT count(*) FROM pg_stat_activity WHERE datname = 'lab' AND backend_type = 'client backend'") == "0"
        });
        at_once("DROP DATABASE", || {
            session.simple_query("DROP DATABASE lab")
        })
        .expect("DROP DATABASE");
        session.expect_no_workers("DROP DATABASE");
    }
}

#[test]
fn a_run_does_not_hold_up_what_happens_to_another_database() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.start_run(&format!("{ENDLESS}, clients => 2"));
    session.wait_for_status(run, "running");
    session
        .simple_query("CREATE DATABASE other")
        .expect("CREATE DATABASE");
    at_once("DROP DATABASE of another", || {
        session.simple_query("DROP DATABASE other")
    })
    .expect("DROP DATABASE");
    assert_eq!(session.status(run), "running");
}

/// What the other tests expect to be gone is found while it is there.
#[test]
fn what_could_be_left_is_seen() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.expect_nothing_left("a load");
    let run = session.start_busy_run(BUSY);
    let seen = session.leftovers();
    // The leader's locks: one says that it lives, one where its segment is.
    for what in ["5 workers", "2 locks", "1 segments"] {
        assert!(seen.contains(what), "{what}: {seen}");
    }
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    session.expect_nothing_left("stop_run");
    let run = session.start_run(
        "script => 'SET work_mem = ''64kB''; SELECT count(pg_sleep(0.01)) FROM (SELECT repeat(''x'', 900) || g \
             FROM generate_series(1, 2000) g ORDER BY 1) s;', duration => '1 h'",
    );
    wait_until("a temporary file", PATIENCE, || {
        session.leftovers().contains("temporary files")
    });
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_catalog.pg_terminate_backend({leader})"));
    session.expect_nothing_left("a terminated leader");
    expect_next_run(&mut session);
}
