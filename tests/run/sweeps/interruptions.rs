//! Restarts, stops and failed runs in the middle of a sweep.

use super::{
    ENDLESS, THREE_BY_THREE, expect_results, finished, start_sweep, status, wait_for,
    wait_for_a_run,
};
use crate::common::runs::{AT_ONCE, PATIENCE, Runs, at_once, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_restart_in_the_middle_costs_one_run() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, THREE_BY_THREE);
    wait_until("three runs", PATIENCE, || {
        finished(&mut session, sweep) >= 3
    });
    wait_for_a_run(&mut session, sweep);
    drop(session);
    at_once("the shutdown", || cluster.stop(StopMode::Fast));
    cluster.start();

    let mut session = cluster.connect();
    assert_eq!(status(&mut session, sweep), "interrupted");
    let before = session.value(&format!(
        "SELECT array_agg(run_id ORDER BY run_id) FROM pgperf.sweep_runs \
         WHERE sweep_id = {sweep} AND status = 'finished'"
    ));
    assert_eq!(
        session.value(&format!("SELECT pgperf.resume_sweep({sweep})")),
        "t"
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.resume_sweep({sweep})")),
        "f",
        "it runs"
    );
    wait_for(&mut session, sweep, "finished");
    expect_results(&mut session, sweep);
    session.expect_no_workers("the sweep");
    // What had finished was not run again; what was interrupted was, once.
    assert_eq!(
        session.value(&format!(
            "SELECT array_agg(run_id ORDER BY run_id) @> '{before}' AND max(attempts) = 2 AND sum(attempts) = 10 \
             FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
        )),
        "t"
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.resume_sweep({sweep})")),
        "f",
        "nothing is missing"
    );
    // The runs ran in the plan's order, but for the one that was interrupted.
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM (SELECT position, row_number() OVER (ORDER BY started_at) AS place \
             FROM pgperf.sweep_runs WHERE sweep_id = {sweep}) p WHERE position <> place"
        )),
        0
    );
}

#[test]
fn preloaded_it_goes_on_by_itself() {
    let cluster = Cluster::for_runs(&[
        "shared_preload_libraries = 'pg_stat_statements, pgperf'",
        "pgperf.sampler_databases = 'postgres'",
    ]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, THREE_BY_THREE);
    wait_until("two runs", PATIENCE, || finished(&mut session, sweep) >= 2);
    drop(session);
    cluster.restart(StopMode::Immediate);
    let mut session = cluster.connect();
    wait_for(&mut session, sweep, "finished");
    expect_results(&mut session, sweep);
    // One that was stopped stays so.
    let stopped = start_sweep(&mut session, ENDLESS);
    wait_for_a_run(&mut session, stopped);
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, stopped, "stopped");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    wait_until("a sampler", PATIENCE, || {
        session.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgperf sampler'",
        ) == 1
    });
    sleep(Duration::from_secs(1));
    assert_eq!(status(&mut session, stopped), "stopped");
}

#[test]
fn a_stopped_sweep_stops_its_run_and_can_go_on() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, ENDLESS);
    let run = wait_for_a_run(&mut session, sweep);
    let (sqlstate, message, hint) = error_of(
        &mut session,
        &format!("SELECT pgperf.start_sweep({ENDLESS})"),
    );
    assert_eq!(sqlstate, "55006", "{message}");
    assert!(hint.contains(&format!("stop_sweep({sweep})")), "{hint}");
    assert_eq!(
        error_of(
            &mut session,
            &format!("SELECT pgperf.delete_sweep({sweep})")
        )
        .0,
        "55006"
    );
    // Meanwhile it holds back nobody's horizon. (It looks around twice a second, for an instant.)
    let held = (0..20).filter(|_| {
        sleep(Duration::from_millis(20));
        session.number(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep' \
             AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)",
        ) > 0
    });
    assert!(held.count() < 5);

    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    session.expect_no_workers("stop_sweep");
    assert_eq!(session.status(run), "stopped");
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', s.failed, (SELECT sum(p.failed_runs) FROM pgperf.sweep_points p \
                                              WHERE p.sweep_id = s.sweep_id)) \
             FROM pgperf.sweeps s WHERE s.sweep_id = {sweep}"
        )),
        "0 0",
        "a run that was stopped has not failed"
    );
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "f");
    // stop_all stops a sweep too, or the next run would follow.
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    let again = wait_for_a_run(&mut session, sweep);
    assert!(again > run);
    assert_eq!(session.value("SELECT pgperf.stop_all()"), "1");
    wait_for(&mut session, sweep, "stopped");
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_sweep({sweep})")),
        "t"
    );
    assert_eq!(
        session.status(run),
        "stopped",
        "the runs of a sweep that is deleted stay"
    );
}

