//! Signals to each process of a run, a load, a sampler and a sweep, and to the server, at any moment.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::runs::{PATIENCE, Runs, at_once, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// Has every kind of process in turn, each for a moment.
const ALL_STAGES: &str = "'tpcb-like', clients => 4, duration => '1 h', before_sql => 'SELECT pg_sleep(0.01)', \
     warmup => '0.03 s', sample_interval => '0.1 s', collectors => '{wal,database}', exit_on_abort => true";
/// A run that stays before its clients.
const BEFORE: &str = "before_sql => 'SELECT pg_sleep(600)', duration => '1 h'";
const LOAD: &str = "SELECT pgperf.start_load('tpcb-like', scale => 2000, replace => true, limits => '{\"free_disk\": null}')";
const SWEEP: &str = "SELECT pgperf.start_sweep(clients => '{1,2}', repetitions => 2, collectors => '{}', \
     script => 'SELECT pg_catalog.pg_sleep(0.01);', duration => '1 h')";
/// The youngest process of a run: a client if there is one, otherwise the leader.
const YOUNGEST: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf leader' \
     OR application_name LIKE 'pgperf run % client %' ORDER BY backend_start DESC LIMIT 1";

fn pid_of(session: &mut Client, name: &str) -> i64 {
    let pid = format!("SELECT pid FROM pg_stat_activity WHERE application_name = '{name}'");
    wait_until(name, PATIENCE, || !session.value(&pid).is_empty());
    session.number(&pid)
}

fn signal(session: &mut Client, function: &str, pid: i64) {
    assert_eq!(session.value(&format!("SELECT {function}({pid})")), "t");
}

/// A load that has made a part of its rows.
fn start_long_load(session: &mut Client) -> i64 {
    let run = session.number(LOAD);
    wait_until("rows", PATIENCE, || session.intervals(run) >= 1);
    run
}

#[test]
fn the_session_before_a_run_can_be_ended() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for (function, sqlstate) in [
        ("pg_cancel_backend", "57014"),
        ("pg_terminate_backend", "57P01"),
    ] {
        let run = session.start_run(BEFORE);
        let pid = pid_of(&mut session, &format!("pgperf run {run} before"));
        session.wait_for_status(run, "preparing");
        wait_until("its statement", PATIENCE, || {
            session.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
                == 1
        });
        signal(&mut session, function, pid);
        session.expect_nothing_left(function);
        assert_eq!(session.status(run), "failed");
        let stored = format!("SELECT sqlstate FROM pgperf.runs WHERE run_id = {run}");
        assert_eq!(session.value(&stored), sqlstate);
    }
    // With its leader, and by a stop, it ends too.
    let run = session.start_run(BEFORE);
    pid_of(&mut session, &format!("pgperf run {run} before"));
    let leader = session.leader(run);
    signal(&mut session, "pg_terminate_backend", leader);
    session.expect_nothing_left("terminating the leader");
    assert_eq!(session.status(run), "interrupted");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn the_processes_of_a_load_can_be_ended() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for (function, victim, status, sqlstate) in [
        ("pg_cancel_backend", "leader", "stopped", ""),
        ("pg_cancel_backend", "client 0", "failed", "57014"),
        ("pg_terminate_backend", "leader", "interrupted", ""),
        ("pg_terminate_backend", "client 0", "failed", "57P01"),
    ] {
        let run = start_long_load(&mut session);
        let pid = pid_of(&mut session, &format!("pgperf run {run} {victim}"));
        signal(&mut session, function, pid);
        session.expect_nothing_left(&format!("{function} of the {victim} of a load"));
        assert_eq!(session.status(run), status, "{function}, {victim}");
        let stored = format!("SELECT sqlstate FROM pgperf.runs WHERE run_id = {run}");
        assert_eq!(session.value(&stored), sqlstate, "{function}, {victim}");
        session.expect_no_orphan_files();
    }
    session.value("CALL pgperf.init('tpcb-like', scale => 1, replace => true)");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn a_cancelled_sweep_is_stopped_with_its_run() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let sweep = session.number(SWEEP);
    let worker = pid_of(&mut session, &format!("pgperf sweep {sweep}"));
    wait_until("its run", PATIENCE, || {
        session.value("SELECT status FROM pgperf.runs WHERE kind = 'run'") == "running"
    });
    signal(&mut session, "pg_cancel_backend", worker);
    session.expect_nothing_left("cancelling a sweep");
    assert_eq!(
        session.value(
            "SELECT concat_ws(' ', s.status, r.status) FROM pgperf.sweeps s, pgperf.runs r WHERE r.kind = 'run'"
        ),
        "stopped stopped"
    );
    expect_next_run(&mut session);
}

/// The server restarts all its sessions; stored data is there.
#[test]
fn any_process_can_be_killed() {
    let cluster = Cluster::for_faults(&["max_connections = 20"]);
    let mut session = cluster.connect();
    for victim in ["client 3", "leader"] {
        let met = Victim::busy(&mut session);
        let pid = pid_of(&mut session, &format!("pgperf run {} {victim}", met.run));
        session = cluster.crash_process(&mut session, pid);
        met.expect_end(&mut session, "interrupted", "");
    }
    let run = session.start_run(BEFORE);
    let pid = pid_of(&mut session, &format!("pgperf run {run} before"));
    session = cluster.crash_process(&mut session, pid);
    assert_eq!(session.status(run), "interrupted");

    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wal'");
    session.value("SELECT pgperf.start_sampler()");
    let met = Victim::busy(&mut session);
    let sampler = pid_of(&mut session, "pgperf sampler");
    let samples = session.number("SELECT count(*) FROM pgperf.samples");
    session = cluster.crash_process(&mut session, sampler);
    assert!(session.number("SELECT count(*) FROM pgperf.samples") >= samples - 1);
    met.expect_end(&mut session, "interrupted", "");

    let run = start_long_load(&mut session);
    let pid = pid_of(&mut session, &format!("pgperf run {run} client 0"));
    session = cluster.crash_process(&mut session, pid);
    assert_eq!(session.status(run), "interrupted");
    session.value("CALL pgperf.init('tpcb-like', scale => 1, replace => true)");

    let sweep = session.number(SWEEP);
    let worker = pid_of(&mut session, &format!("pgperf sweep {sweep}"));
    session = cluster.crash_process(&mut session, worker);
    assert_eq!(
        session.value("SELECT status FROM pgperf.sweeps"),
        "interrupted"
    );
    session.expect_nothing_left("killing a sweep");
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    session.value("SELECT pgperf.stop_sweep()");
    session.expect_nothing_left("stop_sweep");
    expect_next_run(&mut session);
    session.expect_all_slots();
    assert!(!cluster.log().contains("PANIC"));
}

