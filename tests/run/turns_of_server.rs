//! Settings of the server that take turns: each side has its own, and none is left behind, however the run ends.

use super::turns::{await_turn, expect_no_strays, expect_order, stop};
use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, StopMode, cases, wait_until};
use postgres::Client;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

const SIDES: &str = r#"alternate => '{"bgwriter_delay": ["150ms", "160ms"], "checkpoint_timeout": ["10min", "11min"]}'"#;
/// A run that lasts as long as nobody ends it.
const ENDLESS: &str = "script => 'SELECT pg_catalog.pg_sleep(0.01);', duration => '1 h', collectors => '{}', sample_interval => '0.1 s', \
     alternate_every => '0.3 s', settle => '0.1 s'";
const LEADER: &str = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'pgperf leader'";
/// What ALTER SYSTEM has.
const LINES: &str = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), '') FROM pg_file_settings \
     WHERE sourcefile LIKE '%postgresql.auto.conf'";
const BEFORE: &str = "checkpoint_timeout=17min";
const DOCTOR: &str = "SELECT concat_ws('|', status, fix_sql) FROM pgperf.doctor() WHERE check_name = 'altered_settings'";

fn cluster(conf: &[&str]) -> (Cluster, Client) {
    let cluster = Cluster::for_scripts(conf);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    (cluster, session)
}

fn alter_system(session: &mut Client, value: &str) {
    session.value(&format!("ALTER SYSTEM SET checkpoint_timeout = '{value}'"));
    session.value("SELECT pg_reload_conf()");
}

/// Starts a run, and waits until it has settings of the server.
fn run_altered(session: &mut Client) -> i64 {
    let run = session.start_run(&format!("{ENDLESS}, {SIDES}"));
    await_turn(session, run, 1);
    let lines = session.value(LINES);
    assert!(lines.starts_with("bgwriter_delay=1"), "{lines}");
    run
}

/// Waits until everything is as before, in the file and in the server.
fn expect_before(cluster: &Cluster, way: &str) {
    wait_until(way, PATIENCE, || {
        let mut session = cluster.connect();
        session.value(LINES) == BEFORE
            && session.value("SHOW checkpoint_timeout") == "17min"
            && session.value("SHOW bgwriter_delay") == "200ms"
    });
}

fn remembered(session: &mut Client) -> i64 {
    session.number("SELECT count(*) FROM pgperf_internal.altered_settings")
}

