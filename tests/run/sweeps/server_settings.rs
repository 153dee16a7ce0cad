//! Settings of the server that a sweep changes: each run has those of its point, and none is left behind.

use super::{start_sweep, status, wait_for, wait_for_a_run};
use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, cases, wait_until};
use postgres::Client;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// A sweep that lasts as long as nobody ends it, with a setting of the server.
const ENDLESS: &str = "clients => '{1}', repetitions => 1, collectors => '{}', duration => '1 h', \
     script => 'SELECT pg_catalog.pg_sleep(0.01);', settings_grid => '{\"checkpoint_timeout\": [\"10min\"]}'";
const WORKER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'";
/// What ALTER SYSTEM has.
const LINES: &str = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY seqno), '') FROM pg_file_settings \
     WHERE sourcefile LIKE '%postgresql.auto.conf'";
const BEFORE: &str = "checkpoint_timeout=17min";

fn alter_system(session: &mut Client, value: &str) {
    session.value(&format!("ALTER SYSTEM SET checkpoint_timeout = '{value}'"));
    session.value("SELECT pg_reload_conf()");
}

/// Starts the sweep, and waits until a run of it has its setting.
fn run_altered(session: &mut Client) -> i64 {
    let sweep = start_sweep(session, ENDLESS);
    wait_for_a_run(session, sweep);
    assert_eq!(session.value(LINES), "checkpoint_timeout=10min");
    sweep
}

/// Waits until everything is as before, in the file and in the server.
fn expect_before(cluster: &Cluster, way: &str) {
    wait_until(way, PATIENCE, || {
        let mut session = cluster.connect();
        session.value(LINES) == BEFORE && session.value("SHOW checkpoint_timeout") == "17min"
    });
}

#[test]
fn each_run_has_the_settings_of_its_point() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 2, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
         settings_grid => '{\"checkpoint_timeout\": [\"240s\", \"10min\"], \"work_mem\": [\"1MB\", \"2MB\"], \"bgwriter_delay\": [\"150ms\"]}'",
    );
    wait_for(&mut session, sweep, "finished");
    let seen = session.value(&format!(
        "SELECT string_agg(DISTINCT concat_ws(' ', p.combination, c.setting, w.setting, b.setting), ', ') \
         FROM pgperf.sweep_runs r JOIN pgperf.sweep_points p USING (node_id, sweep_id, point_no) \
         LEFT JOIN pgperf.run_settings c ON c.run_id = r.run_id AND c.name = 'checkpoint_timeout' \
         LEFT JOIN pgperf.run_settings w ON w.run_id = r.run_id AND w.name = 'work_mem' \
         LEFT JOIN pgperf.run_settings b ON b.run_id = r.run_id AND b.name = 'bgwriter_delay' \
         WHERE r.sweep_id = {sweep}"
    ));
    assert_eq!(
        seen,
        "checkpoint_timeout=10min, work_mem=1MB 600 1024 150, checkpoint_timeout=10min, work_mem=2MB 600 2048 150, \
         checkpoint_timeout=240s, work_mem=1MB 240 1024 150, checkpoint_timeout=240s, work_mem=2MB 240 2048 150"
    );
    assert_eq!(
        session.value(&format!(
            "SELECT sum(n) || ' ' || bool_and(settings ? 'checkpoint_timeout') FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
        )),
        "8 true"
    );
    let report = session.value(&format!(
        "SELECT string_agg(l, E'\\n') FROM pgperf.sweep_report({sweep}) l"
    ));
    assert!(report.contains("240s / 1MB"), "{report}");
    // Before its end is stored.
    assert_eq!(session.value(LINES), BEFORE);
    expect_before(&cluster, "the end");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.altered_settings"),
        0
    );
    // Nothing is done where somebody may not.
    session.value("CREATE ROLE tester LOGIN");
    session.value("GRANT USAGE ON SCHEMA pgperf TO tester");
    session.value("GRANT EXECUTE ON FUNCTION pgperf.start_sweep TO tester");
    let mut tester = cluster.connect_as("tester");
    let (sqlstate, message, _) = error_of(
        &mut tester,
        &format!("SELECT pgperf.start_sweep({ENDLESS})"),
    );
    assert_eq!(sqlstate, "42501", "{message}");
}

#[test]
fn whatever_ends_it_leaves_no_setting() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let sweep = run_altered(&mut session);
    // Not even in another database.
    cluster.run_sql("CREATE DATABASE lab");
    let mut lab = cluster.connect_to("lab");
    lab.value("CREATE EXTENSION pgperf CASCADE");
    let (sqlstate, message, _) =
        error_of(&mut lab, &format!("SELECT pgperf.start_sweep({ENDLESS})"));
    assert_eq!(sqlstate, "55006", "{message}");
    drop(lab);
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    expect_before(&cluster, "stop_sweep");

    run_altered(&mut session);
    session.value(&format!("SELECT pg_terminate_backend(({WORKER}))"));
    expect_before(&cluster, "pg_terminate_backend");
    // Its run has not had the setting all the time, and does not count.
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    wait_until("the next attempt", PATIENCE, || {
        session.number("SELECT max(attempts) FROM pgperf.sweep_runs") == 2
    });
    let resumed = session.number("SELECT max(sweep_id) FROM pgperf.sweeps");
    wait_for_a_run(&mut session, resumed);
    assert_eq!(session.value(LINES), "checkpoint_timeout=10min");
    // What somebody else has set meanwhile stays.
    alter_system(&mut session, "33min");
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, resumed, "stopped");
    assert_eq!(session.value(LINES), "checkpoint_timeout=33min");
    alter_system(&mut session, "17min");

    run_altered(&mut session);
    drop(session);
    cluster.restart(StopMode::Fast);
    expect_before(&cluster, "a restart");

    let mut session = cluster.connect();
    run_altered(&mut session);
    session.value("DROP EXTENSION pgperf");
    expect_before(&cluster, "DROP EXTENSION");
}