/// Faults here depend on the moment, so there are many attempts.
#[test]
fn a_process_can_be_terminated_at_any_moment() {
    const ROUNDS: u32 = 36;
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let mut seen = BTreeSet::new();
    for round in 0..ROUNDS {
        let run = session.start_run(ALL_STAGES);
        // Close together at first, and late enough in the end also where all takes long.
        sleep(Duration::from_millis(1) * (round / 2).pow(2));
        let victim = if round % 2 == 0 {
            session.leader(run)
        } else {
            session.number(YOUNGEST)
        };
        let before = session.status(run);
        session.value(&format!("SELECT pg_terminate_backend({victim})"));
        session.expect_nothing_left(&format!("round {round}, {before}"));
        let status = session.status(run);
        let expected: &[&str] = if round % 2 == 0 {
            &["interrupted"]
        } else {
            &["interrupted", "failed"]
        };
        assert!(expected.contains(&status.as_str()), "{before}: {status}");
        seen.insert(before);
    }
    println!("terminated when {seen:?}");
    assert!(seen.len() >= 2, "{seen:?}");
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
}

#[test]
fn the_server_can_be_stopped_at_any_moment() {
    let cluster = Cluster::for_faults(&[]);
    for round in 0..8 {
        let mut session = cluster.connect();
        let run = session.start_run(ALL_STAGES);
        sleep(Duration::from_millis(17) * round);
        let before = session.status(run);
        drop(session);
        at_once("fast shutdown", || cluster.stop(StopMode::Fast));
        cluster.start();
        let mut session = cluster.connect();
        session.expect_nothing_left("the shutdown");
        assert_eq!(session.status(run), "interrupted", "it was {before}");
    }
    expect_next_run(&mut cluster.connect());
    cluster.expect_no_crash();
}

#[test]
fn the_server_can_crash_at_any_moment() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for round in 0..10 {
        let run = session.start_run(ALL_STAGES);
        sleep(Duration::from_millis(23) * (round / 2));
        let pid = if round % 2 == 0 {
            session.leader(run)
        } else {
            pid_of(&mut session, &format!("pgperf run {run} client 2"))
        };
        session = cluster.crash_process(&mut session, pid);
        session.expect_nothing_left("the crash");
        assert_eq!(session.status(run), "interrupted");
    }
    expect_next_run(&mut session);
    session.expect_all_slots();
}

#[test]
fn an_immediate_shutdown_keeps_what_was_stored() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    for _ in 0..3 {
        let met = Victim::busy(&mut session);
        cluster.restart(StopMode::Immediate);
        session = cluster.connect();
        met.expect_end(&mut session, "interrupted", "");
    }
}

/// A smart shutdown waits for sessions, not for workers.
#[test]
fn a_smart_shutdown_ends_a_run_that_nobody_waits_for() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let met = Victim::busy(&mut session);
    drop(session);
    at_once("smart shutdown", || cluster.stop(StopMode::Smart));
    cluster.start();
    met.expect_end(&mut cluster.connect(), "interrupted", "");
    cluster.expect_no_crash();
}

#[test]
fn a_smart_shutdown_lets_a_run_end_that_somebody_waits_for() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            cluster.run_sql(
                "CALL pgperf.run('tpcb-like', clients => 2, duration => '3 s', reconnect => 500)",
            )
        });
        wait_until("the run", PATIENCE, || {
            session.value("SELECT status FROM pgperf.runs WHERE kind = 'run'") == "running"
        });
        drop(session);
        cluster.stop(StopMode::Smart);
        call.join().expect("the call");
    });
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(
        session.value("SELECT status FROM pgperf.runs WHERE kind = 'run'"),
        "finished"
    );
    session.expect_nothing_left("the shutdown");
    expect_next_run(&mut session);
}

/// As the server makes its segments by default: in a folder that all servers of the machine share.
#[test]
fn a_killed_server_takes_its_segments_along() {
    let cluster = Cluster::with_data(&["dynamic_shared_memory_type = posix"]);
    let mut session = cluster.connect();
    let met = Victim::busy(&mut session);
    let leader = u32::try_from(session.leader(met.run)).expect("a process id");
    let segments = segments_of(leader);
    assert!(!segments.is_empty());
    cluster.crash();
    cluster.start();
    for segment in segments {
        assert!(!segment.exists(), "{} is left", segment.display());
    }
    met.expect_end(&mut cluster.connect(), "interrupted", "");
}

/// The dynamic segments that a process has mapped.
fn segments_of(pid: u32) -> BTreeSet<std::path::PathBuf> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("a living process");
    let paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    paths
        .filter(|path| path.starts_with("/dev/shm/PostgreSQL."))
        .map(Into::into)
        .collect()
}
