//! Sweeps: every run of the grid is made, once, whatever happens in between.

use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{AT_ONCE, PATIENCE, Runs, at_once, error_of};
use crate::common::{Cluster, StopMode, wait_until};
use postgres::Client;

/// Nine runs of select-only at 1, 2 and 4 clients.
const THREE_BY_THREE: &str = "'select-only', clients => '{1,2,4}', repetitions => 3, \
     duration => '0.6 s', sample_interval => '0.2 s', collectors => '{}'";
/// A sweep that lasts as long as nobody ends it.
const ENDLESS: &str = "clients => '{1,2}', repetitions => 2, collectors => '{}', \
     script => 'SELECT pg_catalog.pg_sleep(0.01);', duration => '1 h'";

fn start_sweep(session: &mut Client, arguments: &str) -> i64 {
    session.number(&format!("SELECT pgperf.start_sweep({arguments})"))
}

fn status(session: &mut Client, sweep: i64) -> String {
    session.value(&format!(
        "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ))
}

fn wait_for(session: &mut Client, sweep: i64, expected: &str) {
    let what = format!("sweep {sweep}");
    crate::common::wait_for(&what, expected, PATIENCE * 2, || status(session, sweep));
}

/// How many runs of it have finished.
fn finished(session: &mut Client, sweep: i64) -> i64 {
    session.number(&format!(
        "SELECT finished FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ))
}

/// Waits until one of its runs is measuring; that run.
fn wait_for_a_run(session: &mut Client, sweep: i64) -> i64 {
    let sql = format!(
        "SELECT r.run_id FROM pgperf.sweeps s JOIN pgperf.runs r USING (node_id, run_id) \
         WHERE s.sweep_id = {sweep} AND r.status = 'running'"
    );
    wait_until("a run of the sweep", PATIENCE, || {
        !session.value(&sql).is_empty()
    });
    session.number(&sql)
}

/// Every run is there, one after the other; points, peak and scalability say what the runs say.
fn expect_results(session: &mut Client, sweep: i64) {
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', points, repetitions, runs, finished, failed, eta_s IS NULL, error) \
             FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "3 3 9 9 0 t"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(format('%s:%s', clients, n), ' ' ORDER BY point_no) \
             FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
        )),
        "1:3 2:3 4:3"
    );
    let overlapping = session.number(&format!(
        "WITH runs AS (SELECT run_id, requested_at, ended_at FROM pgperf.runs WHERE sweep_id = {sweep}) \
         SELECT count(*) FROM runs a JOIN runs b ON a.run_id < b.run_id \
         WHERE b.requested_at < a.ended_at AND a.requested_at < b.ended_at"
    ));
    assert_eq!(overlapping, 0, "one run at a time");
    // Nothing of the sweep's views in it: the runs alone.
    let peak = session.value(&format!(
        "SELECT concat_ws(' ', clients, round(tps::numeric, 3)) FROM ( \
            SELECT r.clients, avg(t.transactions / t.seconds) AS tps FROM pgperf_internal.run_totals t \
            JOIN pgperf_internal.stored_runs r USING (node_id, run_id) \
            JOIN pgperf_internal.sweep_attempts a USING (node_id, run_id) \
            WHERE a.sweep_id = {sweep} AND r.stored_status = 'finished' GROUP BY r.clients) p \
         ORDER BY tps DESC LIMIT 1"
    ));
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', clients, round(tps::numeric, 3)) FROM pgperf.sweep_peak WHERE sweep_id = {sweep}"
        )),
        peak
    );
    assert_eq!(
        session.value(&format!(
            "SELECT clients = ANY (as_good_clients) AND tps BETWEEN tps_ci_low AND tps_ci_high AND n = 3 \
             FROM pgperf.sweep_peak WHERE sweep_id = {sweep}"
        )),
        "t"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', loads, n, lambda > 0, sigma >= 0, kappa >= 0, reason) \
             FROM pgperf.sweep_scalability({sweep})"
        )),
        "3 9 t t t"
    );
}

