//! A run stops before it harms its server: its limits, and the settings of whoever runs the server.
#![allow(clippy::expect_used)] // clippy sees a test only in a #[test] function

mod common;

use common::disk::SmallDisk;
use common::runs::{PATIENCE, Runs, error_of, expect_next_run};
use common::{Cluster, StopMode};
use postgres::Client;

/// Runs until something stops it; the reason that is stored, with its SQLSTATE.
fn reason_of(session: &mut Client, arguments: &str) -> (i64, String, String) {
    let run = session.start_run(arguments);
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("a run that stopped by itself");
    let of_run = |column: &str| format!("SELECT {column} FROM pgperf.runs WHERE run_id = {run}");
    let reason = session.value(&of_run("error"));
    let report = session.value(&format!(
        "SELECT pg_catalog.string_agg(line, E'\\n') FROM pgperf.report({run}) line"
    ));
    // The report is wrapped.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(&report).contains(&words(&reason)),
        "{reason}\n{report}"
    );
    (run, session.value(&of_run("sqlstate")), reason)
}

#[test]
fn wal_is_limited() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let (run, sqlstate, reason) = reason_of(
        &mut session,
        "duration => '1 h', limits => '{\"wal\": \"100MB\"}'",
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit wal: "), "{reason}");
    let written = session.number(&format!(
        "SELECT pg_catalog.pg_wal_lsn_diff(end_lsn, start_lsn)::int8 FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!((1..=100 << 20).contains(&written), "{written} bytes of WAL");
    assert!(session.total(run, "transactions") > 0);
    expect_next_run(&mut session);
}

#[test]
fn errors_are_limited() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let (run, sqlstate, reason) = reason_of(
        &mut session,
        "script => 'SELECT 1 / 0;', duration => '1 h', continue_on_error => true, limits => '{\"errors\": 100}'",
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit errors: "), "{reason}");
    assert!(session.total(run, "failed") >= 100);
}

#[test]
fn a_late_standby_stops_a_run() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    // Nobody streams from it: WAL is kept for a standby that is away.
    session.value("SELECT pg_catalog.pg_create_physical_replication_slot('away', true)");
    let (_, sqlstate, reason) = reason_of(
        &mut session,
        "duration => '1 h', limits => '{\"replication_lag\": \"64MB\"}'",
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit replication_lag: "), "{reason}");
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run(limits => '{\"replication_lag\": \"1MB\"}')",
    );
    assert_eq!(sqlstate, "53400", "{message}");
    assert!(hint.contains("limits => "), "{hint}");
}

#[test]
fn old_transaction_ids_stop_a_run() {
    let cluster = Cluster::with_data(&["autovacuum = off"]);
    let mut session = cluster.connect();
    let age = session.number("SELECT max(age(datfrozenxid)) FROM pg_catalog.pg_database");
    let (_, sqlstate, reason) = reason_of(
        &mut session,
        &format!(
            "duration => '1 h', limits => '{{\"xid_age\": {}}}'",
            age + 20_000
        ),
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit xid_age: "), "{reason}");
    let (sqlstate, ..) = error_of(
        &mut session,
        "SELECT pgperf.start_run(limits => '{\"xid_age\": 100}')",
    );
    assert_eq!(sqlstate, "53400");
}

/// Without the limit the server would go down: there is no room for WAL that has to be kept.
#[test]
fn a_disk_that_fills_stops_a_run() {
    let disk = SmallDisk::new(256);
    let cluster = Cluster::with_wal_on(&disk, &["wal_keep_size = '10GB'", "max_wal_size = '10GB'"]);
    cluster.run_sql("CREATE EXTENSION pgperf CASCADE");
    cluster.run_sql("CALL pgperf.init('tpcb-like', scale => 1)");
    let mut session = cluster.connect();
    let (_, sqlstate, reason) = reason_of(
        &mut session,
        "script => 'INSERT INTO pgbench_history SELECT 1, 1, i, 0, now() FROM generate_series(1, 1000) i;', \
         duration => '1 h'",
    );
    assert_eq!(sqlstate, "53100");
    assert!(reason.contains("file system of WAL"), "{reason}");
    let (sqlstate, message, _) = error_of(
        &mut session,
        "SELECT pgperf.start_run(limits => '{\"free_disk\": \"250MB\"}')",
    );
    assert_eq!(sqlstate, "53100", "{message}");
    // A load, too, and it goes once the limit is lifted.
    let load = |limit: &str| {
        format!("CALL pgperf.init('tpcb-like', scale => 1, limits => '{{\"free_disk\": {limit}}}')")
    };
    assert_eq!(error_of(&mut session, &load("\"250MB\"")).0, "53100");
    session.value(&load("null"));
    drop(session);
    cluster.stop(StopMode::Fast);
}

#[test]
fn the_server_can_forbid_load() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run("'tpcb-like', clients => 2, duration => '1 h'");
    cluster.reconfigure(&["pgperf.allow_load = off"]);
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("forbidding load");
    for call in ["SELECT pgperf.start_run()", "SELECT pgperf.start_load()"] {
        let (sqlstate, message, hint) = error_of(&mut session, call);
        assert_eq!(sqlstate, "55000", "{message}");
        assert!(hint.contains("pgperf.allow_load"), "{hint}");
    }
    assert_eq!(
        error_of(&mut session, "SET pgperf.allow_load = on").0,
        "55P02"
    );
    cluster.reconfigure(&["pgperf.allow_load = on"]);
    common::wait_until("the reload", PATIENCE, || {
        session.value("SHOW pgperf.allow_load") == "on"
    });
    expect_next_run(&mut session);
}

#[test]
fn the_server_limits_a_runs_time() {
    let cluster = Cluster::with_data(&["pgperf.max_run_time = '2s'"]);
    let mut session = cluster.connect();
    let (sqlstate, message, _) =
        error_of(&mut session, "SELECT pgperf.start_run(duration => '3 s')");
    assert_eq!(sqlstate, "53400", "{message}");
    let (_, sqlstate, reason) = reason_of(&mut session, "transactions_per_client => 1000000000");
    assert_eq!(sqlstate, "53400");
    assert!(reason.contains("pgperf.max_run_time"), "{reason}");
}

#[test]
fn worker_slots_are_left_for_others() {
    let cluster = Cluster::with_data(&["pgperf.reserve_worker_slots = 12"]);
    let mut session = cluster.connect();
    // Of 16, one is the logical replication launcher's.
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.start_run(clients => 3)");
    assert_eq!(sqlstate, "53400", "{message}");
    session.finish_run("clients => 2, transactions_per_client => 10");
}
