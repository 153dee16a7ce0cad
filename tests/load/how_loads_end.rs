//! Loading a data set: a run of its own kind, which ends in all the ways in which a run can end.

use crate::common::runs::{AT_ONCE, PATIENCE, Runs, at_once, error_of, expect_next_run};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// Starts a load that takes much longer than the tests, and waits until it loads rows.
fn start_long_load(session: &mut Client) -> i64 {
    let run = session.number(
        "SELECT pgperf.start_load('tpcb-like', scale => 2000, limits => '{\"free_disk\": null}')",
    );
    wait_until("rows", PATIENCE, || session.intervals(run) >= 1);
    run
}

#[test]
fn a_load_tells_what_it_has_done() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.number("CALL pgperf.init('tpcb-like', scale => 3)");
    assert_eq!(session.status(run), "finished");
    assert_eq!(session.value("SELECT kind FROM pgperf.runs"), "load");
    // All accounts, tellers and branches.
    assert_eq!(session.total(run, "transactions"), 300_000 + 30 + 3);
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_accounts"),
        300_000
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"() WHERE NOT passed"),
        0
    );
    // Again, at another scale: pgperf's own tables may be replaced.
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_accounts"),
        100_000
    );
    expect_next_run(&mut session);
}

#[test]
fn tables_in_use_are_not_loaded() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("CREATE SCHEMA elsewhere");
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    let start_run: fn(&mut Client) -> i64 =
        |session| session.number("SELECT pgperf.start_run('tpcb-like', duration => '1 hour')");
    for start in [start_run, start_long_load] {
        let live = start(&mut session);
        for call in [
            "CALL pgperf.init('select-only')",
            "SELECT pgperf.start_load('tpcb-like', scale => 2)",
            "SELECT pgperf.start_sweep('tpcb-like', scales => '{1}')",
        ] {
            let (sqlstate, message, hint) = error_of(&mut session, call);
            assert_eq!(sqlstate, "55006", "{message}");
            assert!(
                message.ends_with(&format!("run {live} works on them")),
                "{message}"
            );
            assert!(hint.contains(&format!("stop_run({live})")), "{hint}");
        }
        session.value("CALL pgperf.init('tpcb-like', schema => 'elsewhere')");
        session.value(&format!("SELECT pgperf.stop_run({live})"));
        session.wait_for_status(live, "stopped");
    }
}

#[test]
fn a_stopped_load_leaves_no_half_data_set_behind() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = start_long_load(&mut session);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    // Whatever is there now is not taken for a data set: the next run says what to do, or works.
    let start = "SELECT pgperf.start_run('tpcb-like', transactions_per_client => 10)";
    if session.simple_query(start).is_err() {
        let (_, _, hint) = error_of(&mut session, start);
        assert!(hint.contains("CALL pgperf.init"), "{hint}");
    }
    session.value("CALL pgperf.init('tpcb-like', scale => 1)");
    expect_next_run(&mut session);
}

#[test]
fn a_load_ends_with_its_leader_or_its_worker() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    for (victim, status) in [("leader", "interrupted"), ("client 0", "failed")] {
        let run = start_long_load(&mut session);
        let pid = match victim {
            "leader" => session.leader(run),
            _ => session.client(run, 0),
        };
        session.value(&format!("SELECT pg_terminate_backend({pid})"));
        session.expect_no_workers(&format!("terminating the {victim} of a load"));
        assert_eq!(session.status(run), status);
    }
    session.value("CALL pgperf.init()");
    expect_next_run(&mut session);
}

#[test]
fn a_fast_shutdown_ends_a_load() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = start_long_load(&mut session);
    at_once("fast shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();
    let mut session = cluster.connect();
    assert_eq!(session.status(run), "interrupted");
    session.value("CALL pgperf.init()");
    expect_next_run(&mut session);
}

#[test]
fn database_and_extension_can_be_dropped_during_a_load() {
    let cluster = Cluster::new(&[]);
    let mut session = cluster.connect();
    session.value("CREATE DATABASE lab");
    let mut lab = cluster.connect_to("lab");
    lab.value("CREATE EXTENSION pgperf CASCADE");
    start_long_load(&mut lab);
    at_once("DROP EXTENSION", || {
        lab.value("DROP EXTENSION pgperf CASCADE")
    });
    session.expect_no_workers("DROP EXTENSION");
    lab.value("CREATE EXTENSION pgperf");
    let run = lab.number("SELECT pgperf.start_load('tpcb-like', scale => 2000, replace => true, limits => '{\"free_disk\": null}')");
    wait_until("rows", PATIENCE, || lab.intervals(run) >= 1);
    let begun = "SELECT percent > 0 AND percent < 50 AND eta_s > 1 FROM pgperf.progress";
    wait_until("progress", PATIENCE, || lab.value(begun) == "t");
    drop(lab);
    wait_until("the session to leave", AT_ONCE, || {
        session.number(
            "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = 'lab' AND backend_type = 'client backend'",
        ) == 0
    });
    at_once("DROP DATABASE", || session.value("DROP DATABASE lab"));
    session.expect_no_workers("DROP DATABASE");
}

#[test]
fn an_error_of_a_load_reaches_the_caller() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE pgbench_tellers ()");
    let (sqlstate, _, hint) = error_of(&mut session, "CALL pgperf.init()");
    assert_eq!(sqlstate, "42P07");
    assert!(hint.contains("replace => true"), "{hint}");
    assert_eq!(session.number("SELECT count(*) FROM pgperf.runs"), 0);
    // One that shows only while it loads.
    session
        .batch_execute(
            "DROP TABLE pgbench_tellers;
             CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE 'no keys here' USING ERRCODE = 'object_not_in_prerequisite_state'; END $$;
             CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('ALTER TABLE')
             EXECUTE FUNCTION refuse()",
        )
        .expect("an event trigger");
    let (sqlstate, message, _) = error_of(&mut session, "CALL pgperf.init()");
    assert_eq!(sqlstate, "55000", "{message}");
    assert!(message.contains("no keys here"), "{message}");
    assert_eq!(session.value("SELECT status FROM pgperf.runs"), "failed");
}
