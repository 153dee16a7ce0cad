//! The documents: real runs and sweeps of as many kinds as there are, made once, by a release: later ones can import what it exported.
//! `tools/integration goldens::documents:: --ignored` makes those that are missing.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use postgres::Client;

use super::folder;
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, run, wait_until};

/// The name of each run, and the call that makes it and returns its run_id.
const RUNS: [(&str, &str); 19] = [
    (
        "load",
        "CALL pgperf.init('tpcb-like', scale => 2, label => 'load')",
    ),
    (
        "tpcb",
        "SELECT pgperf.start_run('tpcb-like', clients => 2, duration => '5 s', warmup => '1 s', sample_interval => '1 s', plans => true, \
         random_seed => 7, settings => '{\"synchronous_commit\": \"off\"}', label => 'tpcb', expect => '{\"tps\": \">= 1\"}', \
         collectors => '{wal,database,checkpoints,io,waits,host,statements,tables,buffers@1 s,wraparound@1 s,bloat@1 s,settings,replication,slru,locks,autovacuum@1 s,archiver,tablespaces}')",
    ),
    (
        "mix",
        "SELECT pgperf.start_run('tpcb-like@1, select-only@3', clients => 2, transactions_per_client => 300, transaction_log => true, query_mode => 'simple', sample_interval => '0.2 s')",
    ),
    (
        "sysbench",
        "SELECT pgperf.start_run('oltp_read_write', clients => 2, duration => '3 s', sample_interval => '0.5 s', label => 'sysbench')",
    ),
    (
        "turns",
        "SELECT pgperf.start_run('select-only', clients => 2, duration => '4 s', sample_interval => '0.25 s', settle => '0', alternate_every => '0.5 s', \
         alternate => '{\"work_mem\": [\"4MB\", \"8MB\"]}')",
    ),
    (
        "disturbed",
        "SELECT pgperf.start_run('tpcb-like', clients => 2, duration => '5 s', sample_interval => '0.2 s', disturbances => '[ \
           {\"kind\": \"checkpoint\", \"at\": \"1 s\"}, {\"name\": \"old report\", \"kind\": \"snapshot_holder\", \"at\": \"1.5 s\", \"for\": \"1 s\"}, \
           {\"name\": \"nap\", \"sql\": \"SELECT pg_catalog.pg_sleep(0.3)\", \"at\": \"3 s\"}, {\"name\": \"wrong\", \"sql\": \"SELECT 1 / 0\", \"at\": \"4 s\"}]')",
    ),
    (
        "rate",
        "SELECT pgperf.start_run('select-only', clients => 2, duration => '4 s', sample_interval => '0.5 s', latency_limit => '1 ms', \
         rate => '{\"0 s\": 200, \"2 s\": 2000}')",
    ),
    (
        "search",
        r"CALL pgperf.find_rate(script => E'SELECT 1;\n\\sleep 20 ms', clients => 2, start_rate => 20, step => '5 s', settle => '1 s', precision_percent => 50)",
    ),
    (
        "hit_curve",
        "SELECT pgperf.start_run('select-only', clients => 1, duration => '4 s', hit_curve => true)",
    ),
    (
        "failed",
        r"SELECT pgperf.start_run(script => E'\\set x random(1, 20)\nSELECT 1 / (:x - 1);', clients => 2, duration => '5 s', sample_interval => '0.5 s')",
    ),
    (
        "errors",
        r"SELECT pgperf.start_run(script => E'\\set x random(1, 20)\nSELECT 1 / (:x - 1);', clients => 2, transactions_per_client => 200, continue_on_error => true)",
    ),
    (
        "bare",
        "SELECT pgperf.start_run('simple-update', clients => 1, duration => '1 s', sample_interval => '1 h', collectors => '{}')",
    ),
    (
        "tpcc",
        "SELECT pgperf.start_run('tpcc-like', clients => 2, duration => '4 s', sample_interval => '0.5 s')",
    ),
    (
        "tpcc_sql",
        "SELECT pgperf.start_run('tpcc-like-sql', clients => 1, duration => '3 s', sample_interval => '0.5 s')",
    ),
    (
        "tpch",
        "SELECT pgperf.start_run('tpch-like', clients => 1, transactions_per_client => 22, schema => 'tpch')",
    ),
    (
        "precise",
        "SELECT pgperf.start_run('select-only', clients => 1, duration => '8 s', sample_interval => '0.1 s', until_precise => '20%')",
    ),
    (
        "cold",
        "SELECT pgperf.start_run('select-only', clients => 1, duration => '1 s', caches => 'cold', max_tries => 3)",
    ),
    (
        "drained",
        "SELECT pgperf.start_run('tpcb-like', clients => 2, duration => '2 s', sample_interval => '0.5 s', drain => '{\"standbys\": \"all\"}', drain_timeout => '20 s')",
    ),
    (
        "by_hand",
        "SELECT pgperf.start_run(script => E'-- weight and name\nBEGIN;\nSELECT count(*) FROM pgbench_tellers;\nEND;', query_mode => 'extended', \
         result_mode => 'discard', transactions_per_client => 50, label => 'names <b>&amp; 100 % \"quoted\"')",
    ),
];

