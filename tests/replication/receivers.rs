//! Runs that wait for receivers from Debian's packages, each started by tools/receivers.

use crate::common::runs::Runs;
use crate::common::{Cluster, bindir};
use postgres::Client;
use std::path::Path;
use std::process::Command;

const SETTINGS: &[&str] = &[
    "wal_level = logical",
    "max_wal_senders = 10",
    "max_replication_slots = 10",
    "max_worker_processes = 24",
];

/// The script with these arguments, for that server; what it prints.
fn receivers(server: &Cluster, arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/receivers");
    let output = Command::new(script)
        .args(arguments)
        .env("PG_CONFIG", bindir().join("pg_config"))
        .env("PGHOST", server.socket_dir())
        .env("PGPORT", server.port().to_string())
        .env("PGUSER", "postgres")
        .env("PGDATABASE", "postgres")
        .output()
        .expect("tools/receivers");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A run waits for a receiver of that kind: `drain` makes the argument of what the script prints. Then both have the same rows.
fn expect_caught_up(settings: &[&str], kind: &str, drain: impl FnOnce(&str) -> String) {
    let server = Cluster::with_data(&[SETTINGS, settings].concat());
    let mut session = server.connect();
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("its name").to_owned();
    let printed = receivers(&server, &[kind, &place]);
    let run = session.start_run(&format!(
        "'tpcb-like', clients => 2, duration => '2 s', collectors => '{{}}', drain_timeout => '2 min', {}",
        drain(&printed)
    ));
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let status = format!(
        "SELECT string_agg(r.status, ' ') || ' ' || bool_and(sustainable_tps > 0) FROM pgperf.run_receivers r WHERE run_id = {run}"
    );
    assert_eq!(session.value(&status), "caught up true");
    let port = server.port() + 1;
    let there = Client::connect(
        &format!("host={place} port={port} user=postgres dbname=postgres"),
        postgres::NoTls,
    );
    let sum = "SELECT sum(abalance) FROM pgbench_accounts";
    assert_eq!(there.expect("the receiver").value(sum), session.value(sum));
    receivers(&server, &["stop", &place]);
}

#[test]
fn streaming_catches_up() {
    expect_caught_up(&[], "streaming", |_| {
        "drain => '{\"standbys\": [\"streaming\"]}'".to_owned()
    });
}

#[test]
fn native_subscriptions_catch_up() {
    expect_caught_up(&[], "logical", |_| {
        "drain => '{\"slots\": [\"logical\"]}'".to_owned()
    });
}

#[test]
fn pglogical_catches_up() {
    let plain = Cluster::with_pgperf(&[]);
    receivers(&plain, &["install", "pglogical"]);
    // Newer minor versions have a list of the libraries that may decode.
    let trusts = "SELECT current_setting('output_plugin_libraries', true) || ', pglogical_output'";
    let list = plain.connect().value(trusts);
    let trusts = format!("output_plugin_libraries = '{list}'");
    let mut settings = vec!["shared_preload_libraries = 'pglogical'"];
    settings.extend((!list.is_empty()).then_some(trusts.as_str()));
    expect_caught_up(&settings, "pglogical", |slot| {
        format!("drain => '{{\"slots\": [\"{slot}\"]}}'")
    });
}

#[test]
fn slony_catches_up() {
    expect_caught_up(&[], "slony", |query| format!("drain_sql => $${query}$$"));
}

#[test]
fn londiste_catches_up() {
    expect_caught_up(&[], "londiste", |query| format!("drain_sql => $${query}$$"));
}