#[test]
fn a_terminated_worker_leaves_its_run_to_the_next() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "'select-only', clients => '{1}', repetitions => 2, duration => '2 s', collectors => '{}'",
    );
    let run = wait_for_a_run(&mut session, sweep);
    let terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'";
    assert_eq!(session.value(terminate), "t");
    wait_until("the worker's end", AT_ONCE, || {
        status(&mut session, sweep) == "interrupted"
    });
    // The run is an ordinary one: it goes on, and the sweep that is resumed takes it.
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    wait_for(&mut session, sweep, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', min(run_id) = {run}, max(attempts), count(*)) \
             FROM pgperf.sweep_runs WHERE sweep_id = {sweep} AND status = 'finished'"
        )),
        "t 1 2"
    );
    // One that nobody resumes can be stopped for good.
    let sweep = start_sweep(&mut session, ENDLESS);
    wait_for_a_run(&mut session, sweep);
    session.value(terminate);
    wait_until("the worker's end", AT_ONCE, || {
        status(&mut session, sweep) == "interrupted"
    });
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "t");
    assert_eq!(status(&mut session, sweep), "stopped");
    session.value("SELECT pgperf.stop_all()");
    session.expect_no_workers("stop_all");
}

#[test]
fn it_leaves_with_its_extension_and_its_database() {
    let cluster = Cluster::for_scripts(&[]);
    cluster.run_sql("CREATE DATABASE lab");
    let mut session = cluster.connect();
    let mut lab = cluster.connect_to("lab");
    for way in ["DROP EXTENSION pgperf", "DROP DATABASE lab"] {
        lab.value("CREATE EXTENSION pgperf CASCADE");
        let sweep = start_sweep(&mut lab, ENDLESS);
        wait_for_a_run(&mut lab, sweep);
        if way.contains("DATABASE") {
            drop(lab);
            at_once(way, || session.value(way));
            session.expect_no_workers(way);
            break;
        }
        at_once(way, || lab.value(way));
        session.expect_no_workers(way);
    }
    assert!(!cluster.log().contains("deadlock"));
}

#[test]
fn a_run_that_fails_is_tried_again_and_recorded() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.create_workload('broken', script => 'SELECT 1 / 0;')");
    let sweep = start_sweep(
        &mut session,
        "workloads => '{select-only,broken}', clients => '{1}', repetitions => 2, run_tries => 3, \
         transactions_per_client => 5, collectors => '{}'",
    );
    wait_for(&mut session, sweep, "failed");
    let points = format!(
        "SELECT string_agg(concat_ws('/', workload, n, failed_runs, error IS NOT NULL), ' ' ORDER BY point_no) \
         FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
    );
    assert_eq!(session.value(&points), "select-only/2/0/f broken/0/2/t");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(attempts || status, ' ' ORDER BY point_no) FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
        )),
        "1finished 1finished 3failed 3failed"
    );
    let error = session.value(&format!(
        "SELECT error FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ));
    assert!(error.starts_with("2 of 4 runs did not finish"), "{error}");
    // Mended, the sweep has its missing runs made.
    session
        .value("SELECT pgperf.create_workload('broken', script => 'SELECT 1;', replace => true)");
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    wait_for(&mut session, sweep, "finished");
    assert_eq!(session.value(&points), "select-only/2/0/f broken/2/0/f");
    // A run that cannot even start is an attempt too.
    let sweep = start_sweep(
        &mut session,
        "'select-only', clients => '{1}', repetitions => 2, run_tries => 1, duration => '1 s', collectors => '{}'",
    );
    wait_for_a_run(&mut session, sweep);
    session.value("DROP TABLE pgbench_branches");
    wait_for(&mut session, sweep, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws(' ', status, run_id IS NULL, sqlstate), ',' ORDER BY position) \
             FROM pgperf.sweep_runs WHERE sweep_id = {sweep}"
        )),
        "finished f,failed t 42P01"
    );
}
