//! DROP EXTENSION and DROP DATABASE while a sweep waits for a restart, so that no worker is there to put its settings back: they are put
//! back all the same, and no guard restarts the server later.

use super::{start_sweep, status, wait_for};
use crate::common::runs::{PATIENCE, Runs};
use crate::common::{Cluster, StopMode, wait_until};

const SWEEP: &str = "clients => '{1}', repetitions => 1, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
     settings_grid => '{\"superuser_reserved_connections\": [2]}'";
/// What ALTER SYSTEM has.
const LINES: &str = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), '') FROM pg_file_settings \
     WHERE sourcefile LIKE '%postgresql.auto.conf'";
const BEFORE: &str = "superuser_reserved_connections=4";
const PRELOADED: &str = "shared_preload_libraries = 'pg_stat_statements, pgperf'";
const JOURNAL: &str = "pgperf_altered_settings";
const DOCTOR: &str = "SELECT concat_ws('|', status, detail) FROM pgperf.doctor() WHERE check_name = 'altered_settings'";

/// A cluster with a line of ALTER SYSTEM that is in force.
fn cluster(conf: &[&str]) -> Cluster {
    let cluster = Cluster::for_scripts(conf);
    cluster.run_sql("ALTER SYSTEM SET superuser_reserved_connections = 4");
    cluster.restart(StopMode::Fast);
    cluster
}

/// Starts a sweep in a database, and waits until it waits.
fn await_need(cluster: &Cluster, database: &str) {
    let mut session = cluster.connect_to(database);
    let sweep = start_sweep(&mut session, SWEEP);
    wait_until("the need of a restart", PATIENCE, || {
        status(&mut session, sweep) == "needs restart"
    });
    assert_eq!(session.value(LINES), "superuser_reserved_connections=2");
    assert!(cluster.data_dir().join(JOURNAL).exists());
}

fn expect_before(cluster: &Cluster) {
    wait_until("the value before", PATIENCE, || {
        cluster.run_sql(LINES) == BEFORE
    });
    wait_until("an empty journal", PATIENCE, || {
        !cluster.data_dir().join(JOURNAL).exists()
    });
}

#[test]
fn a_preloaded_server_puts_back_what_a_dropped_extension_has_left() {
    let cluster = cluster(&[PRELOADED]);
    await_need(&cluster, "postgres");
    cluster.run_sql("DROP EXTENSION pgperf");
    cluster.restart(StopMode::Fast);
    expect_before(&cluster);
    let log = cluster.log();
    assert!(
        log.contains("\"superuser_reserved_connections\" is 2 until the server is restarted"),
        "{log}"
    );
    cluster.restart(StopMode::Fast);
    assert_eq!(cluster.run_sql("SHOW superuser_reserved_connections"), "4");
}

#[test]
fn a_preloaded_server_puts_back_what_a_dropped_database_has_left() {
    let cluster = cluster(&[PRELOADED]);
    cluster.run_sql("CREATE DATABASE lab");
    let lab = cluster.connect_to("lab");
    drop(lab);
    cluster
        .connect_to("lab")
        .value("CREATE EXTENSION pgperf CASCADE");
    await_need(&cluster, "lab");
    cluster.run_sql("DROP DATABASE lab WITH (FORCE)");
    cluster.restart(StopMode::Fast);
    expect_before(&cluster);
}

/// Without preloading, nobody comes but the next sweep, in whichever database.
#[test]
fn the_next_sweep_does_not_take_a_lost_value_for_the_servers_own() {
    let cluster = cluster(&[]);
    cluster.run_sql("CREATE DATABASE lab");
    cluster
        .connect_to("lab")
        .value("CREATE EXTENSION pgperf CASCADE");
    for database in ["postgres", "lab"] {
        await_need(&cluster, database);
        let mut session = cluster.connect_to(database);
        session.value("DROP EXTENSION pgperf");
        session.value("CREATE EXTENSION pgperf");
        let found = session.value(DOCTOR);
        assert!(
            found.starts_with("problem|") && found.contains("superuser_reserved_connections"),
            "{found}"
        );
        drop(session);
        cluster.restart(StopMode::Fast);
        // In the other database nobody knows whether the sweep still waits: one there leaves its value as it is.
        let mut session = cluster.connect();
        let sweep = start_sweep(
            &mut session,
            "clients => '{1}', repetitions => 1, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
             settings_grid => '{\"superuser_reserved_connections\": [5]}'",
        );
        wait_until("the need of a restart", PATIENCE, || {
            status(&mut session, sweep) == "needs restart"
        });
        session.value(&format!("SELECT pgperf.stop_sweep({sweep})"));
        wait_for(&mut session, sweep, "stopped");
        let left = match database {
            "lab" => "superuser_reserved_connections=2",
            _ => BEFORE,
        };
        assert_eq!(session.value(LINES), left);
        drop(session);
        let mut session = cluster.connect_to(database);
        session.value(
            "CALL pgperf.run(script => 'SELECT 1;', transactions_per_client => 1, collectors => '{}')",
        );
        assert!(session.value(DOCTOR).starts_with("ok|"));
        expect_before(&cluster);
        drop(session);
        cluster.restart(StopMode::Fast);
    }
}

/// The sweep restarts the server by a command, and the extension is dropped before it goes on: the drop has been prepared, and is
/// committed when the server has started.
#[test]
fn a_drop_between_a_restart_and_the_rest_of_the_sweep_leaves_no_guards() {
    let cluster = cluster(&[PRELOADED, "max_prepared_transactions = 2"]);
    let socket = cluster.socket_dir().display().to_string();
    let psql = crate::common::bindir().join("psql");
    cluster.set_restart_command(&format!(
        "{} -X -q -h {socket} -p {} -d postgres -c \"BEGIN; DROP EXTENSION pgperf; PREPARE TRANSACTION 'drop'\" && {}",
        psql.display(),
        cluster.port(),
        cluster.restart_command()
    ));
    start_sweep(&mut cluster.connect(), SWEEP);
    let is_prepared = || {
        let output = cluster.psql(
            "SELECT count(*) || current_setting('superuser_reserved_connections') FROM pg_prepared_xacts",
        );
        output.stdout == b"12\n"
    };
    wait_until("the restart", PATIENCE * 2, is_prepared);
    assert_eq!(cluster.guards().len(), 2);
    // What comes now is found out, not waited for.
    let started = "SELECT pg_postmaster_start_time()";
    let started_at = cluster.run_sql(started);
    cluster.run_sql("COMMIT PREPARED 'drop'");
    expect_before(&cluster);
    cluster.expect_no_guards();
    assert_eq!(cluster.run_sql(started), started_at, "no further restart");
    cluster.run_sql("CREATE EXTENSION pgperf");
    cluster.expect_no_crash();
}
