//! Settings that need a restart: a sweep waits for each, goes on after it, and leaves nothing behind.

use super::{start_sweep, status, wait_for, wait_for_a_run};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, cases, major, wait_until};
use postgres::Client;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// A server refuses to start with the second value, on any machine.
const SWEEP: &str = "clients => '{1}', repetitions => 2, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
     run_order => 'given', run_tries => 1, settings_grid => '{\"superuser_reserved_connections\": [2, 1000, 5]}'";
/// What ALTER SYSTEM has.
const LINES: &str = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY seqno), '') FROM pg_file_settings \
     WHERE sourcefile LIKE '%postgresql.auto.conf'";
const IN_FORCE: &str = "SHOW superuser_reserved_connections";
const DOCTOR: &str = "SELECT status FROM pgperf.doctor() WHERE check_name = 'altered_settings'";

/// Waits until the sweep needs a restart for a value.
fn wait_for_need(cluster: &Cluster, sweep: i64, value: i32) {
    wait_until(&format!("a need of {value}"), PATIENCE * 2, || {
        let mut session = cluster.connect();
        status(&mut session, sweep) == "needs restart"
            && session.value(LINES) == format!("superuser_reserved_connections={value}")
    });
}

fn reason(session: &mut Client, sweep: i64) -> String {
    session.value(&format!(
        "SELECT coalesce(restart, '') FROM pgperf.sweeps WHERE sweep_id = {sweep}"
    ))
}

#[test]
fn a_sweep_goes_on_after_each_restart() {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    session.value("ALTER SYSTEM SET superuser_reserved_connections = 4");
    drop(session);
    cluster.restart(StopMode::Fast);

    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, SWEEP);
    wait_for_need(&cluster, sweep, 2);
    let told = reason(&mut session, sweep);
    assert!(
        told.starts_with("restart the server for superuser_reserved_connections=2. If"),
        "{told}"
    );
    let report = session.value(&format!(
        "SELECT string_agg(trim(l), ' ') FROM pgperf.sweep_report({sweep}) l"
    ));
    assert!(report.contains(&told), "{report}");
    assert_eq!(session.value(DOCTOR), "ok");
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "f");
    for (arguments, expected) in [
        (SWEEP, "55000"),
        ("script => 'SELECT 1;', clients => '{1}'", "55006"),
    ] {
        let call = format!("SELECT pgperf.start_sweep({arguments})");
        let (sqlstate, message, _) = error_of(&mut session, &call);
        assert_eq!(sqlstate, expected, "{message}");
    }
    // A crash of the server is no restart.
    let backend = session.number("SELECT pg_backend_pid()");
    cluster.crash_backend(backend.try_into().expect("a process id"));
    wait_for_need(&cluster, sweep, 2);

    cluster.restart(StopMode::Fast);
    wait_for_need(&cluster, sweep, 1000);
    cluster.stop(StopMode::Fast);
    assert!(!cluster.try_start());
    let file = cluster.data_dir().join("postgresql.auto.conf");
    let lines = fs::read_to_string(&file).expect("postgresql.auto.conf");
    let lines: Vec<&str> = lines
        .lines()
        .filter(|line| !line.contains("1000"))
        .collect();
    fs::write(&file, lines.join("\n") + "\n").expect("postgresql.auto.conf");
    cluster.start();

    wait_for_need(&cluster, sweep, 5);
    // Killed, too, it goes on.
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    wait_for(&mut session, sweep, "failed");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(concat_ws(' ', p.settings ->> 'superuser_reserved_connections', p.n, p.failed_runs, s.setting), ', ' ORDER BY p.point_no) \
             FROM pgperf.sweep_points p \
             LEFT JOIN pgperf.run_settings s ON s.run_id = p.run_ids[1] AND s.name = 'superuser_reserved_connections' \
             WHERE p.sweep_id = {sweep}"
        )),
        "2 2 0 2, 1000 0 2, 5 2 0 5"
    );
    let error = session.value(&format!(
        "SELECT error FROM pgperf.sweep_points WHERE sweep_id = {sweep} AND failed_runs > 0"
    ));
    assert!(
        error.starts_with("the server was restarted without superuser_reserved_connections=1000"),
        "{error}"
    );
    // One more restart, and everything is as before.
    assert_eq!(session.value(LINES), "superuser_reserved_connections=4");
    assert_eq!(session.value(IN_FORCE), "5");
    let told = reason(&mut session, sweep);
    assert!(told.ends_with("in force only after a restart"), "{told}");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    assert_eq!(session.value(IN_FORCE), "4");
    assert_eq!(reason(&mut session, sweep), "");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.altered_settings"),
        0
    );
}