#[test]
fn each_side_has_its_settings_of_the_server() {
    let (cluster, mut session) = cluster(&[]);
    session
        .value("CREATE UNLOGGED TABLE said (side text, at timestamptz DEFAULT clock_timestamp())");
    // With a setting of the clients beside it, which has to agree.
    let run = session.start_run(
        "script => 'INSERT INTO said SELECT CASE b.setting || current_setting(''turns.side'') WHEN ''150A'' THEN ''A'' WHEN ''160B'' THEN ''B'' ELSE ''none'' END \
             FROM pg_settings b WHERE b.name = ''bgwriter_delay''; SELECT pg_sleep(0.002);', \
         clients => 2, duration => '1 h', warmup => '0.1 s', sample_interval => '0.2 s', alternate_every => '1 s', settle => '0.3 s', label => 'sides', \
         alternate => '{\"bgwriter_delay\": [\"150ms\", \"160ms\"], \"turns.side\": [\"A\", \"B\"]}'"
    );
    await_turn(&mut session, run, 6);
    stop(&mut session, run);
    expect_order(&mut session, run, 1.0);
    expect_no_strays(&mut session, run);
    assert_eq!(session.value(LINES), BEFORE, "before its end is stored");
    assert_eq!(remembered(&mut session), 0);
    expect_before(&cluster, "stop_run");
    let stored = session.value(&format!(
        "SELECT concat_ws(' ', spec #>> '{{alternate,settings,bgwriter_delay,1}}', spec #>> '{{alternate,of_server}}', s.setting) \
         FROM pgperf.runs r LEFT JOIN pgperf.run_settings s ON s.run_id = r.run_id AND s.name = 'bgwriter_delay' \
         WHERE r.run_id = {run}"
    ));
    assert_eq!(stored, r#"160ms ["bgwriter_delay"] 150"#);
    let text = session.value(&format!(
        "SELECT string_agg(line, ' ') FROM pgperf.report({run}) line WHERE line ~ '^  [AB]: '"
    ));
    assert_eq!(
        text,
        "  A: bgwriter_delay = 150ms, turns.side = A   B: bgwriter_delay = 160ms, turns.side = B"
    );
    let blocks = session.number("SELECT max(blocks) FROM pgperf.alternation('sides')");
    assert!(blocks >= 1, "{blocks} blocks");
}

#[test]
fn whatever_ends_it_leaves_no_setting() {
    let (cluster, mut session) = cluster(&[]);
    // One that ends by itself.
    session.finish_run(&format!(
        "script => 'SELECT pg_catalog.pg_sleep(0.01);', duration => '2.4 s', collectors => '{{}}', alternate_every => '0.3 s', {SIDES}"
    ));
    assert_eq!(session.value(LINES), BEFORE);
    expect_before(&cluster, "the end");

    let run = run_altered(&mut session);
    // Nobody else changes settings meanwhile, not even in another database; but runs without them begin.
    cluster.run_sql("CREATE DATABASE lab");
    let mut lab = cluster.connect_to("lab");
    lab.value("CREATE EXTENSION pgperf CASCADE");
    for start in [
        format!("SELECT pgperf.start_run({ENDLESS}, {SIDES})"),
        "SELECT pgperf.start_sweep(script => 'SELECT 1;', settings_grid => '{\"bgwriter_delay\": [10, 20]}')".to_owned(),
    ] {
        let (sqlstate, message, _) = error_of(&mut lab, &start);
        assert_eq!(sqlstate, "55006", "{message}");
    }
    lab.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    drop(lab);
    assert_eq!(remembered(&mut session), 2, "still those of the run");
    stop(&mut session, run);
    expect_before(&cluster, "stop_run");

    run_altered(&mut session);
    session.value(&format!("SELECT pg_terminate_backend(({LEADER}))"));
    expect_before(&cluster, "pg_terminate_backend");

    // A failure: the client's script fails, and takes the run with it.
    session.value("CREATE TABLE wanted (i int)");
    let run = session.start_run(&format!(
        "script => 'SELECT i FROM wanted;', duration => '1 h', collectors => '{{}}', exit_on_abort => true, sample_interval => '0.1 s', \
         alternate_every => '0.3 s', {SIDES}"
    ));
    await_turn(&mut session, run, 1);
    session.value("DROP TABLE wanted");
    session.wait_for_status(run, "failed");
    assert_eq!(session.value(LINES), BEFORE);
    expect_before(&cluster, "a failure");

    run_altered(&mut session);
    drop(session);
    cluster.restart(StopMode::Fast);
    expect_before(&cluster, "a restart");

    let mut session = cluster.connect();
    run_altered(&mut session);
    session.value("DROP EXTENSION pgperf");
    expect_before(&cluster, "DROP EXTENSION");
}

/// On a full disk the server cannot write its configuration: the run is not over before it has.
#[test]
fn a_full_disk_does_not_leave_them() {
    let disk = SmallDisk::new(300);
    let cluster = Cluster::with_all_but_wal_on(&disk, &[]);
    let mut session = cluster.connect();
    alter_system(&mut session, "17min");
    let run = session.start_run(&format!(
        "{ENDLESS}, {SIDES}, limits => '{{\"free_disk\": null}}'"
    ));
    await_turn(&mut session, run, 1);
    let filler = disk.fill();
    // The next turn fails, and with it the run.
    wait_until("its end, which has to wait", PATIENCE * 2, || {
        let log = cluster.log();
        log.contains("cannot put back \"bgwriter_delay\"") && log.contains("No space left")
    });
    let status = session.status(run);
    assert!(
        ["running", "draining"].contains(&status.as_str()),
        "{status}"
    );
    assert!(session.value(LINES).starts_with("bgwriter_delay=1"));
    fs::remove_file(filler).expect("room");
    session.wait_for_status(run, "failed");
    assert_eq!(session.value(LINES), BEFORE);
    let told = session.value(&format!(
        "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(told.starts_with("53100 could not write"), "{told}");
    expect_before(&cluster, "a full disk");
    assert_eq!(remembered(&mut session), 0);
    drop(session);
    cluster.stop(StopMode::Fast);
}

#[test]
fn what_somebody_else_sets_ends_the_run_and_stays() {
    let (_cluster, mut session) = cluster(&[]);
    let run = run_altered(&mut session);
    alter_system(&mut session, "33min");
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert_eq!(
        error,
        "55006 somebody else has changed \"checkpoint_timeout\" by ALTER SYSTEM"
    );
    assert_eq!(session.value(LINES), "checkpoint_timeout=33min");
    assert_eq!(remembered(&mut session), 0);
}

#[test]
fn a_configuration_that_the_server_does_not_read_ends_the_run() {
    let (cluster, mut session) = cluster(&[]);
    let run = run_altered(&mut session);
    // An error there keeps the server from reading any of it.
    cluster.add_settings(&["this is no setting"]);
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(
        error.starts_with("55000 the server has not taken \""),
        "{error}"
    );
    // The file itself: the server reads it no more.
    let lines = session.value("SELECT pg_read_file('postgresql.auto.conf')");
    assert!(
        lines.contains("checkpoint_timeout = '17min'") && !lines.contains("bgwriter_delay"),
        "{lines}"
    );
}

#[test]
fn after_a_crash_whoever_comes_puts_them_back() {
    let (cluster, mut session) = cluster(&[]);
    for (way, call) in [
        ("stop_run", "SELECT pgperf.stop_run({})"),
        ("delete_run", "SELECT pgperf.delete_run({})"),
        (
            "another run",
            "CALL pgperf.run(script => 'SELECT 1;', transactions_per_client => 1)",
        ),
        (
            "a sweep",
            "SELECT pgperf.start_sweep(clients => '{1}', repetitions => 1, script => 'SELECT 1;', transactions_per_client => 1)",
        ),
    ] {
        let run = run_altered(&mut session);
        let leader = session.number(LEADER);
        drop(session);
        cluster.crash_backend(leader.try_into().expect("a process id"));
        session = cluster.connect();
        assert_eq!(
            session.value(DOCTOR),
            format!("problem|SELECT pgperf.stop_run({run})"),
            "{way}"
        );
        session.value(&call.replace("{}", &run.to_string()));
        expect_before(&cluster, way);
        wait_until("the rows' end", PATIENCE, || remembered(&mut session) == 0);
        assert_eq!(session.value(DOCTOR), "ok", "{way}");
    }
    // Without its postmaster the leader still puts them back, or the next run does.
    run_altered(&mut session);
    drop(session);
    cluster.crash();
    cluster.start();
    let mut session = cluster.connect();
    session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    expect_before(&cluster, "a run after the postmaster's end");
}

/// Turns are short, so that it is killed in all that it does.
#[test]
fn a_preloaded_server_puts_them_back_whenever_it_is_killed() {
    let (cluster, mut session) =
        cluster(&["shared_preload_libraries = 'pg_stat_statements, pgperf'"]);
    for moment in 0..cases(4, 20) {
        let run = session.start_run(&format!(
            "script => 'SELECT 1;', duration => '1 h', collectors => '{{}}', alternate_every => '0.1 s', settle => '0 s', {SIDES}"
        ));
        let leader = session.number(&format!("{LEADER} LIMIT 1"));
        sleep(Duration::from_millis(moment as u64 * 71 % 400));
        drop(session);
        if moment % 2 == 0 {
            let recoveries = || cluster.log().matches("reinitializing").count();
            let before = recoveries();
            cluster.kill(leader.try_into().expect("a process id"));
            wait_until("the end of recovery", PATIENCE, || {
                recoveries() > before && cluster.psql("SELECT 1").status.success()
            });
        } else {
            cluster.crash();
            cluster.start();
        }
        expect_before(&cluster, &format!("moment {moment}"));
        session = cluster.connect();
        session.wait_for_status(run, "interrupted");
    }
}
