//! The role whose rights a run has.

use super::{CREATE_RAN, MARK};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of, expect_next_run};
use std::time::Duration;

#[test]
fn the_workload_runs_as_the_role_that_starts_it() {
    let cluster = Cluster::for_scripts(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE tester LOGIN; CREATE ROLE nologin;
             CREATE TABLE secret (); CREATE SCHEMA lab AUTHORIZATION tester;
             ALTER ROLE tester SET search_path = lab;
             ALTER ROLE tester SET lock_timeout = '1ms';
             ALTER ROLE tester SET statement_timeout = '1min';
             GRANT USAGE ON SCHEMA pgperf TO tester, nologin;
             GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester, nologin;
             GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA pgperf TO tester;",
        )
        .expect("roles");
    let mut tester = cluster.connect_as("tester");
    tester.value(CREATE_RAN);
    let run = tester.start_run(&format!("{MARK}, clients => 2"));
    superuser.wait_for_status(run, "finished");
    assert_eq!(
        tester.value(
            "SELECT string_agg(DISTINCT role || ' ' || session_role, ',') || count(*) FROM ran"
        ),
        "tester tester10"
    );
    assert_eq!(
        superuser.value("SELECT DISTINCT role FROM pgperf.runs"),
        "tester"
    );
    // Its rights are its own: what it may not do, the run may not do.
    let run =
        tester.start_run("script => 'SELECT FROM public.secret;', transactions_per_client => 1");
    superuser.wait_for_status(run, "failed");
    assert_eq!(
        superuser.value(&format!(
            "SELECT sqlstate FROM pgperf.runs WHERE run_id = {run}"
        )),
        "42501"
    );
    // SET ROLE gives nobody a session who may not have one.
    superuser.value("SET ROLE nologin");
    let start = format!("SELECT pgperf.start_run({MARK})");
    let (sqlstate, _, hint) = error_of(&mut superuser, &start);
    assert_eq!(sqlstate, "28000");
    assert!(hint.contains("ALTER ROLE nologin LOGIN"), "{hint}");
    superuser.value("RESET ROLE");
    // Another role neither stops nor deletes it.
    let run = superuser.start_run("script => 'SELECT pg_sleep(600);', duration => '1 h'");
    for call in ["stop_run", "delete_run"] {
        let (sqlstate, ..) = error_of(&mut tester, &format!("SELECT pgperf.{call}({run})"));
        assert_eq!(sqlstate, "42501", "{call}");
    }
    assert_eq!(tester.number("SELECT pgperf.stop_all()"), 0);
    superuser.wait_for_status(run, "running");
}

#[test]
fn clients_that_cannot_connect_fail_the_run() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE ROLE gone LOGIN SUPERUSER")
        .expect("a role");
    let mut gone = cluster.connect_as("gone");
    gone.value("BEGIN");
    let run = gone.start_run("'tpcb-like', clients => 3, duration => '1 h'");
    gone.value("ALTER ROLE gone NOLOGIN");
    gone.value("COMMIT");
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(error.contains("could not connect"), "{error}");
    session.expect_no_workers("the failed run");
    expect_next_run(&mut session);
}

#[test]
fn rights_that_are_only_lent_start_no_run() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let view = "CREATE MATERIALIZED VIEW view AS SELECT pgperf.start_run(script => 'SELECT 1;')";
    let (sqlstate, message, _) = error_of(&mut session, view);
    assert_eq!(sqlstate, "42501");
    assert!(message.contains("security-restricted"), "{message}");
    session.expect_no_workers("the refused start");
}

#[test]
fn the_owners_settings_do_not_disturb_the_leader() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "ALTER ROLE postgres SET lock_timeout = '1ms';
             ALTER ROLE postgres SET statement_timeout = '1ms';
             ALTER ROLE postgres SET default_transaction_isolation = 'serializable';
             ALTER ROLE postgres SET default_transaction_read_only = on;
             ALTER ROLE postgres SET search_path = nowhere;
             CREATE ROLE tester LOGIN;
             GRANT pg_read_all_data TO tester;
             GRANT USAGE ON SCHEMA pgperf TO tester;
             GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester;",
        )
        .expect("settings and a role");
    let mut tester = cluster.connect_as("tester");
    tester.value("BEGIN");
    let run = tester.start_run("'select-only', clients => 2, duration => '1 s'");
    // The leader waits for this transaction, for longer than its role's timeouts.
    std::thread::sleep(Duration::from_millis(100));
    tester.value("COMMIT");
    session.wait_for_status(run, "finished");
    assert!(session.intervals(run) >= 1);
    assert!(!cluster.log().contains("ERROR"));
}
