//! Runs that wait for receivers from Debian's packages, each started by tools/receivers.

use super::catch_up::expect_catch_up;
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

/// What a receiver needs at most until it has reported what it has applied: as often as its daemons look.
const POLL: f64 = 2.0;

/// A run waits for a receiver of that kind: `drain` makes the argument of what the script prints. Then both have the same rows.
/// `daemons`: another one waits while its daemons are stopped.
fn expect_caught_up(
    settings: &[&str],
    kind: &str,
    daemons: bool,
    drain: impl FnOnce(&str) -> String,
) {
    let server = Cluster::with_data(&[SETTINGS, settings].concat());
    let mut session = server.connect();
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("its name").to_owned();
    let printed = receivers(&server, &[kind, &place]);
    let load = format!(
        "'tpcb-like', clients => 2, duration => '2 s', collectors => '{{}}', drain_timeout => '2 min', {}",
        drain(&printed)
    );
    let run = session.start_run(&load);
    session.value(&format!("CALL pgperf.wait_run({run})"));
    let status = format!(
        "SELECT string_agg(r.status, ' ') || ' ' || bool_and(sustainable_tps > 0) FROM pgperf.run_receivers r WHERE run_id = {run}"
    );
    assert_eq!(session.value(&status), "caught up true");
    let port = server.port() + 1;
    let mut there = Client::connect(
        &format!("host={place} port={port} user=postgres dbname=postgres"),
        postgres::NoTls,
    )
    .expect("the receiver");
    let sum = "SELECT sum(abalance) FROM pgbench_accounts";
    assert_eq!(there.value(sum), session.value(sum));
    if daemons {
        receivers(&server, &["pause", &place]);
        let run = session.start_run(&load);
        expect_catch_up(
            &mut session,
            run,
            || {
                receivers(&server, &["resume", &place]);
            },
            |session| there.value(sum) != session.value(sum),
            POLL,
        );
    }
    receivers(&server, &["stop", &place]);
}

#[test]
fn streaming_catches_up() {
    expect_caught_up(&[], "streaming", false, |_| {
        "drain => '{\"standbys\": [\"streaming\"]}'".to_owned()
    });
}

#[test]
fn native_subscriptions_catch_up() {
    expect_caught_up(&[], "logical", false, |_| {
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
    expect_caught_up(&settings, "pglogical", false, |slot| {
        format!("drain => '{{\"slots\": [\"{slot}\"]}}'")
    });
}

#[test]
fn slony_catches_up() {
    expect_caught_up(&[], "slony", true, |query| {
        format!("drain_sql => $${query}$$")
    });
}

#[test]
fn londiste_catches_up() {
    expect_caught_up(&[], "londiste", true, |query| {
        format!("drain_sql => $${query}$$")
    });
}
