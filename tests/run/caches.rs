//! Caches that are emptied or filled before a run.

use std::process::Command;

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, major, wait_until};
use postgres::Client;
use std::thread::sleep;
use std::time::Duration;

const SHORT: &str = "'select-only', clients => 1, transactions_per_client => 1, collectors => '{}'";

/// A fact of a run about its caches.
fn fact(session: &mut Client, run: i64, name: &str) -> String {
    session.value(&format!(
        "SELECT value FROM pgperf.run_environment WHERE run_id = {run} AND category = 'memory' AND name = '{name}'"
    ))
}

/// The part of the database's files that the operating system had in memory when the clients began.
fn share_in_memory(session: &mut Client, run: i64) -> f64 {
    let [resident, files] = ["caches.files_in_memory", "caches.files"].map(|name| {
        let bytes: f64 = fact(session, run, name).parse().expect("bytes");
        bytes
    });
    assert!(files > 5e7, "{files}");
    resident / files
}

fn has_disk(cluster: &Cluster) -> bool {
    let output = Command::new("stat")
        .args(["-f", "-c", "%T"])
        .arg(cluster.data_dir())
        .output()
        .expect("stat");
    String::from_utf8_lossy(&output.stdout).trim() != "tmpfs"
}

#[test]
fn cold_empties_and_warm_fills_them() {
    // Beside five times as much data the catalogs, which the leader and the clients read, are little. Nobody else reads.
    let cluster = Cluster::for_runs(&["autovacuum = off", "shared_buffers = 128MB"]);
    cluster.run_sql("CALL pgperf.init(scale => 5)");
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let warm = session.finish_run(&format!("{SHORT}, caches => 'warm'"));
    let cached = "SELECT count(*) >= (SELECT pg_relation_size('pgbench_accounts') / 8192) FROM pg_buffercache \
         WHERE relfilenode = pg_relation_filenode('pgbench_accounts') AND relforknumber = 0";
    assert_eq!(session.value(cached), "t");
    let read = fact(&mut session, warm, "caches.read");
    let whole =
        "SELECT pg_relation_size('pgbench_accounts') + pg_relation_size('pgbench_accounts_pkey')";
    assert!(read.parse::<i64>().expect("bytes") >= session.number(whole));

    let cold = session.finish_run(&format!("{SHORT}, caches => 'cold'"));
    assert_eq!(fact(&mut session, cold, "caches"), "cold");
    let resident = share_in_memory(&mut session, cold);
    assert!(resident < 0.01 || !has_disk(&cluster), "{resident}");
    let note = session.value(&format!(
        "SELECT note FROM pgperf.run_environment WHERE run_id = {cold} AND name = 'caches'"
    ));
    if major() >= 17 {
        assert_eq!(note, "");
        let evicted = fact(&mut session, cold, "caches.evicted_buffers");
        assert!(evicted.parse::<i64>().expect("buffers") > 1_000);
    } else {
        assert!(note.contains("PostgreSQL 17"), "{note}");
    }
    let shown = format!(
        "SELECT count(*) FROM pgperf.report({cold}) l WHERE l LIKE 'The caches were cold before the run%'"
    );
    assert_eq!(session.number(&shown), 1);
}

