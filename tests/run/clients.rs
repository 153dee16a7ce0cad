//! The work of a run's clients on their scripts, and its counts.

use std::time::Duration;

use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};

/// Settings under which clients that update the same row conflict.
const REPEATABLE_READ: &str =
    r#"settings => '{"default_transaction_isolation": "repeatable read"}'"#;

#[test]
fn each_client_runs_as_many_transactions_as_asked_for() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    for mode in ["simple", "extended", "prepared"] {
        let run = session.finish_run(&format!(
            "'tpcb-like', clients => 4, transactions_per_client => 123, query_mode => '{mode}'"
        ));
        assert_eq!(session.total(run, "transactions"), 492, "{mode}");
        assert_eq!(session.total(run, "failed"), 0, "{mode}");
    }
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_history"),
        3 * 492
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.\"check\"() WHERE NOT passed"),
        0
    );
}

#[test]
fn the_warm_up_is_not_counted() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE ran (at timestamptz DEFAULT clock_timestamp())");
    let run = session.start_run(
        "script => E'INSERT INTO ran DEFAULT VALUES;\\n\\\\sleep 2 ms', clients => 2, \
         warmup => '1 s', duration => '1 s'",
    );
    session.wait_for_status(run, "warming up");
    assert_eq!(session.intervals(run), 0);
    session.wait_for_status(run, "finished");
    let warmup = session.total(run, "warmup_transactions");
    let measured = session.total(run, "transactions");
    assert!(warmup > 100 && measured > 100, "{warmup} and {measured}");
    assert_eq!(
        session.number("SELECT count(*) FROM ran"),
        warmup + measured
    );
    // The measured part begins where the run says; a client finishes its current transaction.
    let before = session.number(&format!(
        "SELECT count(*) FROM ran, pgperf.runs WHERE run_id = {run} AND at < measured_at"
    ));
    assert!(
        (before - warmup).abs() <= 4,
        "{before} before, {warmup} counted as warm-up"
    );
    let intervals =
        format!("SELECT sum(transactions) FROM pgperf.run_intervals WHERE run_id = {run}");
    assert_eq!(session.number(&intervals), measured);
}

#[test]
fn a_failing_statement_ends_its_client_and_the_others_go_on() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for mode in ["simple", "extended", "prepared"] {
        let run = session.start_run(&format!(
            "script => E'\\\\set divisor :client_id - 1\\nSELECT 1;\\nSELECT 1 / :divisor;', \
             clients => 3, transactions_per_client => 50, query_mode => '{mode}'"
        ));
        session.wait_for_status(run, "failed");
        assert_eq!(session.total(run, "transactions"), 100, "{mode}");
        assert_eq!(
            session.value(&format!(
                "SELECT format('%s %s %s %s %s', client_id, command_no, sqlstate, occurrences, message) \
                 FROM pgperf.run_errors WHERE run_id = {run}"
            )),
            "1 2 22012 1 division by zero",
            "{mode}"
        );
        assert_eq!(
            session.value(&format!(
                "SELECT sqlstate FROM pgperf.runs WHERE run_id = {run}"
            )),
            "22012"
        );
        let of_command =
            format!("FROM pgperf.run_statements WHERE run_id = {run} AND command_no = 2");
        assert_eq!(
            session.number(&format!("SELECT failed {of_command}")),
            1,
            "{mode}"
        );
    }
    assert!(
        cluster.log().contains("division by zero"),
        "errors are in the server's log"
    );
}

#[test]
fn a_failed_block_is_rolled_back_as_a_whole() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE ran (id int)");
    for mode in ["simple", "extended", "prepared"] {
        let run = session.start_run(&format!(
            "script => E'BEGIN;\\nINSERT INTO ran VALUES (1);\\nSELECT 1 / 0;\\nINSERT INTO ran VALUES (2);\\nCOMMIT;', \
             transactions_per_client => 5, query_mode => '{mode}'"
        ));
        session.wait_for_status(run, "failed");
        assert_eq!(session.number("SELECT count(*) FROM ran"), 0, "{mode}");
        assert_eq!(session.total(run, "transactions"), 0, "{mode}");
    }
}

#[test]
fn copy_with_the_client_is_refused() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE copied (id int)");
    for copy in ["COPY copied FROM STDIN", "COPY copied TO STDOUT"] {
        for mode in ["simple", "extended", "prepared"] {
            let start = format!(
                "SELECT pgperf.start_run(script => '{copy};', transactions_per_client => 1, \
                 query_mode => '{mode}')"
            );
            let (sqlstate, message, _) = error_of(&mut session, &start);
            assert_eq!(sqlstate, "0A000", "{copy}, {mode}: {message}");
        }
    }
    assert_eq!(session.number("SELECT count(*) FROM pgperf.runs"), 0);
}

#[test]
fn serialization_failures_are_retried() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(&format!(
        "'tpcb-like', clients => 4, transactions_per_client => 200, max_tries => 1000, {REPEATABLE_READ}"
    ));
    assert_eq!(session.total(run, "transactions"), 800);
    assert_eq!(session.total(run, "failed"), 0);
    let retried = session.total(run, "retried");
    let retries = session.total(run, "retries");
    assert!(
        retried > 0 && retries >= retried,
        "{retried} retried, {retries} retries"
    );
    let intervals = format!("FROM pgperf.run_intervals WHERE run_id = {run}");
    assert_eq!(
        session.number(&format!("SELECT sum(retries) {intervals}")),
        retries
    );
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 800);
}

