//! Who starts a sweep, and who waits for it.

use super::{ENDLESS, start_sweep, status, wait_for, wait_for_a_run};
use crate::common::Cluster;
use crate::common::runs::{Runs, error_of};

#[test]
fn a_rolled_back_start_runs_nothing() {
    let cluster = Cluster::for_scripts(&["max_prepared_transactions = 2"]);
    let mut session = cluster.connect();
    for way in [
        format!("BEGIN; SELECT pgperf.start_sweep({ENDLESS}); ROLLBACK"),
        format!("BEGIN; SAVEPOINT s; SELECT pgperf.start_sweep({ENDLESS}); ROLLBACK TO s; COMMIT"),
    ] {
        session.batch_execute(&way).expect(&way);
        session.expect_no_workers(&way);
    }
    session.value("BEGIN");
    let sweep = start_sweep(&mut session, ENDLESS);
    assert_eq!(status(&mut session, sweep), "waiting");
    assert_eq!(
        error_of(&mut session, "PREPARE TRANSACTION 'sweep'").0,
        "0A000"
    );
    session.value("ROLLBACK");
    session.expect_no_workers("PREPARE TRANSACTION");
    let rows = "SELECT (SELECT count(*) FROM pgperf_internal.stored_sweeps) + (SELECT count(*) FROM pgperf_internal.stored_runs)";
    assert_eq!(session.number(rows), 0);
}

#[test]
fn it_runs_as_the_role_that_starts_it() {
    let cluster = Cluster::for_scripts(&[]);
    let mut superuser = cluster.connect();
    for sql in [
        "CREATE ROLE tester LOGIN",
        "CREATE ROLE other LOGIN",
        "CREATE SCHEMA lab AUTHORIZATION tester",
        "ALTER ROLE tester SET search_path = lab",
        "GRANT USAGE ON SCHEMA pgperf TO tester, other",
    ] {
        superuser.value(sql);
    }
    let mut tester = cluster.connect_as("tester");
    tester.value(
        "CREATE TABLE ran (role text DEFAULT current_user, session_role text DEFAULT session_user)",
    );
    let arguments = "script => 'INSERT INTO ran DEFAULT VALUES;', transactions_per_client => 5, \
         clients => '{1,2}', repetitions => 1, collectors => '{}'";
    let start = format!("SELECT pgperf.start_sweep({arguments})");
    assert_eq!(error_of(&mut tester, &start).0, "42501");
    superuser.value("GRANT EXECUTE ON FUNCTION pgperf.start_sweep, pgperf.resume_sweep(bigint) TO tester, other");
    let with_checkpoint = start.replace("start_sweep(", "start_sweep(checkpoint => true, ");
    assert_eq!(error_of(&mut tester, &with_checkpoint).0, "42501");
    let setting = start.replace(
        "start_sweep(",
        "start_sweep(settings_grid => '{\"log_statement\": [\"none\"]}', ",
    );
    assert_eq!(error_of(&mut tester, &setting).0, "42501");
    assert_eq!(superuser.number("SELECT count(*) FROM pgperf.sweeps"), 0);

    let sweep = start_sweep(&mut tester, arguments);
    wait_for(&mut superuser, sweep, "finished");
    assert_eq!(
        tester.value(
            "SELECT string_agg(DISTINCT role || ' ' || session_role, ',') || count(*) FROM ran"
        ),
        "tester tester15"
    );
    assert_eq!(
        superuser.value("SELECT string_agg(DISTINCT role, ',') FROM pgperf.runs"),
        "tester"
    );
    assert_eq!(
        tester.value(&format!(
            "SELECT count(*) > 5 FROM pgperf.sweep_report({sweep})"
        )),
        "t"
    );

    // Others neither see nor touch it.
    let mut other = cluster.connect_as("other");
    for call in [
        "SELECT pgperf.sweep_report()",
        "SELECT pgperf.sweep_markdown()",
        "SELECT pgperf.sweep_peak()",
        "SELECT pgperf.sweep_status()",
        "CALL pgperf.wait_sweep()",
        "SELECT pgperf.stop_sweep()",
        "SELECT pgperf.resume_sweep()",
        "SELECT pgperf.delete_sweep(1)",
        "SELECT count(*) FROM pgperf.sweeps",
    ] {
        assert_eq!(error_of(&mut other, call).0, "42501", "{call}");
    }
    // A superuser who resumes a role's sweep runs it as that role.
    superuser.value("TRUNCATE lab.ran");
    assert_eq!(
        superuser.value(&format!(
            "SELECT pgperf.delete_run(max(run_id)) FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
        )),
        "t"
    );
    assert_eq!(superuser.value("SELECT pgperf.resume_sweep()"), "t");
    wait_for(&mut superuser, sweep, "finished");
    assert_eq!(
        tester.value("SELECT string_agg(DISTINCT role || ' ' || session_role, ',') FROM ran"),
        "tester tester"
    );
}

#[test]
fn who_waits_is_told_how_far_it_is() {
    let cluster = Cluster::for_scripts(&[]);
    let output = cluster.psql(
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', repetitions => 2, \
         duration => '0.3 s', sample_interval => '0.1 s', collectors => '{}')",
    );
    assert!(output.status.success(), "{output:?}");
    let output = cluster.psql("CALL pgperf.wait_sweep(progress => true)");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        messages.matches("INFO:  sweep 1: ").count(),
        4,
        "{messages}"
    );
    assert!(messages.contains(" of 4 runs, run "), "{messages}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("finished"));
    let output = cluster.psql("BEGIN; CALL pgperf.wait_sweep()");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        messages.contains("cannot run inside a transaction block"),
        "{messages}"
    );
    // A timeout ends the waiting, not the sweep.
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, ENDLESS);
    wait_for_a_run(&mut session, sweep);
    assert_eq!(
        session.value("CALL pgperf.wait_sweep(timeout => '0.2 s')"),
        "running"
    );
    session.value("SELECT pgperf.stop_sweep()");
    assert_eq!(session.value("CALL pgperf.wait_sweep()"), "stopped");
}
