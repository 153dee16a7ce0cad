//! A run starts when its transaction commits.

use super::{CREATE_RAN, MARK, SHORT_SWEEP};
use crate::common::runs::{CALM, PATIENCE, Runs, error_of, expect_next_run};
use crate::common::{Cluster, wait_until};
use postgres::NoTls;

#[test]
fn a_rolled_back_start_runs_nothing() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(CREATE_RAN);
    let ways = [
        format!("BEGIN; SELECT pgperf.start_run({MARK}); ROLLBACK"),
        format!("BEGIN; SAVEPOINT s; SELECT pgperf.start_run({MARK}); ROLLBACK TO s; COMMIT"),
        format!("BEGIN; SAVEPOINT s; SELECT pgperf.start_run({MARK}); RELEASE s; ROLLBACK"),
        format!(
            "BEGIN; SAVEPOINT s; SAVEPOINT t; SELECT pgperf.start_run({MARK}); RELEASE t; \
             ROLLBACK TO s; COMMIT"
        ),
        format!(
            "DO $$ BEGIN \
               PERFORM pgperf.start_run({}); RAISE division_by_zero; \
             EXCEPTION WHEN division_by_zero THEN NULL; END $$",
            MARK
        ),
    ];
    for way in &ways {
        session.batch_execute(way).expect(way);
        session.expect_no_workers(way);
    }
    assert_eq!(session.number("SELECT count(*) FROM ran"), 0);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.stored_runs"),
        0
    );
    assert!(!cluster.log().contains("ERROR"));
}

#[test]
fn a_run_begins_at_the_commit() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    session.value(CREATE_RAN);
    session.value("BEGIN");
    let run = session.start_run(MARK);
    session.value("SAVEPOINT s");
    let inner = session.start_run(MARK);
    session.value("RELEASE SAVEPOINT s");
    assert_eq!(other.workers(), 2, "leaders wait for the transaction");
    assert_eq!(other.status(run), "", "nobody sees the run yet");
    assert_eq!(session.status(run), "waiting");
    // While it waits, a leader holds back nobody's horizon.
    assert_eq!(
        other.number(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf leader' \
             AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
        ),
        0
    );
    session.value("COMMIT");
    for run in [run, inner] {
        session.wait_for_status(run, "finished");
    }
    assert_eq!(session.number("SELECT count(*) FROM ran"), 10);
}

#[test]
fn a_run_cannot_be_prepared_for_two_phase_commit() {
    let cluster = Cluster::for_scripts(&["max_prepared_transactions = 2"]);
    let mut session = cluster.connect();
    session.value(CREATE_RAN);
    session.value("BEGIN");
    session.start_run(MARK);
    let (sqlstate, message, _) = error_of(&mut session, "PREPARE TRANSACTION 'run'");
    assert_eq!(sqlstate, "0A000", "{message}");
    session.value("ROLLBACK");
    session.expect_no_workers("PREPARE TRANSACTION");
    assert_eq!(session.number("SELECT count(*) FROM pg_prepared_xacts"), 0);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.stored_runs"),
        0
    );
    // Only the transaction that started a run is refused.
    session.value("BEGIN");
    session.value("INSERT INTO ran DEFAULT VALUES");
    session.value("PREPARE TRANSACTION 'other'");
    session.value("ROLLBACK PREPARED 'other'");
}

#[test]
fn a_run_can_be_stopped_before_the_commit_that_starts_it() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("BEGIN");
    let run = session.start_run(CALM);
    assert_eq!(session.value("SELECT pgperf.stop_run()"), "t");
    session.value("COMMIT");
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("stop_run");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 0);
}

/// Leaders and workers of sweeps that wait for the commit of another session leave at once, and their rows say why.
#[test]
fn what_waits_for_its_commit_can_be_stopped() {
    let cluster = Cluster::for_runs(&["max_worker_processes = 24"]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    session.value("CREATE TABLE kept (n int)");
    for sql in [
        "CREATE SCHEMA elsewhere",
        "CREATE ROLE stranger LOGIN",
        "GRANT USAGE ON SCHEMA pgperf TO stranger",
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO stranger",
    ] {
        session.value(sql);
    }
    let mut stranger = (cluster.config().user("stranger").connect(NoTls)).expect("a session");
    let stopped = "57014: it was stopped before the transaction that started it committed";
    let forbidden = "55000: pgperf.allow_load is off on this server";
    let allow = |setting: &str| cluster.reconfigure(&[&format!("pgperf.allow_load = {setting}")]);
    let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                  WHERE backend_type IN ('pgperf leader', 'pgperf sweep')";
    for reason in ["stop_all", "allow_load", "cancel"] {
        session.value("BEGIN");
        session.value(&format!("INSERT INTO kept VALUES ({})", reason.len()));
        let run = session.start_run(CALM);
        let load = session.number("SELECT pgperf.start_load(schema => 'elsewhere')");
        session.value("SAVEPOINT s");
        session.start_run("script => 'SELECT 1;', resume => true, duration => '1 h'");
        session.value("ROLLBACK TO s");
        let resumable =
            session.start_run("script => 'SELECT 1;', resume => true, duration => '1 h'");
        let sweep = session.number(&format!("SELECT pgperf.start_sweep({SHORT_SWEEP})"));
        wait_until("workers that wait", PATIENCE, || other.workers() == 4);
        match reason {
            "stop_all" => {
                assert_eq!(stranger.number("SELECT pgperf.stop_all()"), 0);
                assert_eq!(other.workers(), 4, "a stranger stops nothing");
                assert_eq!(other.number("SELECT pgperf.stop_all()"), 3);
            }
            "allow_load" => allow("off"),
            _ => assert_eq!(other.number(cancel), 4),
        }
        other.expect_no_workers(reason);
        session.value("COMMIT");
        let expected = if reason == "allow_load" {
            forbidden
        } else {
            stopped
        };
        for run in [run, load, resumable] {
            assert_eq!(session.status(run), "stopped", "{reason}");
            let told =
                format!("SELECT sqlstate || ': ' || error FROM pgperf.runs WHERE run_id = {run}");
            assert_eq!(session.value(&told), expected);
        }
        let told =
            format!("SELECT status || ': ' || error FROM pgperf.sweeps WHERE sweep_id = {sweep}");
        assert_eq!(session.value(&told), format!("stopped: {}", &expected[7..]));
        allow("on");
    }
    assert_eq!(session.number("SELECT count(*) FROM kept"), 3);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.resume_points"),
        0
    );
    let resumed = session.number("SELECT max(sweep_id) FROM pgperf.sweeps");
    assert_eq!(
        session.value(&format!("SELECT pgperf.resume_sweep({resumed})")),
        "t"
    );
    wait_until("the resumed sweep", PATIENCE, || {
        other.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {resumed}"
        )) == "finished"
    });
    expect_next_run(&mut session);
}
