//! Runs on a server that is short of something: memory, locks, connections, worker slots, disk, cores.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread::sleep;
use std::time::Duration;

use crate::common::aftermath::{Aftermath, Victim};
use crate::common::disk::SmallDisk;
use crate::common::runs::{
    AT_ONCE, BUSY, ENDLESS, PATIENCE, Runs, at_once, error_of, expect_next_run,
};
use crate::common::{Cluster, StopMode, as_server, wait_until};
use postgres::{Client, NoTls};

/// Writes as fast as it can, whatever becomes of the disk.
const FILL: &str = "script => 'INSERT INTO filler SELECT repeat(''x'', 1000) FROM generate_series(1, 1000);', \
     duration => '1 h', sample_interval => '0.1 s', limits => '{\"free_disk\": null}', collectors => '{wal}'";

fn sqlstate_of(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT concat_ws(' ', status, sqlstate) FROM pgperf.runs WHERE run_id = {run}"
    ))
}

/// Limits the address space of all processes of the server from now on.
fn limit_memory(cluster: &Cluster, bytes: u64) {
    let postmaster = cluster.postmaster_pid().expect("the server runs");
    let limited = as_server("prlimit")
        .args([format!("--pid={postmaster}"), format!("--as={bytes}")])
        .status();
    assert!(limited.is_ok_and(|status| status.success()), "prlimit");
}

#[test]
fn a_statement_that_gets_no_memory_fails_alone() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value("CREATE FUNCTION hungry(n int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE a text[]; \
        BEGIN FOR i IN 1..n LOOP a := a || repeat('x', 100000000); END LOOP; RETURN cardinality(a); END $$");
    limit_memory(&cluster, 1 << 30);
    let run = session.start_run("script => 'SELECT hungry(100);', clients => 2, duration => '1 h'");
    session.wait_for_status(run, "failed");
    assert_eq!(sqlstate_of(&mut session, run), "failed 53200");
    session.expect_nothing_left("a run without memory");
    // The memory is given back: what comes next in the same session has it.
    let run = session.finish_run(
        "script => E'SELECT hungry(1);\\nSELECT hungry(100);\\nSELECT hungry(1);', clients => 2, \
         transactions_per_client => 3, continue_on_error => true, collectors => '{}'",
    );
    assert_eq!(session.total(run, "other_failures"), 6);
    session.expect_nothing_left("a run without memory");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn a_run_that_gets_no_shared_memory_fails() {
    let disk = SmallDisk::new(8);
    let cluster = Cluster::for_faults(&[]);
    cluster.stop(StopMode::Fast);
    let segments = cluster.data_dir().join("pg_dynshmem");
    fs::remove_dir_all(&segments).expect("the folder to be moved");
    symlink(disk.path(), &segments).expect("a link");
    cluster.start();
    let mut session = cluster.connect();
    expect_next_run(&mut session);
    let filler = disk.fill();
    for _ in 0..3 {
        let run = session.start_run("clients => 4, duration => '1 h'");
        session.wait_for_status(run, "failed");
        let end = session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
        ));
        assert!(
            end.starts_with("53") && end.contains("of shared memory for 4 clients"),
            "{end}"
        );
        session.expect_no_workers("a run without shared memory");
    }
    fs::remove_file(filler).expect("room");
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// Workers are no connections: who cannot connect can still be looked after by who is connected.
#[test]
fn a_run_needs_no_connections() {
    let cluster =
        Cluster::for_faults(&["max_connections = 6", "superuser_reserved_connections = 0"]);
    let mut session = cluster.connect();
    let met = Victim::busy(&mut session);
    let mut others = Vec::new();
    let refused = loop {
        match cluster.config().connect(NoTls) {
            Ok(other) => others.push(other),
            Err(error) => break error,
        }
    };
    assert_eq!(refused.code().map(|code| code.code()), Some("53300"));
    let reconnecting = session.start_busy_run(&format!("{BUSY}, reconnect => 20"));
    session.value("SELECT pgperf.stop_all()");
    session.wait_for_status(reconnecting, "stopped");
    assert!(session.total(reconnecting, "reconnects") > 0);
    met.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();
}