/// On a full disk the server cannot write its configuration: the sweep is not over before it has.
#[test]
fn a_full_disk_does_not_leave_them() {
    let disk = SmallDisk::new(300);
    let cluster = Cluster::with_all_but_wal_on(&disk, &[]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let refused = || {
        let log = cluster.log();
        let is_refused = |line: &&str| line.contains("sweep") && line.contains("cannot put back");
        log.lines().filter(is_refused).count()
    };
    let sweep = run_altered(&mut session);
    let filler = disk.fill();
    session.value("SELECT pgperf.stop_sweep()");
    // Its run tries for a while to store what it has measured.
    let limit = PATIENCE * 4;
    wait_until("its end, which has to wait", limit, || refused() > 1);
    assert_eq!(status(&mut session, sweep), "running");
    assert_eq!(session.value(LINES), "checkpoint_timeout=10min");
    // Nor does it end where its worker goes, and somebody stops it.
    session.value(&format!("SELECT pg_terminate_backend(({WORKER}))"));
    wait_for(&mut session, sweep, "interrupted");
    let (sqlstate, message, _) = error_of(&mut session, "SELECT pgperf.stop_sweep()");
    assert_eq!(sqlstate, "53100", "{message}");
    assert_eq!(status(&mut session, sweep), "interrupted");
    fs::remove_file(filler).expect("room");
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "t");
    assert_eq!(session.value(LINES), BEFORE);

    let sweep = run_altered(&mut session);
    let filler = disk.fill();
    let before = refused();
    session.value("SELECT pgperf.stop_sweep()");
    wait_until("its end, which has to wait", limit, || refused() > before);
    fs::remove_file(filler).expect("room");
    wait_until("its end", limit, || {
        status(&mut session, sweep) != "running"
    });
    assert_eq!(session.value(LINES), BEFORE);
    expect_before(&cluster, "a full disk");
    drop(session);
    cluster.stop(StopMode::Fast);
}

#[test]
fn after_a_crash_whoever_comes_puts_them_back() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let sweep = run_altered(&mut session);
    let worker = session.number(WORKER);
    drop(session);
    cluster.crash_backend(worker.try_into().expect("a process id"));
    let mut session = cluster.connect();
    assert_eq!(status(&mut session, sweep), "interrupted");
    let doctor = "SELECT concat_ws('|', status, fix_sql) FROM pgperf.doctor() WHERE check_name = 'altered_settings'";
    assert_eq!(
        session.value(doctor),
        format!("problem|SELECT pgperf.stop_sweep({sweep})")
    );
    session.value(&format!("SELECT pgperf.stop_sweep({sweep})"));
    expect_before(&cluster, "stop_sweep");
    assert_eq!(session.value(doctor), "ok");
}

#[test]
fn a_preloaded_server_puts_them_back_by_itself() {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    run_altered(&mut session);
    let worker = session.number(WORKER);
    drop(session);
    cluster.crash_backend(worker.try_into().expect("a process id"));
    expect_before(&cluster, "SIGKILL of the worker");

    let mut session = cluster.connect();
    run_altered(&mut session);
    drop(session);
    cluster.crash();
    cluster.start();
    expect_before(&cluster, "SIGKILL of the postmaster");

    let mut session = cluster.connect();
    run_altered(&mut session);
    drop(session);
    cluster.restart(StopMode::Immediate);
    expect_before(&cluster, "an immediate shutdown");

    // The sweep itself goes on when it is told to, with its setting.
    let mut session = cluster.connect();
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    let sweep = session.number("SELECT max(sweep_id) FROM pgperf.sweeps");
    wait_for_a_run(&mut session, sweep);
    assert_eq!(session.value(LINES), "checkpoint_timeout=10min");
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    expect_before(&cluster, "stop_sweep");
}

/// Its runs are short, so that it is killed in all that it does.
#[test]
fn killed_at_any_moment_it_leaves_no_setting() {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 5000, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 1, \
         settings_grid => '{\"checkpoint_timeout\": [\"4min\", \"10min\"]}'",
    );
    for moment in 0..cases(4, 20) {
        if status(&mut session, sweep) == "interrupted" {
            assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
        }
        let worker = session.number(WORKER);
        sleep(Duration::from_millis(moment as u64 * 71 % 400));
        drop(session);
        if moment % 2 == 0 {
            let postmaster_log = cluster.log().matches("reinitializing").count();
            cluster.kill(worker.try_into().expect("a process id"));
            wait_until("the end of recovery", PATIENCE, || {
                cluster.log().matches("reinitializing").count() > postmaster_log
                    && cluster.psql("SELECT 1").status.success()
            });
        } else {
            cluster.crash();
            cluster.start();
        }
        expect_before(&cluster, &format!("moment {moment}"));
        session = cluster.connect();
    }
}
