//! Who may resume a run, and where.

use super::{LONG, PRELOADED, expect_sums, of_run, segments, wait_for_segment};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_role_that_may_no_longer_is_told_and_nothing_starts() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "CREATE ROLE bench LOGIN; GRANT USAGE ON SCHEMA pgperf TO bench; \
             GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.resume_run(bigint) TO bench; \
             CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA pgperf TO stranger; \
             GRANT EXECUTE ON FUNCTION pgperf.resume_run(bigint) TO stranger",
        )
        .expect("roles");
    let run = cluster.connect_as("bench").number(
        "SELECT pgperf.start_run(script => 'SELECT 1;', rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true)",
    );
    session.await_intervals(run, 2);
    for (change, undo, sqlstate, reason) in [
        (
            "ALTER ROLE bench NOLOGIN",
            "ALTER ROLE bench LOGIN",
            "28000",
            "is not permitted to log in",
        ),
        (
            "REVOKE EXECUTE ON FUNCTION pgperf.start_run FROM bench",
            "GRANT EXECUTE ON FUNCTION pgperf.start_run TO bench",
            "42501",
            "may no longer start runs",
        ),
        (
            "ALTER ROLE bench RENAME TO gone",
            "ALTER ROLE gone RENAME TO bench",
            "42704",
            "does not exist",
        ),
        // Another role of the name would lend its rights to the script.
        (
            "DO $$ BEGIN ALTER ROLE bench RENAME TO gone; CREATE ROLE bench LOGIN SUPERUSER; END $$",
            "DO $$ BEGIN DROP ROLE bench; ALTER ROLE gone RENAME TO bench; END $$",
            "42704",
            "does not exist any more",
        ),
        (
            "ALTER SYSTEM SET pgperf.allow_load = off",
            "ALTER SYSTEM RESET pgperf.allow_load",
            "55000",
            "pgperf.allow_load is off",
        ),
    ] {
        let before = segments(&mut session, run);
        session.value(change);
        cluster.restart(StopMode::Fast);
        session = cluster.connect();
        wait_until("the reason", PATIENCE, || {
            !of_run(&mut session, run, "error").is_empty()
        });
        assert_eq!(session.status(run), "interrupted", "{change}");
        assert_eq!(of_run(&mut session, run, "sqlstate"), sqlstate, "{change}");
        let error = of_run(&mut session, run, "error");
        assert!(error.contains(reason), "{change}: {error}");
        let logged = format!("pgperf run {run} is not resumed: {error}");
        assert!(cluster.log().contains(&logged), "{change}");
        let (told, ..) = error_of(&mut session, "SELECT pgperf.resume_run()");
        assert_eq!(told, sqlstate, "{change}");
        session.value(undo);
        session.value("SELECT pg_reload_conf()");
        if sqlstate == "42501" {
            let mut stranger = cluster.connect_as("stranger");
            let (told, message, _) = error_of(&mut stranger, "SELECT pgperf.resume_run()");
            assert_eq!(told, "42501");
            assert!(message.contains("must be a member of role"), "{message}");
        }
        wait_until("the setting", PATIENCE, || {
            session.value("SHOW pgperf.allow_load") == "on"
        });
        cluster
            .connect_as("bench")
            .value("SELECT pgperf.resume_run()");
        wait_for_segment(&mut session, run, before);
        assert_eq!(of_run(&mut session, run, "error IS NULL"), "t");
    }
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
}