#[test]
fn without_preloading_a_call_lets_it_go_on() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, SWEEP);
    wait_for_need(&cluster, sweep, 2);
    let told = reason(&mut session, sweep);
    let call = format!("SELECT pgperf.resume_sweep({sweep})");
    assert!(told.contains(&call), "{told}");
    drop(session);
    cluster.restart(StopMode::Immediate);
    let mut session = cluster.connect();
    assert_eq!(status(&mut session, sweep), "interrupted");
    assert_eq!(session.value(DOCTOR), "problem");
    assert_eq!(session.value(&call), "t");
    wait_for_need(&cluster, sweep, 1000);
    // Stopped while it waits, it leaves no line.
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "t");
    assert_eq!(status(&mut session, sweep), "stopped");
    assert_eq!(session.value(LINES), "");
    assert_eq!(
        session.number(&format!(
            "SELECT finished FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        2
    );
    let told = reason(&mut session, sweep);
    assert!(told.ends_with("in force only after a restart"), "{told}");
    drop(session);
    cluster.restart(StopMode::Fast);
    assert_eq!(cluster.connect().value(IN_FORCE), "3");
}

#[test]
fn one_that_goes_on_before_the_last_restart_knows_that_it_is_due() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 2, collectors => '{}', script => 'SELECT pg_sleep(1);', transactions_per_client => 3, \
         run_order => 'given', settings_grid => '{\"superuser_reserved_connections\": [2, 5]}'",
    );
    wait_for_need(&cluster, sweep, 2);
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    wait_for_a_run(&mut session, sweep);
    assert_eq!(reason(&mut session, sweep), "");
    session.value(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'",
    );
    wait_for(&mut session, sweep, "interrupted");
    assert_eq!(session.value(LINES), "");
    let is_due = |session: &mut Client| {
        assert_eq!(session.value(LINES), "");
        assert_eq!(session.value(IN_FORCE), "2");
        let told = reason(session, sweep);
        assert!(told.ends_with("in force only after a restart"), "{told}");
    };
    // It goes on at the value that it finds in force, which is its own.
    assert_eq!(session.value("SELECT pgperf.resume_sweep()"), "t");
    wait_for_need(&cluster, sweep, 5);
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "t");
    is_due(&mut session);
    // It can be stopped only once, and nothing is lost by that.
    assert_eq!(session.value("SELECT pgperf.stop_sweep()"), "f");
    is_due(&mut session);
    // Nor does another sweep take the value for that of before.
    let first = sweep;
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 1, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 1, \
         settings_grid => '{\"superuser_reserved_connections\": [2]}'",
    );
    wait_for(&mut session, sweep, "finished");
    for sweep in [first, sweep] {
        assert_eq!(session.value(IN_FORCE), "2");
        let told = reason(&mut session, sweep);
        assert!(told.ends_with("in force only after a restart"), "{told}");
    }
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    assert_eq!(session.value(IN_FORCE), "3");
    assert_eq!(
        reason(&mut session, first) + &reason(&mut session, sweep),
        ""
    );
}

