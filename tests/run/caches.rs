//! Caches that are emptied or filled before a run.

use std::process::Command;

use crate::common::runs::{Runs, error_of};
use crate::common::{Cluster, StopMode, major};
use postgres::Client;

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
