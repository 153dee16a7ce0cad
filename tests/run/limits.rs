//! A run stops before it harms its server: its limits, and the settings of the server's administrator.

use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs, error_of, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// What a run of one client a transaction of which writes 1 MB does to a table, at a `rate` per second.
fn fill(rate: u32) -> String {
    format!(
        "script => 'INSERT INTO filler SELECT repeat(''x'', 1000) FROM generate_series(1, 1000);', \
         duration => '1 h', rate => {rate}"
    )
}

/// So often that a disk of 256 MB lasts some seconds.
const RATE_FOR_DISKS: u32 = 40;

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
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let (run, sqlstate, reason) = reason_of(
        &mut session,
        "duration => '1 h', limits => '{\"wal\": \"30MB\"}'",
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit wal: "), "{reason}");
    let written = session.number(&format!(
        "SELECT pg_catalog.pg_wal_lsn_diff(end_lsn, start_lsn)::int8 FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!((1..=30 << 20).contains(&written), "{written} bytes of WAL");
    assert!(session.total(run, "transactions") > 0);
    expect_next_run(&mut session);
}

#[test]
fn errors_are_limited() {
    const CLIENTS: i64 = 4;
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for session_of in ["", ", reconnect => 10"] {
        let (run, sqlstate, reason) = reason_of(
            &mut session,
            &format!(
                "script => 'SELECT 1 / 0;', duration => '1 h', clients => {CLIENTS}, continue_on_error => true, \
                 limits => '{{\"errors\": 100}}'{session_of}"
            ),
        );
        assert_eq!(sqlstate, "53400");
        assert!(reason.starts_with("limit errors: "), "{reason}");
        // While one client reaches the limit, each of the others may be in a transaction that fails too.
        let failed = session.total(run, "failed");
        assert!((100..100 + CLIENTS).contains(&failed), "{failed}");
    }
    // Those that do not fail go on until the leader looks.
    let (run, ..) = reason_of(
        &mut session,
        "script => E'\\\\set divisor random(0, 20)\\nSELECT 1 / :divisor;', duration => '1 h', clients => 2, \
         continue_on_error => true, limits => '{\"errors\": 10}'",
    );
    assert!((10..12).contains(&session.total(run, "failed")));
    assert!(session.total(run, "transactions") > 0);
}

#[test]
fn a_late_standby_stops_a_run() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    // Nobody streams from it: WAL is kept for a standby that is away.
    session.value("SELECT pg_catalog.pg_create_physical_replication_slot('away', true)");
    session.value("CREATE TABLE filler (text text)");
    // At a rate that leaves the limit some seconds, on every machine: the leader reckons one second ahead.
    let (run, sqlstate, reason) = reason_of(
        &mut session,
        &format!("{}, limits => '{{\"replication_lag\": \"64MB\"}}'", fill(8)),
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit replication_lag: "), "{reason}");
    let behind = session.number(&format!(
        "SELECT pg_catalog.pg_wal_lsn_diff(end_lsn, restart_lsn)::int8 \
         FROM pgperf.runs, pg_catalog.pg_replication_slots WHERE run_id = {run}"
    ));
    assert!(
        (32 << 20..=64 << 20).contains(&behind),
        "{behind} bytes behind"
    );
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run(limits => '{\"replication_lag\": \"1MB\"}')",
    );
    assert_eq!(sqlstate, "53400", "{message}");
    assert!(hint.contains("limits => "), "{hint}");
}

#[test]
fn old_transaction_ids_stop_a_run() {
    let cluster = Cluster::for_runs(&["autovacuum = off"]);
    let mut session = cluster.connect();
    const OLDEST: &str = "SELECT max(age(datfrozenxid)) FROM pg_catalog.pg_database";
    let age = session.number(OLDEST);
    // At a pace that leaves the leader its CPU: it reckons one second ahead.
    let limit = age + 10_000;
    let (_, sqlstate, reason) = reason_of(
        &mut session,
        &format!("rate => 2000, duration => '1 h', limits => '{{\"xid_age\": {limit}}}'"),
    );
    assert_eq!(sqlstate, "53400");
    assert!(reason.starts_with("limit xid_age: "), "{reason}");
    let reached = session.number(OLDEST);
    assert!(
        (age + 1000..=limit).contains(&reached),
        "{reached} of {limit}"
    );
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
    expect_refusals(&mut session, "");
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// A run is refused where less is free than the limit asks for, and a load, which goes once the limit is lifted.
fn expect_refusals(session: &mut Client, options: &str) {
    let limit = |bytes: &str| format!("limits => '{{\"free_disk\": {bytes}}}'");
    let of_both = |limit: &str| {
        [
            format!("SELECT pgperf.start_run('tpcb-like', {limit})"),
            format!("CALL pgperf.init('tpcb-like', scale => 1, {limit}{options})"),
        ]
    };
    for call in of_both(&limit("\"250MB\"")) {
        let (sqlstate, message, _) = error_of(session, &call);
        assert_eq!(sqlstate, "53100", "{message}");
    }
    let [_, load] = of_both(&limit("null"));
    session.value(&load);
}

/// On a disk that fills as the table grows, the reserved space stays free.
#[test]
fn a_tablespace_that_fills_stops_a_run() {
    let disk = SmallDisk::new(256);
    let cluster = Cluster::for_scripts(&["autovacuum = off"]);
    let mut session = cluster.connect();
    disk.create_tablespace(&mut session, "small");
    session.value("CREATE TABLE filler (text text) TABLESPACE small");
    let (run, sqlstate, reason) = reason_of(&mut session, &fill(RATE_FOR_DISKS));
    expect_room(&disk, 256 / 20);
    assert_eq!(sqlstate, "53100");
    assert!(reason.contains("file system of tablespace"), "{reason}");
    assert!(session.total(run, "transactions") > 50);
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    expect_refusals(&mut session, ", tablespace => 'small', replace => true");
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// How much room rows take is known before they are written, those of a source as well.
#[test]
fn a_load_that_does_not_fit_is_refused() {
    let disk = SmallDisk::new(256);
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    disk.create_tablespace(&mut session, "small");
    session.value("ALTER DATABASE postgres SET default_tablespace = small");
    drop(session);
    let mut session = cluster.connect();
    let too_large = [
        "'tpcb-like', scale => 20",
        "'oltp_read_only', options => '{\"table_size\": 1400000}'",
        "'tpch-like', scale => 0.3",
        "'tpcc-like', scale => 4",
    ];
    for load in too_large {
        let (sqlstate, message, hint) = error_of(
            &mut session,
            &format!("SELECT pgperf.start_load({load}, schema => 'public')"),
        );
        assert_eq!(sqlstate, "53100", "{load}: {message}");
        assert!(message.contains("tablespace \"small\""), "{message}");
        assert!(hint.contains("free_disk"), "{hint}");
    }
    // The room of the tables that are replaced counts.
    session.value("CALL pgperf.init('tpcb-like', scale => 9)");
    assert!(disk.free_megabytes() < 11 * 13);
    let run = session.number("SELECT pgperf.start_load('tpcb-like', scale => 11)");
    session.value("SELECT pgperf.stop_run()");
    wait_until("the end", PATIENCE, || {
        ["stopped", "finished"].contains(&session.status(run).as_str())
    });
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// The WAL lies there too.
#[test]
fn a_data_directory_that_fills_stops_a_run() {
    let disk = SmallDisk::new(512);
    let cluster = Cluster::with_data_on(&disk, &["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE UNLOGGED TABLE filler (text text)");
    let (_, sqlstate, reason) = reason_of(&mut session, &fill(RATE_FOR_DISKS));
    expect_room(&disk, 512 / 20);
    assert_eq!(sqlstate, "53100");
    assert!(reason.contains("file system of data"), "{reason}");
    // The server is as it was.
    session.value("DROP TABLE filler");
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    expect_next_run(&mut session);
    drop(session);
    cluster.stop(StopMode::Fast);
}

/// Expects that this much of a disk has stayed free.
fn expect_room(disk: &SmallDisk, megabytes: u64) {
    let free = disk.free_megabytes();
    assert!(free >= megabytes, "{free} MB are free");
}

#[test]
fn the_server_can_forbid_load() {
    let cluster = Cluster::for_runs(&[]);
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
    expect_next_run(&mut session);
}

#[test]
fn the_server_limits_a_runs_time() {
    let cluster = Cluster::for_runs(&[]);
    // A load's time is limited, too.
    cluster.reconfigure(&["pgperf.max_run_time = '2s'"]);
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
    let cluster = Cluster::for_runs(&["pgperf.reserve_worker_slots = 12"]);
    let mut session = cluster.connect();
    // Of 16, one is the logical replication launcher's.
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.start_run(clients => 3)");
    assert_eq!(sqlstate, "53400", "{message}");
    session.finish_run("clients => 2, transactions_per_client => 10");
}