#[test]
fn a_restart_in_the_middle_costs_one_run() {
    let cluster = Cluster::with_data(&[]);
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
    let cluster = Cluster::with_data(&[
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
    let cluster = Cluster::with_pgperf(&[]);
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
    let cluster = Cluster::with_data(&[]);
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
    let cluster = Cluster::with_pgperf(&[]);
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
fn a_rolled_back_start_runs_nothing() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 2"]);
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
    let cluster = Cluster::with_pgperf(&[]);
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
fn tables_are_loaded_where_the_grid_varies_them() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "scales => '{1,2}', fillfactors => '{90}', clients => '{1,2}', repetitions => 2, run_order => 'given', \
         transactions_per_client => 20, collectors => '{}', checkpoint => true, init_options => '{\"jobs\": 1}'",
    );
    wait_for(&mut session, sweep, "finished");
    // In the given order each scale is loaded once.
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws('/', p.combination, p.clients, r.repetition, u.scale, r.load_run_id IS NOT NULL), ' ' \
                ORDER BY r.position) \
             FROM pgperf.sweep_runs r JOIN pgperf.sweep_points p USING (node_id, sweep_id, point_no) \
             JOIN pgperf.runs u ON u.run_id = r.run_id WHERE r.sweep_id = {sweep}"
        )),
        "scale=1/1/1/1/t scale=1/1/2/1/f scale=1/2/1/1/f scale=1/2/2/1/f \
         scale=2/1/1/2/t scale=2/1/2/2/f scale=2/2/1/2/f scale=2/2/2/2/f"
    );
    assert_eq!(
        session.value("SELECT reloptions FROM pg_class WHERE relname = 'pgbench_accounts'"),
        "{fillfactor=90}"
    );
    assert!(cluster.log().matches("checkpoint complete").count() >= 8);
    // With 'each' every run begins with the same tables.
    let sweep = start_sweep(
        &mut session,
        "scales => '{1}', init => 'each', clients => '{1}', repetitions => 2, transactions_per_client => 20, collectors => '{}'",
    );
    wait_for(&mut session, sweep, "finished");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 20);
    assert_eq!(
        session.number(&format!(
            "SELECT count(load_run_id) FROM pgperf_internal.sweep_attempts WHERE sweep_id = {sweep}"
        )),
        2
    );
    let of_sweep = format!(
        "SELECT count(*) FROM pgperf_internal.stored_runs WHERE label LIKE 'sweep {sweep}:%'"
    );
    assert_eq!(session.number(&of_sweep), 4);
    session.value(&format!(
        "SELECT pgperf.delete_sweep({sweep}, runs => true)"
    ));
    assert_eq!(session.number(&of_sweep), 0);
}

#[test]
fn partitions_and_query_modes_span_a_grid() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "'select-only', scales => '{1}', partitions => '{0,2}', query_modes => '{simple,prepared}', clients => '{1}', \
         repetitions => 1, run_order => 'given', duration => '1 s', sample_interval => '0.2 s', collectors => '{}'",
    );
    wait_for_a_run(&mut session, sweep);
    // Four runs of a second, until one has shown its real length.
    wait_until("the time that is left", PATIENCE, || {
        session.value(&format!(
            "SELECT eta_s > 0 AND (eta_s <= 4 OR finished > 0) FROM pgperf.sweeps \
             WHERE sweep_id = {sweep} AND status = 'running'"
        )) == "t"
    });
    wait_for(&mut session, sweep, "finished");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws('/', p.partitions, p.query_mode, u.query_mode, p.n, l.kind, l.spec #>> '{{call,partitions}}'), ' ' \
                ORDER BY r.position) \
             FROM pgperf.sweep_runs r JOIN pgperf.sweep_points p USING (node_id, sweep_id, point_no) \
             JOIN pgperf.runs u ON u.run_id = r.run_id LEFT JOIN pgperf.runs l ON l.run_id = r.load_run_id \
             WHERE r.sweep_id = {sweep}"
        )),
        "0/simple/simple/1/load 0/prepared/prepared/1 2/simple/simple/1/load/2 2/prepared/prepared/1"
    );
    assert_eq!(
        session.number(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'pgbench_accounts'::regclass"
        ),
        2
    );
    assert_eq!(
        session.value(&format!(
            "SELECT eta_s IS NULL FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        "t"
    );
}

#[test]
fn a_run_that_fails_is_tried_again_and_recorded() {
    let cluster = Cluster::with_data(&[]);
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

#[test]
fn who_waits_is_told_how_far_it_is() {
    let cluster = Cluster::with_pgperf(&[]);
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