const SWEEPS: [(&str, &str); 5] = [
    (
        "sweep_clients",
        "SELECT pgperf.start_sweep('select-only', clients => '{1,2,3}', repetitions => 3, duration => '0.5 s', collectors => '{}', label => 'clients')",
    ),
    (
        "sweep_clients_again",
        "SELECT pgperf.start_sweep('select-only', clients => '{1,2,3}', repetitions => 3, duration => '0.5 s', collectors => '{}', query_mode => 'simple', label => 'again')",
    ),
    (
        "sweep_settings",
        "SELECT pgperf.start_sweep('tpcb-like', clients => '{1,2}', repetitions => 2, duration => '0.5 s', collectors => '{wal,database}', \
         settings_grid => '{\"synchronous_commit\": [\"on\", \"off\"]}')",
    ),
    (
        "sweep_race",
        "SELECT pgperf.find_best('{\"work_mem\": [\"4MB\", \"8MB\"]}', clients => '{1}', script => 'SELECT 1;', repetitions => 3, margin => '50%', \
         duration => '0.5 s', sweep_options => '{\"collectors\": []}')",
    ),
    (
        "sweep_values",
        "SELECT pgperf.start_sweep('tpcc-like', clients => '{2}', repetitions => 3, duration => '0.5 s', collectors => '{buffers}', \
         settings_grid => '{\"work_mem\": [\"64MB\", \"1MB\", \"4MB\"]}')",
    ),
];

const CONF: [&str; 5] = [
    "shared_preload_libraries = 'pg_stat_statements, pgperf'",
    "wal_level = logical",
    "max_worker_processes = 16",
    "track_io_timing = on",
    "compute_query_id = on",
];

#[test]
#[ignore = "makes what stays as a release has made it"]
fn are_made() {
    let cluster = Cluster::with_data(&CONF);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA tpch");
    for data in [
        "'oltp_read_write'",
        "'tpcc-like'",
        "'tpch-like', scale => 0.01, schema => 'tpch'",
    ] {
        session.value(&format!("CALL pgperf.init({data})"));
    }
    session.value("SELECT pg_create_physical_replication_slot('standby_slot', true)");
    for (name, call) in RUNS.into_iter().filter(|(name, _)| is_missing(name)) {
        let standby = (name == "drained").then(|| cluster.standby("standby_slot"));
        let run = session.number(call);
        wait_for_end(&mut session, run);
        keep(
            &mut session,
            name,
            &format!("pgperf.export_run({run}, transactions => true)"),
        );
        drop(standby);
    }
    for (name, call) in SWEEPS.into_iter().filter(|(name, _)| is_missing(name)) {
        let sweep = session.number(call);
        session.value(&format!("CALL pgperf.wait_sweep({sweep})"));
        keep(&mut session, name, &format!("pgperf.export_sweep({sweep})"));
    }
    if is_missing("resumed") {
        let run = session.start_busy_run(
            "'tpcb-like', clients => 1, rate => 50, duration => '4 s', sample_interval => '0.2 s', resume => true",
        );
        session.await_intervals(run, 2);
        cluster.crash();
        cluster.start();
        session = cluster.connect();
        wait_for_end(&mut session, run);
        keep(
            &mut session,
            "resumed",
            &format!("pgperf.export_run({run})"),
        );
    }
}

fn file(name: &str) -> PathBuf {
    folder("documents").join(format!("{name}.json"))
}

fn is_missing(name: &str) -> bool {
    !file(name).with_extension("json.gz").exists()
}

fn wait_for_end(session: &mut Client, run: i64) {
    wait_until(&format!("the end of run {run}"), 2 * PATIENCE, || {
        ["finished", "failed", "stopped"].contains(&session.status(run).as_str())
    });
}

/// Stores the document, from a machine without a name.
fn keep(session: &mut Client, name: &str, document: &str) {
    let host = session.value("SELECT host FROM pgperf.nodes");
    let text = session
        .value(&format!("SELECT {document}"))
        .replace(&format!("\"{host}\""), "\"laboratory\"")
        .replace(&format!("\"{host}:"), "\"laboratory:");
    println!("{name}: {} bytes", text.len());
    fs::write(file(name), text).expect("the document");
    // Without a name and a time in it, the same document makes the same file.
    run(Command::new("gzip")
        .args(["--best", "--no-name"])
        .arg(file(name)));
}