/// Each kind of relation with pages of its own, and none of the server's or of pgperf.
#[test]
fn warm_reads_every_kind_of_relation() {
    let cluster = Cluster::for_scripts(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE TABLE wide (id int PRIMARY KEY, t text); ALTER TABLE wide ALTER t SET STORAGE EXTERNAL; \
             INSERT INTO wide SELECT g, repeat('x', 5000) FROM generate_series(1, 300) g; \
             CREATE MATERIALIZED VIEW seen AS SELECT g FROM generate_series(1, 5000) g; \
             CREATE TABLE parts (id int) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9000); \
             INSERT INTO parts SELECT g FROM generate_series(1, 5000) g; CREATE INDEX hashed ON part USING hash (id); \
             CREATE UNLOGGED TABLE unlogged AS SELECT g FROM generate_series(1, 5000) g; \
             CREATE SCHEMA \"other schema\"; CREATE TABLE \"other schema\".\"a table\" AS SELECT g FROM generate_series(1, 5000) g",
        )
        .expect("relations");
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 1, collectors => '{}', caches => 'warm'",
    );
    // Those of the tables above, their indexes, their TOAST tables and the indexes of these.
    let relations = session.value(
        "WITH tables AS (SELECT c.oid, c.reltoastrelid FROM pg_class c WHERE c.relkind IN ('r', 'm') \
             AND c.relnamespace::regnamespace::text IN ('public', '\"other schema\"')), \
         all_of_them AS (SELECT oid FROM tables UNION SELECT reltoastrelid FROM tables WHERE reltoastrelid > 0 \
             UNION SELECT i.indexrelid FROM pg_index i JOIN tables t ON i.indrelid IN (t.oid, t.reltoastrelid)) \
         SELECT concat_ws(' ', count(*), count(*) FILTER (WHERE cached >= pages), \
                          string_agg(oid::regclass::text, ', ') FILTER (WHERE cached < pages)) \
         FROM (SELECT a.oid, pg_relation_size(a.oid) / 8192 AS pages, (SELECT count(*) FROM pg_buffercache b \
                   WHERE b.relfilenode = pg_relation_filenode(a.oid) AND b.relforknumber = 0) AS cached FROM all_of_them a) c \
         WHERE pages > 0",
    );
    // Five tables, a key, a hash index, a TOAST table with its index.
    assert_eq!(relations, "9 9");
    let read: i64 = fact(&mut session, run, "caches.read")
        .parse()
        .expect("bytes");
    let toast = "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE relname = 'wide'";
    assert!(read > session.number(toast), "{read}");
}

/// A checkpoint that takes its time, as that of many dirty buffers does: the clients begin after it.
#[test]
fn a_cold_run_begins_after_its_checkpoint() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE began (redo pg_lsn)");
    session.value("UPDATE pgbench_accounts SET abalance = 1");
    let before = session.value("SELECT pg_current_wal_insert_lsn()");
    let checkpointer = session
        .number("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
        .try_into()
        .expect("a process id");
    cluster.signal(checkpointer, "STOP");
    let run = session.start_run(
        "script => 'INSERT INTO began SELECT redo_lsn FROM pg_control_checkpoint();', transactions_per_client => 1, \
         collectors => '{}', caches => 'cold'",
    );
    // Whoever does not wait is done in a fraction of this time.
    wait_until("a client", PATIENCE, || {
        let client = format!("application_name LIKE 'pgperf run {run} client %'");
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE {client}");
        session.number(&sql) == 1 || session.status(run) == "finished"
    });
    sleep(Duration::from_millis(400));
    let status = session.status(run);
    cluster.signal(checkpointer, "CONT");
    session.wait_for_status(run, "finished");
    assert_eq!(status, "preparing");
    let sql = format!("SELECT count(*) FROM began WHERE redo >= '{before}'");
    assert_eq!(session.number(&sql), 1);
}

#[test]
fn only_who_may_ask_for_checkpoints_empties_them() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE ROLE reader LOGIN");
    session.value("GRANT EXECUTE ON FUNCTION pgperf.start_run TO reader");
    session.value("SET ROLE reader");
    let call = "SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, caches => 'cold')";
    assert_eq!(error_of(&mut session, call).0, "42501");
    session.value("RESET ROLE");
    session.value("GRANT pg_checkpoint TO reader");
    session.value("SET ROLE reader");
    let run = session.number(call);
    session.value("RESET ROLE");
    session.wait_for_status(run, "finished");
}

#[test]
fn a_warm_run_reads_more_than_shared_buffers_hold() {
    let cluster = Cluster::for_runs(&["autovacuum = off", "shared_buffers = 2MB"]);
    let mut session = cluster.connect();
    let run = session.finish_run(&format!("{SHORT}, caches => 'warm'"));
    let whole = session.number("SELECT pg_relation_size('pgbench_accounts')");
    let read: i64 = fact(&mut session, run, "caches.read")
        .parse()
        .expect("bytes");
    assert!(read >= whole && whole > 5 * 2 * 1024 * 1024);
}

#[test]
fn a_sweep_passes_them_on_to_its_runs() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}', repetitions => 2, transactions_per_client => 1, caches => 'warm')",
    );
    session.value("CALL pgperf.wait_sweep()");
    let runs =
        "SELECT count(*) FROM pgperf.run_environment WHERE name = 'caches' AND value = 'warm'";
    assert_eq!(session.number(runs), 2);
}

#[test]
fn a_run_that_is_stopped_while_its_caches_fill_ends() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_run("'select-only', duration => '1 h', caches => 'warm'");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}