/// Its runs are short, so that it is killed in all that it does.
#[test]
fn killed_at_any_moment_it_goes_on_or_leaves_no_setting() {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    session.value("ALTER SYSTEM SET superuser_reserved_connections = 4");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 3000, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 1, \
         settings_grid => '{\"superuser_reserved_connections\": [2, 5]}'",
    );
    drop(session);
    for moment in 0..cases(4, 20) {
        if settled(&cluster, sweep) == "interrupted" {
            assert_eq!(cluster.connect().value("SELECT pgperf.resume_sweep()"), "t");
        }
        // Some are killed before the restart, some after it.
        if moment % 3 > 0 && settled(&cluster, sweep) == "needs restart" {
            cluster.restart(StopMode::Fast);
        }
        sleep(Duration::from_millis(moment as u64 * 71 % 400));
        let mut session = cluster.connect();
        let worker = session.value(
            "SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'",
        );
        drop(session);
        let worker: u32 = worker.parse().expect("a process id");
        let recoveries = || cluster.log().matches("reinitializing").count();
        let before = recoveries();
        match moment % 2 == 0 && worker > 0 && cluster.try_kill(worker) {
            true => {
                wait_until("the end of recovery", PATIENCE, || {
                    recoveries() > before && cluster.psql("SELECT 1").status.success()
                });
            }
            false => {
                cluster.crash();
                cluster.start();
            }
        }
        settled(&cluster, sweep);
    }
    let mut session = cluster.connect();
    session.value("SELECT pgperf.stop_sweep()");
    wait_for(&mut session, sweep, "stopped");
    assert_eq!(session.value(LINES), "superuser_reserved_connections=4");
}

/// The status of the sweep, once the configuration is what it has to be for it.
fn settled(cluster: &Cluster, sweep: i64) -> String {
    let mut seen = String::new();
    wait_until("the sweep's settings", PATIENCE * 2, || {
        let mut session = cluster.connect();
        let before = status(&mut session, sweep);
        let value = session
            .value(LINES)
            .replace("superuser_reserved_connections=", "");
        // It may have changed in between.
        let is_old = value == "4" || before == "running";
        let is_new = value == "2" || value == "5";
        seen = status(&mut session, sweep);
        seen == before
            && match seen.as_str() {
                "interrupted" => is_old,
                "needs restart" | "running" => is_new,
                _ => false,
            }
    });
    seen
}

/// Without a command nobody restarts the server between two runs of a point, which then are not alike.
#[test]
fn a_point_says_how_many_of_its_runs_were_cold() {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let sweep = start_sweep(
        &mut cluster.connect(),
        "clients => '{1}', repetitions => 3, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
         caches => 'cold', settings_grid => '{\"superuser_reserved_connections\": [2]}'",
    );
    wait_for_need(&cluster, sweep, 2);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    wait_for(&mut session, sweep, "finished");
    let caches = session.value(&format!(
        "SELECT caches FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
    ));
    if major() >= 17 {
        assert_eq!(caches, "cold");
        return;
    }
    assert_eq!(
        caches,
        "cold in 1 of 3 runs: shared_buffers kept what they had: only PostgreSQL 17 and later can empty them without a restart"
    );
    let report = session.value(&format!(
        "SELECT string_agg(trim(l), ' ') FROM pgperf.sweep_report({sweep}) l"
    ));
    assert!(report.contains(&format!("1 client: {caches}")), "{report}");
    for shown in ["sweep_html", "sweep_markdown"] {
        let text = session.value(&format!("SELECT pgperf.{shown}({sweep})"));
        assert!(text.contains("cold in 1 of 3 runs"), "{shown}");
    }
}

/// What kept the server from a value may be gone when somebody lets the sweep go on: the value is tried again.
#[test]
fn a_value_that_failed_is_tried_again_by_who_resumes_the_sweep() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 2, collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, run_tries => 1, \
         settings_grid => '{\"superuser_reserved_connections\": [5]}'",
    );
    wait_for_need(&cluster, sweep, 5);
    // Somebody takes the value back before the restart.
    session.value("ALTER SYSTEM RESET superuser_reserved_connections");
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    let resume = format!("SELECT pgperf.resume_sweep({sweep})");
    assert_eq!(session.value(&resume), "t");
    wait_for(&mut session, sweep, "failed");
    let points = format!(
        "SELECT concat_ws(' ', n, failed_runs, left(error, 35)) FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
    );
    assert_eq!(
        session.value(&points),
        "0 2 the server was restarted without su"
    );

    assert_eq!(session.value(&resume), "t");
    wait_for_need(&cluster, sweep, 5);
    drop(session);
    cluster.restart(StopMode::Fast);
    let mut session = cluster.connect();
    assert_eq!(session.value(&resume), "t");
    wait_for(&mut session, sweep, "finished");
    assert_eq!(session.value(&points), "2 0");
    assert_eq!(session.value(LINES), "");
}