#[test]
fn without_retries_serialization_failures_are_counted() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(&format!(
        "'tpcb-like', clients => 4, transactions_per_client => 200, {REPEATABLE_READ}"
    ));
    let (done, failed) = (
        session.total(run, "transactions"),
        session.total(run, "failed"),
    );
    assert!(failed > 0, "no conflict");
    assert_eq!(done + failed, 800);
    assert_eq!(session.total(run, "serialization_failures"), failed);
    assert_eq!(session.total(run, "retries"), 0);
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), done);
    let errors = format!("FROM pgperf.run_errors WHERE run_id = {run}");
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(DISTINCT sqlstate, ',') {errors}"
        )),
        "40001"
    );
    assert_eq!(
        session.number(&format!("SELECT sum(occurrences) {errors}")),
        failed
    );
}

#[test]
fn deadlocks_fail_the_transaction_not_the_client() {
    let cluster = Cluster::for_scripts(&["deadlock_timeout = 10ms"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE pair AS SELECT id, 0 AS n FROM generate_series(0, 1) id");
    let run = session.finish_run(
        "script => E'BEGIN;\\n\\\\set other 1 - :client_id\\n\
         UPDATE pair SET n = n + 1 WHERE id = :client_id;\\n\\\\sleep 5 ms\\n\
         UPDATE pair SET n = n + 1 WHERE id = :other;\\nCOMMIT;', \
         clients => 2, transactions_per_client => 20",
    );
    let (done, failed) = (
        session.total(run, "transactions"),
        session.total(run, "failed"),
    );
    assert_eq!(done + failed, 40);
    assert!(failed > 0);
    assert_eq!(session.total(run, "deadlock_failures"), failed);
    assert_eq!(session.number("SELECT sum(n) FROM pair"), 2 * done);
}

#[test]
fn a_rate_is_kept() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("'tpcb-like', clients => 2, rate => 100, duration => '3 s'");
    // Poisson: 300 with a standard deviation of 17.
    let transactions = session.total(run, "transactions");
    assert!((200..=400).contains(&transactions), "{transactions}");
    assert_eq!(
        session.total(
            run,
            "(lag_avg_ms IS NOT NULL AND lag_max_ms >= lag_avg_ms)::int"
        ),
        1
    );
}

#[test]
fn what_cannot_be_done_in_time_is_skipped_or_late() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run(
        "script => 'SELECT pg_sleep(0.05);', rate => 100, latency_limit => '20 ms', duration => '2 s'",
    );
    let transactions = session.total(run, "transactions");
    assert!((20..=41).contains(&transactions), "{transactions}");
    assert_eq!(session.total(run, "late"), transactions);
    assert!(session.total(run, "skipped") > 60);
}

#[test]
fn settings_reach_the_clients_and_role_timeouts_hold() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE seen (work_mem text, name text)");
    session.finish_run(
        "script => 'INSERT INTO seen VALUES (current_setting(''work_mem''), current_setting(''application_name''));', \
         transactions_per_client => 1, clients => 2, settings => '{\"work_mem\": \"7MB\"}'",
    );
    assert_eq!(
        session.value("SELECT string_agg(DISTINCT work_mem, ',') FROM seen"),
        "7MB"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM seen WHERE name ~ '^pgperf run \\d+ client [01]$'"),
        2
    );
    let run = session.start_run(
        "script => 'SELECT pg_sleep(600);', transactions_per_client => 1, \
         settings => '{\"statement_timeout\": \"200ms\"}'",
    );
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(error.contains("statement timeout"), "{error}");
    let start = |settings: &str| {
        format!("SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{settings}')")
    };
    for (settings, expected) in [
        (r#"{"shared_buffers": "1GB"}"#, "55P02"),
        (r#"{"no_such_setting": "1"}"#, "42704"),
        (r#"{"work_mem": "many"}"#, "22023"),
    ] {
        let (sqlstate, message, hint) = error_of(&mut session, &start(settings));
        assert_eq!(sqlstate, expected, "{message}");
        assert!(!hint.is_empty());
    }
}

#[test]
fn a_reload_reaches_running_clients() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE seen (work_mem text)");
    let run = session.start_run(
        "script => E'INSERT INTO seen VALUES (current_setting(''work_mem''));\\n\\\\sleep 10 ms', duration => '1 h'",
    );
    session.wait_for_status(run, "running");
    cluster.reconfigure(&["work_mem = '9MB'"]);
    wait_until("the new setting in a client", PATIENCE, || {
        session.number("SELECT count(*) FROM seen WHERE work_mem = '9MB'") > 0
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    wait_until("the end", Duration::from_secs(5), || {
        session.status(run) == "stopped"
    });
}

/// Whoever filters sessions by their name finds a run's clients by the one that was given, after a reconnection, too.
#[test]
fn clients_have_the_name_that_was_given() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE seen (name text, pid integer)");
    let seen = "INSERT INTO seen SELECT application_name, pid FROM pg_stat_activity WHERE pid = pg_backend_pid();";
    let run = session.finish_run(&format!(
        "script => '{seen}', clients => 2, transactions_per_client => 3, reconnect => 1, \
         before_sql => '{seen}', after_sql => '{seen}', application_name => 'shop'"
    ));
    assert_eq!(
        session.value(
            "SELECT string_agg(concat_ws(' x ', name, sessions), ', ' ORDER BY name) \
             FROM (SELECT name, count(DISTINCT pid) AS sessions FROM seen GROUP BY name) s"
        ),
        format!("pgperf run {run} after x 1, pgperf run {run} before x 1, shop x 6")
    );
    // What a run is called is no condition that it ran under.
    let other = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.compare({run}, {other}) WHERE metric = 'application_name'"
        )),
        0
    );
}
