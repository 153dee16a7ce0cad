//! Sweeps that restart the server themselves, by `pgperf.restart_command`: whatever happens, no setting is left behind, and no server
//! down.

use super::{start_sweep, status};
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, cases, major, wait_until};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

const SHORT: &str = "clients => '{1}', collectors => '{}', script => 'SELECT 1;', transactions_per_client => 5, \
     run_order => 'given', run_tries => 1";
/// One that lasts as long as nobody ends it, with a value that has to be quoted.
const ENDLESS: &str = "clients => '{1}', repetitions => 1, collectors => '{}', duration => '1 h', \
     script => 'SELECT pg_catalog.pg_sleep(0.01);', settings_grid => '{\"cluster_name\": [\"it''s \\\\\"]}'";
/// What ALTER SYSTEM has.
const LINES: &str = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), '') FROM pg_file_settings \
     WHERE sourcefile LIKE '%postgresql.auto.conf'";
const IN_FORCE: &str = "SHOW superuser_reserved_connections";

/// A cluster whose sweeps restart it, with lines of ALTER SYSTEM that are in force.
pub(super) fn restartable(lines: &[&str]) -> Cluster {
    let cluster =
        Cluster::for_scripts(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    let mut session = cluster.connect();
    for line in lines {
        session.value(&format!("ALTER SYSTEM SET {line}"));
    }
    drop(session);
    cluster.add_settings(&[&format!(
        "pgperf.restart_command = '{}'",
        cluster.restart_command()
    )]);
    cluster.restart(StopMode::Fast);
    cluster
}

/// The answer of a server that may be restarting; empty: none.
fn ask(cluster: &Cluster, sql: &str) -> String {
    let output = cluster.psql(sql);
    match output.status.success() {
        true => String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned(),
        false => String::new(),
    }
}

/// Waits until a sweep has this status, over all restarts.
pub(super) fn wait_for(cluster: &Cluster, sweep: i64, expected: &str) {
    let sql = format!("SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}");
    let mut last = String::new();
    wait_until(
        &format!("sweep {sweep} is {expected}"),
        PATIENCE * 4,
        || {
            let now = ask(cluster, &sql);
            if now != last {
                println!("sweep {sweep}: {now}");
            }
            last.clone_from(&now);
            now == expected
        },
    );
}

fn points(cluster: &Cluster, sweep: i64, setting: &str) -> String {
    cluster.run_sql(&format!(
        "SELECT string_agg(concat_ws(' ', p.settings ->> '{setting}', p.n, p.failed_runs, s.setting), ', ' ORDER BY p.point_no) \
         FROM pgperf.sweep_points p \
         LEFT JOIN pgperf.run_settings s ON s.run_id = p.run_ids[1] AND s.name = '{setting}' \
         WHERE p.sweep_id = {sweep}"
    ))
}

fn error(cluster: &Cluster, sweep: i64) -> String {
    cluster.run_sql(&format!(
        "SELECT error FROM pgperf.sweep_points WHERE sweep_id = {sweep} AND failed_runs > 0"
    ))
}

#[test]
fn a_sweep_restarts_the_server() {
    let cluster = restartable(&["superuser_reserved_connections = 4"]);
    let sweep = start_sweep(
        &mut cluster.connect(),
        &format!(
            "{SHORT}, repetitions => 2, settings_grid => '{{\"superuser_reserved_connections\": [1000, 2]}}'"
        ),
    );
    wait_for(&cluster, sweep, "failed");
    assert_eq!(
        points(&cluster, sweep, "superuser_reserved_connections"),
        "1000 0 2, 2 2 0 2"
    );
    // 19 puts names into quotes.
    let error = error(&cluster, sweep).replace('"', "");
    assert!(
        error
            .starts_with("the server did not start with superuser_reserved_connections=1000: postgres: superuser_reserved_connections")
            && error.contains("must be less than max_connections"),
        "{error}"
    );
    // All is as before, and in force.
    let mut session = cluster.connect();
    assert_eq!(session.value(LINES), "superuser_reserved_connections=4");
    assert_eq!(session.value(IN_FORCE), "4");
    assert_eq!(
        session.value(&format!(
            "SELECT restart FROM pgperf.sweeps WHERE sweep_id = {sweep}"
        )),
        ""
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.altered_settings"),
        0
    );
    cluster.expect_no_guards();
}

/// Before PostgreSQL 17 nothing else empties shared_buffers: each run has a restart of its own.
#[test]
fn every_cold_run_comes_after_a_restart() {
    let cluster = restartable(&["superuser_reserved_connections = 4"]);
    let sweep = start_sweep(
        &mut cluster.connect(),
        &format!(
            "{SHORT}, repetitions => 2, caches => 'cold', settings_grid => '{{\"superuser_reserved_connections\": [4, 2]}}'"
        ),
    );
    wait_for(&cluster, sweep, "finished");
    let caches = cluster.run_sql(&format!(
        "SELECT string_agg(concat_ws(' ', settings ->> 'superuser_reserved_connections', n, caches), ', ' ORDER BY point_no) \
         FROM pgperf.sweep_points WHERE sweep_id = {sweep}"
    ));
    assert_eq!(caches, "4 2 cold, 2 2 cold");
    let restarts = cluster.run_sql(&format!(
        "SELECT count(*) FROM pgperf.run_environment e JOIN pgperf.runs r USING (node_id, run_id) \
         WHERE r.sweep_id = {sweep} AND e.name = 'caches.restart' AND e.value = 'on'"
    ));
    assert_eq!(restarts, if major() >= 17 { "0" } else { "4" });
    assert_eq!(cluster.run_sql(IN_FORCE), "4");
    cluster.expect_no_guards();
}

#[test]
fn a_stopped_sweep_leaves_the_old_value_in_force() {
    let cluster = restartable(&["superuser_reserved_connections = 4"]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        "clients => '{1}', repetitions => 1, collectors => '{}', duration => '1 h', script => 'SELECT pg_catalog.pg_sleep(0.01);', \
         settings_grid => '{\"superuser_reserved_connections\": [2, 5]}'",
    );
    drop(session);
    wait_until("a run after the restart", PATIENCE * 2, || {
        ask(
            &cluster,
            "SELECT count(*) FROM pgperf.runs WHERE status = 'running'",
        ) == "1"
    });
    assert_ne!(cluster.run_sql(IN_FORCE), "4");
    assert_eq!(cluster.guards().len(), 2);
    assert_eq!(cluster.run_sql("SELECT pgperf.stop_sweep()"), "t");
    wait_for(&cluster, sweep, "stopped");
    assert_eq!(cluster.run_sql(LINES), "superuser_reserved_connections=4");
    assert_eq!(cluster.run_sql(IN_FORCE), "4");
    cluster.expect_no_guards();
}

/// Waits until the sweep runs something with its value of cluster_name.
fn await_run_after_restart(cluster: &Cluster) {
    wait_until("a run after the restart", PATIENCE * 2, || {
        ask(cluster, "SHOW cluster_name") == "it's \\"
            && ask(
                cluster,
                "SELECT count(*) FROM pgperf.runs WHERE status = 'running'",
            ) == "1"
    });
}

/// Somebody stops the server, in whichever way: it stays down, and has its settings.
#[test]
fn a_server_that_somebody_stops_stays_down() {
    let cluster = restartable(&["cluster_name = 'his \\own''s'"]);
    for mode in [StopMode::Fast, StopMode::Immediate] {
        let mut session = cluster.connect();
        let sweep = start_sweep(&mut session, ENDLESS);
        drop(session);
        await_run_after_restart(&cluster);
        cluster.stop(mode);
        cluster.expect_no_guards();
        assert!(!cluster.is_running(), "{mode:?}");
        let file = fs::read_to_string(cluster.data_dir().join("postgresql.auto.conf"));
        let file = file.expect("postgresql.auto.conf");
        assert!(
            file.ends_with("cluster_name = 'his \\\\own''s'\n"),
            "{mode:?}: {file}"
        );
        cluster.start();
        let mut session = cluster.connect();
        assert_eq!(session.value("SHOW cluster_name"), "his \\own's");
        assert_eq!(status(&mut session, sweep), "interrupted");
        wait_until("no altered settings", PATIENCE, || {
            session.number("SELECT count(*) FROM pgperf_internal.altered_settings") == 0
        });
        session.value("SELECT pgperf.stop_sweep()");
    }
}

/// Somebody stops it just after the command has started it, before anybody has seen that: the command itself, here.
#[test]
fn a_server_that_somebody_stops_as_it_comes_back_stays_down() {
    let cluster = restartable(&["cluster_name = 'his own'"]);
    let data = cluster.data_dir().display().to_string();
    let pg_ctl = crate::common::bindir().join("pg_ctl");
    for mode in ["fast", "immediate"] {
        cluster.set_restart_command(&format!(
            "{} && {} stop -s -m {mode} -D {data}",
            cluster.restart_command(),
            pg_ctl.display(),
        ));
        let sweep = start_sweep(&mut cluster.connect(), ENDLESS);
        wait_until("the stop", PATIENCE, || !cluster.is_running());
        cluster.expect_no_guards();
        assert!(!cluster.is_running(), "{mode}");
        let file = fs::read_to_string(cluster.data_dir().join("postgresql.auto.conf"));
        let file = file.expect("postgresql.auto.conf");
        assert!(
            file.ends_with("cluster_name = 'his own'\n"),
            "{mode}: {file}"
        );
        cluster.add_settings(&["pgperf.restart_command = 'false'"]);
        cluster.start();
        wait_for(&cluster, sweep, "failed");
        assert_eq!(cluster.run_sql("SHOW cluster_name"), "his own");
        cluster.expect_no_guards();
    }
}

/// Killed in the middle of a run, the server comes back without the sweep's value.
#[test]
fn a_killed_server_is_started_with_the_old_value() {
    let cluster = restartable(&["cluster_name = 'his own'", "max_wal_size = '2GB'"]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, ENDLESS);
    drop(session);
    await_run_after_restart(&cluster);
    // What somebody else has set meanwhile stays.
    cluster.run_sql("ALTER SYSTEM SET max_wal_size = '3GB'");
    let postmaster = cluster.postmaster_pid().expect("the server runs");
    cluster.kill(postmaster);
    wait_until("the old value", PATIENCE * 2, || {
        ask(&cluster, "SHOW cluster_name") == "his own"
    });
    cluster.expect_no_guards();
    assert_eq!(
        cluster.run_sql(LINES),
        "cluster_name=his own max_wal_size=3GB"
    );
    assert_eq!(status(&mut cluster.connect(), sweep), "interrupted");
    // It goes on where somebody wants it to.
    assert_eq!(cluster.run_sql("SELECT pgperf.resume_sweep()"), "t");
    await_run_after_restart(&cluster);
    cluster.run_sql("SELECT pgperf.stop_sweep()");
    wait_for(&cluster, sweep, "stopped");
    assert_eq!(cluster.run_sql("SHOW cluster_name"), "his own");
    cluster.expect_no_guards();
}

#[test]
fn a_command_that_restarts_nothing_fails_the_points() {
    let cluster = restartable(&[]);
    cluster.set_restart_command("echo 'you may not do that'; exit 1");
    let sweep = start_sweep(
        &mut cluster.connect(),
        &format!(
            "{SHORT}, repetitions => 1, settings_grid => '{{\"superuser_reserved_connections\": [3, 2]}}'"
        ),
    );
    wait_for(&cluster, sweep, "failed");
    let error = error(&cluster, sweep);
    assert_eq!(
        error,
        "pgperf.restart_command did not restart the server for superuser_reserved_connections=2: you may not do that"
    );
    assert_eq!(cluster.run_sql(LINES), "");
    cluster.expect_no_guards();
    // With the obstacle gone, it is tried again.
    cluster.set_restart_command(&cluster.restart_command());
    assert_eq!(
        cluster.run_sql(&format!("SELECT pgperf.resume_sweep({sweep})")),
        "t"
    );
    wait_for(&cluster, sweep, "finished");
    assert_eq!(
        points(&cluster, sweep, "superuser_reserved_connections"),
        "3 1 0, 2 1 0 2"
    );
    assert_eq!(cluster.run_sql(LINES), "");
    cluster.expect_no_guards();
}

/// Nobody can let the sweep go on: the extension stays locked, by a transaction that outlives the crash.
#[test]
fn guards_without_a_sweep_put_its_settings_back() {
    let cluster = restartable(&["cluster_name = 'his own'", "max_prepared_transactions = 2"]);
    let mut session = cluster.connect();
    let sweep = start_sweep(&mut session, ENDLESS);
    drop(session);
    await_run_after_restart(&cluster);
    cluster.run_sql("BEGIN; DROP EXTENSION pgperf; PREPARE TRANSACTION 'drop'");
    fs::write(cluster.guards_folder().join("patience"), "2\n").expect("the guards' patience");
    let worker =
        cluster.run_sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'");
    cluster.crash_backend(worker.parse().expect("a process id"));
    cluster.expect_no_guards();
    let before = "cluster_name=his own max_prepared_transactions=2";
    assert_eq!(cluster.run_sql(LINES), before);
    cluster.run_sql("ROLLBACK PREPARED 'drop'");
    let mut session = cluster.connect();
    assert_eq!(status(&mut session, sweep), "interrupted");
    session.value("SELECT pgperf.stop_sweep()");
    assert_eq!(session.value(LINES), before);
}

/// The launcher, which lets the sweep go on, is not started: no slot is left.
#[test]
fn a_server_that_starts_without_the_sweep_gets_the_old_value() {
    let cluster = restartable(&[]);
    let mut session = cluster.connect();
    let sweep = start_sweep(
        &mut session,
        &format!("{SHORT}, repetitions => 1, settings_grid => '{{\"max_worker_processes\": [1]}}'"),
    );
    drop(session);
    let patience = cluster.guards_folder().join("patience");
    wait_until("the restart", PATIENCE * 2, || {
        ask(&cluster, "SHOW max_worker_processes") == "1"
    });
    fs::write(patience, "2\n").expect("the guards' patience");
    wait_for(&cluster, sweep, "failed");
    let error = error(&cluster, sweep);
    assert!(
        error.starts_with(
            "the server started with max_worker_processes=1, but the sweep did not go on"
        ),
        "{error}"
    );
    assert_eq!(cluster.run_sql("SHOW max_worker_processes"), "16");
    assert_eq!(cluster.run_sql(LINES), "");
    cluster.expect_no_guards();
}

#[test]
fn the_command_belongs_to_the_configuration_of_a_server_that_preloads_pgperf() {
    let cluster = Cluster::for_scripts(&["pgperf.restart_command = 'false'"]);
    let mut session = cluster.connect();
    session.value("LOAD 'pgperf'");
    let call = format!(
        "SELECT pgperf.start_sweep({SHORT}, settings_grid => '{{\"superuser_reserved_connections\": [2]}}')"
    );
    let (sqlstate, message, hint) = error_of(&mut session, &call);
    assert_eq!(sqlstate, "55000", "{message}");
    assert!(message.contains("shared_preload_libraries"), "{message}");
    assert!(hint.contains("empty pgperf.restart_command"), "{hint}");
    assert_eq!(session.value(LINES), "");

    let command = format!("pgperf.restart_command = '{}'", cluster.restart_command());
    cluster.add_settings(&[
        "shared_preload_libraries = 'pg_stat_statements, pgperf'",
        &command,
    ]);
    cluster.stop(StopMode::Fast);
    cluster.start_from_folder();
    let mut session = cluster.connect();
    let (sqlstate, message, hint) = error_of(&mut session, &call);
    assert_eq!(sqlstate, "55000", "{message}");
    assert!(message.contains("relative data directory"), "{message}");
    assert!(hint.contains("whole path"), "{hint}");
    for attempt in [
        "SET pgperf.restart_command = 'true'",
        "ALTER DATABASE postgres SET pgperf.restart_command = 'true'",
        "ALTER ROLE postgres SET pgperf.restart_command = 'true'",
        "SELECT set_config('pgperf.restart_command', 'true', true)",
    ] {
        assert_eq!(error_of(&mut session, attempt).0, "55P02", "{attempt}");
    }
    session.value("CREATE ROLE somebody LOGIN");
    let mut somebody = cluster.connect_as("somebody");
    assert_eq!(
        error_of(&mut somebody, "SHOW pgperf.restart_command").0,
        "42501"
    );
}

/// The one of the study that everybody knows.
#[test]
fn shared_buffers_are_swept_by_one_call() {
    let overcommit = fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
    assert_ne!(
        overcommit.trim(),
        "1",
        "this machine promises more memory than it has"
    );
    let cluster = restartable(&["shared_buffers = '32MB'"]);
    cluster.run_sql("CALL pgperf.init(scale => 5)");
    let sweep = start_sweep(
        &mut cluster.connect(),
        "'select-only', clients => '{1}', repetitions => 1, duration => '3 s', caches => 'cold', run_tries => 1, \
         settings_grid => '{\"shared_buffers\": [\"16MB\", \"64MB\", \"256MB\", \"900GB\"]}'",
    );
    wait_for(&cluster, sweep, "failed");
    assert_eq!(
        points(&cluster, sweep, "shared_buffers"),
        "16MB 1 0 2048, 64MB 1 0 8192, 256MB 1 0 32768, 900GB 0 1"
    );
    let error = error(&cluster, sweep);
    assert!(
        error.starts_with("the server did not start with shared_buffers=900GB: FATAL: could not map anonymous shared memory"),
        "{error}"
    );
    assert_eq!(cluster.run_sql(LINES), "shared_buffers=32MB");
    assert_eq!(cluster.run_sql("SHOW shared_buffers"), "32MB");
    cluster.expect_no_guards();
}

/// Its runs are short, so that all of it is met: the values, the restarts, the runs.
#[test]
fn killed_at_any_moment_it_leaves_no_setting_and_no_server_down() {
    let cluster = restartable(&["superuser_reserved_connections = 4"]);
    for moment in 0..cases(6, 30) {
        let victim = ["postmaster", "worker", "guard"][moment % 3];
        let ready = || cluster.log().matches("ready to accept connections").count();
        let before = ready();
        let sweep = start_sweep(
            &mut cluster.connect(),
            &format!(
                "{SHORT}, repetitions => 3, settings_grid => '{{\"superuser_reserved_connections\": [2, 1000, 5]}}'"
            ),
        );
        // Every other one as soon as the server runs again after its first restart, or its second.
        if moment % 2 == 1 {
            let starts = before + 1 + moment / 2 % 2;
            wait_until("the restart", PATIENCE * 2, || ready() >= starts);
        } else {
            sleep(Duration::from_millis(moment as u64 * 977 % 9000));
        }
        let killed = kill(&cluster, victim, moment);
        println!("{moment}: killed {killed:?}, {victim}");
        let sql = format!("SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}");
        let is_left = || {
            !cluster.is_running()
                && !cluster.guards_folder().exists()
                && cluster.guards().is_empty()
        };
        wait_until("the end or the interruption", PATIENCE * 4, || {
            is_left()
                || matches!(ask(&cluster, &sql).as_str(), "failed" | "interrupted")
                    && ask(&cluster, LINES) == "superuser_reserved_connections=4"
                    && !cluster.guards_folder().exists()
        });
        // Only a server that was killed when the sweep was over.
        if is_left() {
            println!("{moment}: after its end");
            wait_until("a start", PATIENCE, || cluster.try_start());
            assert_eq!(cluster.run_sql(&sql), "failed");
        }
        cluster.expect_no_guards();
        let end = cluster.run_sql(&sql);
        println!("{moment}: {end}, in force {}", cluster.run_sql(IN_FORCE));
        if victim == "guard" {
            assert_eq!(
                points(&cluster, sweep, "superuser_reserved_connections"),
                "2 3 0 2, 1000 0 3, 5 3 0 5"
            );
        }
        assert_eq!(cluster.run_sql(LINES), "superuser_reserved_connections=4");
        assert_eq!(cluster.run_sql(IN_FORCE), "4");
    }
}

/// Kills one of them, if it is there just now.
fn kill(cluster: &Cluster, victim: &str, moment: usize) -> Option<u32> {
    match victim {
        "postmaster" => {
            let postmaster = cluster.postmaster_pid()?;
            cluster.kill_if_there(postmaster).then_some(postmaster)
        }
        "worker" => {
            let worker = ask(
                cluster,
                "SELECT max(pid) FROM pg_stat_activity WHERE backend_type = 'pgperf sweep'",
            );
            let worker = worker.parse().ok()?;
            cluster.kill_if_there(worker).then_some(worker)
        }
        _ => {
            // The acting one, or the other.
            let guards = cluster.guards();
            let guard = *guards.get(moment % 2)?;
            cluster.kill_guard(guard).then_some(guard)
        }
    }
}