/// Slots were free when it was asked for, and taken when it began.
#[test]
fn a_run_that_loses_the_race_for_worker_slots_fails() {
    let cluster = Cluster::for_faults(&[]);
    let (mut session, mut other) = (cluster.connect(), cluster.connect());
    for (arguments, others, sqlstate, reason) in [
        // Of 16 slots, one is the logical replication launcher's, and each leader has one.
        (
            "clients => 8",
            10,
            "53400",
            "could not start client 4 of 8: all 16 worker slots (max_worker_processes) are in use",
        ),
        (
            "before_sql => 'SELECT 1', clients => 1",
            13,
            "53400",
            "all worker slots (max_worker_processes) are in use",
        ),
    ] {
        session.value("BEGIN");
        let run = session.start_run(&format!("'tpcb-like', duration => '1 h', {arguments}"));
        let filler = other.start_run(&format!("{ENDLESS}, clients => {others}"));
        other.wait_for_status(filler, "running");
        session.value("COMMIT");
        session.wait_for_status(run, "failed");
        let stored = session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
        ));
        assert!(
            stored.starts_with(sqlstate) && stored.ends_with(reason),
            "{stored}"
        );
        assert_eq!(session.intervals(run), 0);
        let left = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run {run} %'"
        );
        wait_until("its processes to be gone", AT_ONCE, || {
            session.number(&left) == 0
        });
        assert_eq!(other.status(filler), "running");
        let stop = format!("SELECT pgperf.stop_run({filler}), pgperf.stop_run({filler})");
        other.value(&stop);
        other.wait_for_status(filler, "stopped");
        session.expect_nothing_left("a run without slots");
        expect_next_run(&mut session);
        session.expect_all_slots();
    }
    cluster.expect_no_crash();
}

/// Takes entries of the lock table until there is none left.
fn take_all_locks(session: &mut Client) {
    session.value("BEGIN");
    let (sqlstate, ..) = error_of(
        session,
        "DO $$ BEGIN FOR i IN 1..1000000 LOOP BEGIN PERFORM pg_advisory_lock(i); \
             EXCEPTION WHEN out_of_memory THEN RAISE 'full' USING ERRCODE = 'ZZ053'; END; END LOOP; END $$",
    );
    assert_eq!(sqlstate, "ZZ053");
    session.value("ROLLBACK");
}

#[test]
fn a_run_outlives_a_full_lock_table() {
    let cluster = Cluster::for_faults(&["max_locks_per_transaction = 10", "max_connections = 10"]);
    let mut session = cluster.connect();
    let met = Victim::start(
        &mut session,
        "script => 'SELECT 1;', clients => 2, duration => '1 h', rate => 200, sample_interval => '0.1 s', \
         collectors => '{}'",
    );
    let leader = session.leader(met.run);
    let mut hog = cluster.connect();
    take_all_locks(&mut hog);
    // Many looks of the leader's, and intervals that it cannot store.
    sleep(Duration::from_millis(1500));
    hog.value("SELECT pg_advisory_unlock_all()");
    session.await_intervals(met.run, 3);
    assert_eq!(session.leader(met.run), leader);
    session.value("SELECT pgperf.stop_all()");
    // Nothing is missing of what could not be stored at the time.
    met.expect_end(&mut session, "stopped", "");
    cluster.expect_no_crash();
}

#[test]
fn a_run_cannot_begin_with_a_full_lock_table() {
    let cluster = Cluster::for_faults(&["max_locks_per_transaction = 10", "max_connections = 10"]);
    let mut session = cluster.connect();
    let mut hog = cluster.connect();
    take_all_locks(&mut hog);
    for _ in 0..3 {
        let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.start_run('tpcb-like')");
        assert!(
            ["53200", "53000"].contains(&sqlstate.as_str()),
            "{sqlstate} {message}"
        );
    }
    hog.value("SELECT pg_advisory_unlock_all()");
    session.expect_nothing_left("refused runs");
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
}