#[test]
fn it_goes_on_at_its_own_place_only() {
    let cluster = Cluster::for_runs(&[PRELOADED]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(LONG);
    // A dump of the running server, restored elsewhere: another node, whose runs these are not. A cluster made from the
    // same template has the same system identifier, so that the same database there is taken for the same node: that
    // it is at another place has to do.
    let dump = cluster.program("pg_dump").output().expect("pg_dump");
    assert!(dump.status.success());
    let other = Cluster::new(&[PRELOADED]);
    let file = other.socket_dir().join("dump.sql");
    std::fs::write(&file, &dump.stdout).expect("the dump");
    other.run_sql("CREATE DATABASE elsewhere");
    for database in ["postgres", "elsewhere"] {
        let restored = other
            .program("psql")
            .args(["-X", "-q", "-d", database, "-f"])
            .arg(&file)
            .output()
            .expect("psql");
        assert!(restored.status.success());
    }
    other.restart(StopMode::Fast);
    let mut copy = other.connect();
    wait_until("the reason", PATIENCE, || {
        of_run(&mut copy, run, "error").contains("it ran on")
    });
    assert_eq!(copy.status(run), "interrupted");
    let mut elsewhere = other.connect_to("elsewhere");
    let points = elsewhere.number("SELECT count(*) FROM pgperf_internal.resume_points");
    assert_eq!(points, 1);
    let (sqlstate, ..) = error_of(&mut elsewhere, "SELECT pgperf.resume_run()");
    assert_eq!(sqlstate, "42704");
    let call = format!("SELECT pgperf.resume_run({run})");
    let (sqlstate, message, _) = error_of(&mut elsewhere, &call);
    assert_eq!(sqlstate, "55000", "{message}");
    assert!(message.contains("another node"), "{message}");

    // A standby shows it as it is on the primary, and does nothing.
    session.value("SELECT pg_create_physical_replication_slot('standby', true)");
    let standby = cluster.standby("standby");
    let mut reader = standby.connect();
    reader.await_intervals(run, 2);
    let (sqlstate, message, _) = error_of(&mut reader, "SELECT pgperf.resume_run()");
    assert_eq!(sqlstate, "25006");
    assert!(message.contains("standby"), "{message}");
    cluster.crash();
    // Promoted, it is another place: it does not take over the load by itself, but may be asked to.
    assert_eq!(reader.value("SELECT pg_promote()"), "t");
    wait_until("the reason", PATIENCE, || {
        !of_run(&mut reader, run, "error").is_empty()
    });
    let error = of_run(&mut reader, run, "error");
    assert!(
        error.contains("timeline 1") && error.contains("timeline 2"),
        "{error}"
    );
    assert_eq!(reader.status(run), "interrupted");
    assert_eq!(reader.value("SELECT pgperf.resume_run()"), run.to_string());
    wait_for_segment(&mut reader, run, 1);
    reader.value("SELECT pgperf.stop_run()");
    reader.wait_for_status(run, "stopped");
    expect_sums(&mut reader, run);

    // The old primary comes back as a standby: no launcher, no load.
    std::fs::write(cluster.data_dir().join("standby.signal"), "").expect("standby.signal");
    cluster.start();
    sleep(Duration::from_secs(1));
    let mut session = cluster.connect();
    assert_eq!(session.workers(), 0);
    assert_eq!(copy.workers(), 1, "the launcher");
}

/// A server with fewer worker slots than the run had: none of its clients begins.
#[test]
fn it_does_not_go_on_where_its_clients_have_no_slots() {
    let cluster = Cluster::for_runs(&[PRELOADED, "max_worker_processes = 12"]);
    let mut session = cluster.connect();
    let run = session.start_run(
        "script => 'SELECT 1;', clients => 6, rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true",
    );
    session.await_intervals(run, 2);
    session.value("ALTER SYSTEM SET max_worker_processes = 7");
    cluster.restart(StopMode::Fast);
    session = cluster.connect();
    wait_until("the reason", PATIENCE, || {
        !of_run(&mut session, run, "error").is_empty()
    });
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.resume_run()");
    assert_eq!(sqlstate, "53400", "{message}");
    assert!(message.contains("7 needed"), "{message}");
    assert_eq!(of_run(&mut session, run, "sqlstate"), sqlstate);
    assert_eq!(session.status(run), "interrupted");
    assert_eq!(segments(&mut session, run), 1);
    session.value("ALTER SYSTEM RESET max_worker_processes");
    cluster.restart(StopMode::Fast);
    session = cluster.connect();
    wait_for_segment(&mut session, run, 1);
    session.value("SELECT pgperf.stop_run()");
    session.wait_for_status(run, "stopped");
}
