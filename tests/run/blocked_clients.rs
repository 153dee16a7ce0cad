//! Clients that cannot end by themselves, because they wait for a lock or execute a statement of an hour: they end
//! with their run, their leader and their server all the same.

use std::time::{Duration, Instant};

use crate::common::runs::{AT_ONCE, Runs, at_once, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// How long clients may finish their transaction after a stop.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Ways to be stuck.
#[derive(Clone, Copy, Debug)]
enum Stuck {
    /// Before the barrier: a statement's table is locked when it is to be prepared.
    Preparing,
    /// In a statement that waits for a lock.
    Locked,
    /// In a statement that takes long.
    Working,
}

/// A run of three clients that are all stuck, and the session that blocks them.
struct StuckRun {
    run: i64,
    _blocker: Client,
}

impl StuckRun {
    fn start(cluster: &Cluster, stuck: Stuck) -> StuckRun {
        let mut session = cluster.connect();
        let mut blocker = cluster.connect();
        let tpcb = "'tpcb-like', clients => 3, duration => '1 h'";
        let sleep = "script => 'SELECT pg_sleep(600);', clients => 3, duration => '1 h'";
        let run = match stuck {
            Stuck::Preparing => {
                blocker.value("BEGIN; LOCK TABLE pgbench_history IN EXCLUSIVE MODE");
                let run = session.start_run(tpcb);
                session.wait_for_clients(run, 3, "wait_event_type = 'Lock'");
                run
            }
            Stuck::Locked => {
                let run = session.start_busy_run(tpcb);
                blocker.value("BEGIN; LOCK TABLE pgbench_accounts IN EXCLUSIVE MODE");
                session.wait_for_clients(run, 3, "wait_event_type = 'Lock'");
                run
            }
            Stuck::Working => {
                let run = session.start_run(sleep);
                session.wait_for_clients(run, 3, "wait_event = 'PgSleep'");
                run
            }
        };
        let status = if let Stuck::Preparing = stuck {
            "preparing"
        } else {
            "running"
        };
        session.wait_for_status(run, status);
        StuckRun {
            run,
            _blocker: blocker,
        }
    }
}

/// In an order in which one does not keep the next from getting so far.
const ALL: [Stuck; 3] = [Stuck::Working, Stuck::Locked, Stuck::Preparing];

#[test]
fn stuck_clients_end_with_their_leader() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for stuck in ALL {
        let stuck_run = StuckRun::start(&cluster, stuck);
        let leader = session.leader(stuck_run.run);
        session.value(&format!("SELECT pg_terminate_backend({leader})"));
        session.expect_no_workers(&format!("terminating the leader of clients {stuck:?}"));
        assert_eq!(session.status(stuck_run.run), "interrupted", "{stuck:?}");
    }
    expect_next_run(&mut session);
}

#[test]
fn a_stuck_client_can_be_terminated() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let runs = ALL.map(|stuck| {
        let stuck_run = StuckRun::start(&cluster, stuck);
        let client = session.client(stuck_run.run, 1);
        session.value(&format!("SELECT pg_terminate_backend({client})"));
        wait_until(&format!("the client {stuck:?} to go"), AT_ONCE, || {
            session.number(&format!(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = {client}"
            )) == 0
        });
        stuck_run
    });
    // The other clients are stuck as before. A run that has not begun ends after the grace of a stop, the others on request.
    for (stuck, StuckRun { run, .. }) in ALL.iter().zip(&runs) {
        if let Stuck::Preparing = stuck {
            session.wait_for_status(*run, "failed");
        } else {
            assert_eq!(session.status(*run), "running");
            session.value(&format!("SELECT pgperf.stop_run({run})"));
            session.wait_for_status(*run, "stopped");
        }
        let error = format!(
            "SELECT sqlstate FROM pgperf.run_errors WHERE run_id = {run} AND client_id = 1"
        );
        assert_eq!(session.value(&error), "57P01");
    }
    session.expect_no_workers("the end of the runs");
}

#[test]
fn a_second_stop_cancels_the_statements() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for stuck in ALL {
        let StuckRun { run, .. } = &StuckRun::start(&cluster, stuck);
        assert_eq!(
            session.value(&format!("SELECT pgperf.stop_run({run})")),
            "t"
        );
        session.wait_for_status(*run, "draining");
        assert_eq!(
            session.value(&format!("SELECT pgperf.stop_run({run})")),
            "t"
        );
        session.expect_no_workers(&format!("the second stop_run of clients {stuck:?}"));
        assert_eq!(session.status(*run), "stopped", "{stuck:?}");
        assert_eq!(
            session.value(&format!("SELECT pgperf.stop_run({run})")),
            "f"
        );
    }
    expect_next_run(&mut session);
}

#[test]
fn a_stop_gives_statements_a_grace_then_cancels_them() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let runs = ALL.map(|stuck| StuckRun::start(&cluster, stuck));
    let began = Instant::now();
    assert_eq!(session.number("SELECT pgperf.stop_all()"), 3);
    for StuckRun { run, .. } in &runs {
        session.wait_for_status(*run, "stopped");
    }
    let took = began.elapsed();
    println!("stop_all: {took:?}");
    assert!(took >= STOP_GRACE, "no grace: {took:?}");
    assert!(took < STOP_GRACE + AT_ONCE, "{took:?}");
    session.expect_no_workers("stop_all");
}

#[test]
fn a_stop_lets_transactions_finish() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE finished (at timestamptz)");
    let run = session.start_run(
        "script => 'BEGIN; SELECT pg_sleep(1); INSERT INTO finished VALUES (now()); COMMIT;', \
         clients => 2, duration => '1 h'",
    );
    session.wait_for_clients(run, 2, "wait_event = 'PgSleep'");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    assert_eq!(session.total(run, "transactions"), 2);
    assert_eq!(session.number("SELECT count(*) FROM finished"), 2);
}

#[test]
fn a_fast_shutdown_ends_stuck_clients() {
    let cluster = Cluster::for_faults(&[]);
    let runs = ALL.map(|stuck| StuckRun::start(&cluster, stuck));
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    for StuckRun { run, .. } in &runs {
        assert_eq!(session.status(*run), "interrupted");
    }
    expect_next_run(&mut session);
}

#[test]
fn the_extension_can_be_dropped_under_stuck_clients() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let _runs = ALL.map(|stuck| StuckRun::start(&cluster, stuck));
    at_once("DROP EXTENSION", || {
        session.value("DROP EXTENSION pgperf CASCADE")
    });
    session.expect_no_workers("DROP EXTENSION");
}