#[test]
fn a_script_that_needs_more_locks_than_there_are_fails() {
    let cluster = Cluster::for_faults(&["max_locks_per_transaction = 10", "max_connections = 10"]);
    let mut session = cluster.connect();
    let run = session.start_run(
        "script => 'DO $x$ BEGIN FOR i IN 1..100000 LOOP PERFORM pg_advisory_xact_lock(i); END LOOP; END $x$;', \
         clients => 1, duration => '1 h', collectors => '{}'",
    );
    // Meanwhile nobody else gets one either.
    let status = format!("SELECT status FROM pgperf.runs WHERE run_id = {run}");
    wait_until("its end", PATIENCE, || {
        cluster.psql(&status).stdout == b"failed\n"
    });
    assert_eq!(sqlstate_of(&mut session, run), "failed 53200");
    session.expect_nothing_left("the run");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn a_full_disk_fails_the_run_and_not_the_server() {
    let disk = SmallDisk::new(32);
    let cluster = Cluster::for_faults(&["autovacuum = off"]);
    let mut session = cluster.connect();
    disk.create_tablespace(&mut session, "small");
    session.value("CREATE TABLE filler (text text) TABLESPACE small");
    let run = session.start_run(&format!("{FILL}, clients => 2"));
    session.wait_for_status(run, "failed");
    assert_eq!(sqlstate_of(&mut session, run), "failed 53100");
    assert!(session.intervals(run) >= 1);
    session.expect_nothing_left("the full disk");
    // A load has nothing to go on with; what it wrote is gone with it, but for the tables, empty, that it makes first.
    session.value("DROP TABLE filler");
    let load = "CALL pgperf.init('tpcb-like', scale => 10, tablespace => 'small', replace => true, \
                limits => '{\"free_disk\": null}')";
    assert_eq!(error_of(&mut session, load).0, "53100");
    session.expect_nothing_left("the full disk");
    session.expect_no_orphan_files();
    session.value("CALL pgperf.init('tpcb-like', scale => 1, replace => true)");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// A full disk takes the server down, whoever fills it; stored data is there when it can start again.
#[test]
fn a_full_wal_disk_loses_nothing_that_was_stored() {
    let disk = SmallDisk::new(192);
    let cluster = Cluster::with_wal_on(&disk, &["wal_keep_size = '10GB'", "max_wal_size = '10GB'"]);
    // That is what the server does then.
    for trouble in ["No space left on device", "was terminated by signal 6"] {
        cluster.expect_trouble(trouble);
    }
    cluster.run_sql("CREATE EXTENSION pgperf CASCADE; CREATE TABLE filler (text text)");
    let mut session = cluster.connect();
    let met = Victim::start(&mut session, &format!("{FILL}, clients => 2, rate => 20"));
    let filler = disk.fill();
    wait_until("the crash", PATIENCE, || session.simple_query("").is_err());
    wait_until("recovery, or its failure", PATIENCE, || {
        !cluster.is_running() || cluster.psql("SELECT 1").status.success()
    });
    fs::remove_file(filler).expect("room");
    if !cluster.is_running() {
        cluster.start();
    }
    let mut session = cluster.reconnect();
    met.expect_status(&mut session, "interrupted", "");
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    session.expect_nothing_left("the full disk");
    expect_next_run(&mut session);
    drop(session);
    cluster.stop(StopMode::Fast);
}

#[test]
fn two_hundred_clients_share_the_cores() {
    const CLIENTS: i64 = 200;
    let cluster = Cluster::for_faults(&["max_worker_processes = 210"]);
    let mut session = cluster.connect();
    let run = session.start_run(&format!(
        "'tpcb-like', clients => {CLIENTS}, transactions_per_client => 20"
    ));
    session.value(&format!("CALL pgperf.wait_run({run})"));
    assert_eq!(sqlstate_of(&mut session, run), "finished");
    assert_eq!(session.total(run, "transactions"), CLIENTS * 20);
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_history"),
        CLIENTS * 20
    );
    session.expect_nothing_left("two hundred clients");
    // They stop, and they end with their leader.
    let endless = format!("'tpcb-like', clients => {CLIENTS}, duration => '1 h'");
    let run = session.start_run(&endless);
    session.wait_for_status(run, "running");
    session.value("SELECT pgperf.stop_all()");
    session.wait_for_status(run, "stopped");
    let run = session.start_run(&endless);
    session.wait_for_status(run, "running");
    let leader = session.leader(run);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    wait_until("all of them to go", PATIENCE, || {
        session.leftovers().is_empty()
    });
    assert_eq!(session.status(run), "interrupted");
    let run = session.start_run(&endless);
    session.wait_for_status(run, "running");
    drop(session);
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "interrupted");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}
