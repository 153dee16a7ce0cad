//! Failures: the errors that end a transaction, a client or the run, and their stored rows.

use crate::common::runs::{PATIENCE, Runs, at_once, error_of};
use crate::common::{Cluster, major};

/// Serialization failures, deadlocks, and others, by the number of the transaction.
const EVERY_KIND: &str = "\
    CREATE SEQUENCE number; \
    CREATE FUNCTION fail(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ \
    BEGIN \
        IF n % 10 < 4 THEN \
            RAISE 'number %', n USING ERRCODE = ('{40001,40P01,23505,22012}'::text[])[n % 10 + 1]; \
        END IF; \
        RETURN n; \
    END $$";

#[test]
fn with_continue_on_error_a_statement_fails_its_transaction_only() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value(EVERY_KIND);
    session.value("CREATE TABLE done (n bigint)");
    for mode in ["simple", "extended", "prepared"] {
        session.value("TRUNCATE done; ALTER SEQUENCE number RESTART");
        let run = session.finish_run(&format!(
            "script => E'BEGIN;\\nINSERT INTO done VALUES (1);\\nSELECT fail(nextval(''number''));\\nEND;', \
             transactions_per_client => 500, clients => 2, continue_on_error => true, query_mode => '{mode}'"
        ));
        let counts = session.value(&format!(
            "SELECT concat_ws(' ', transactions, failed, serialization_failures, deadlock_failures, other_failures) \
             FROM pgperf.run_summary WHERE run_id = {run}"
        ));
        assert_eq!(counts, "600 400 100 100 200", "{mode}");
        assert_eq!(
            session.number("SELECT count(*) FROM done"),
            600,
            "{mode}: failed blocks were rolled back"
        );
        assert_eq!(
            session.value(&format!(
                "SELECT string_agg(concat_ws(' ', sqlstate, n), ', ' ORDER BY sqlstate) FROM ( \
                     SELECT sqlstate, sum(occurrences) AS n FROM pgperf.run_errors WHERE run_id = {run} \
                     AND first_occurred_at <= occurred_at AND command_no = 2 AND message ~ 'number' GROUP BY 1) q"
            )),
            "22012 100, 23505 100, 40001 100, 40P01 100",
            "{mode}"
        );
        assert_eq!(
            session.value(&format!(
                "SELECT string_agg(concat_ws(' ', calls, failed, retries), ', ' ORDER BY command_no) \
                 FROM pgperf.run_statements WHERE run_id = {run}"
            )),
            "1000 0 0, 1000 0 0, 600 400 0, 600 0 0",
            "{mode}"
        );
        let report = session.value(&format!(
            "SELECT string_agg(line, E'\\n') FROM pgperf.report({run}) line"
        ));
        for line in [
            "number of failed transactions: 400 (40.000%)",
            "number of serialization failures: 100 (10.000%)",
            "number of deadlock failures: 100 (10.000%)",
            "number of other failures: 200 (20.000%)",
        ] {
            assert!(report.contains(line), "{line}\n{report}");
        }
    }
    // Each client reports each of the two other kinds once, at once, then keeps still: 3 runs, 2 clients.
    let told = cluster.log().matches("transaction failed with").count();
    assert!((6..=20).contains(&told), "{told} lines in the log");
}

#[test]
fn an_error_outside_a_statement_ends_the_client_all_the_same() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    for script in [
        "\\\\set n 1 / (:client_id - 1)\\nSELECT 1;",
        "\\\\if :client_id = 1\\nBEGIN;\\n\\\\else\\nSELECT 1;\\n\\\\endif",
    ] {
        let run = session.start_run(&format!(
            "script => E'{script}', transactions_per_client => 10, clients => 2, continue_on_error => true"
        ));
        session.wait_for_status(run, "failed");
        assert_eq!(session.total(run, "transactions"), 10, "{script}");
        assert_eq!(session.total(run, "failed"), 0, "{script}");
        let client = format!("SELECT client_id FROM pgperf.run_errors WHERE run_id = {run}");
        assert_eq!(session.number(&client), 1, "{script}");
    }
}

#[test]
fn with_exit_on_abort_the_first_client_takes_the_others_with_it() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let script = "script => E'\\\\if :client_id = 2\\nSELECT pg_sleep(0.5);\\nSELECT 1 / 0;\\n\\\\else\\nSELECT pg_sleep(600);\\n\\\\endif', \
         clients => 3, duration => '1 h'";
    let run = session.start_run(&format!("{script}, exit_on_abort => true"));
    session.wait_for_status(run, "running");
    at_once("exit on abort", || session.wait_for_status(run, "failed"));
    assert_eq!(
        session.value(&format!(
            "SELECT concat_ws(' ', sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
        )),
        "22012 client 2 aborted in command 2 of script \"script\": division by zero"
    );
    // Without it the others go on.
    let run = session.start_run(script);
    session.wait_for_status(run, "running");
    let errors = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf client'";
    crate::common::wait_until("two clients left", PATIENCE, || session.number(errors) == 2);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(session.status(run), "running");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
}

#[test]
fn retries_are_counted_where_they_happened() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE hot AS SELECT 0 AS n; CREATE TABLE draws (client int, draw int)");
    let run = session.finish_run(
        "script => E'\\\\set draw random(1, 1000000)\\nBEGIN;\\n\
         INSERT INTO draws VALUES (:client_id, :draw);\\n\\\\sleep 2 ms\\nUPDATE hot SET n = n + 1;\\nEND;', \
         clients => 4, transactions_per_client => 100, max_tries => 10000, random_seed => 7, \
         settings => '{\"default_transaction_isolation\": \"serializable\"}'",
    );
    assert_eq!(session.number("SELECT n FROM hot"), 400);
    let (retried, retries) = (session.total(run, "retried"), session.total(run, "retries"));
    assert!(retried > 0 && retries >= retried, "{retried}, {retries}");
    let statements = format!("FROM pgperf.run_statements WHERE run_id = {run}");
    assert_eq!(
        session.number(&format!("SELECT sum(retries) {statements}")),
        retries
    );
    assert_eq!(
        session.number(&format!("SELECT sum(failed) {statements}")),
        0
    );
    let drawn = "SELECT md5(string_agg(d::text, ',' ORDER BY client, draw)) FROM draws d";
    let with_retries = session.value(drawn);
    // The same seed without a single conflict: what was tried again was the same.
    session.value("TRUNCATE draws");
    session.finish_run(
        "script => E'\\\\set draw random(1, 1000000)\\nINSERT INTO draws VALUES (:client_id, :draw);', \
         clients => 4, transactions_per_client => 100, random_seed => 7",
    );
    assert_eq!(session.value(drawn), with_retries);
}

/// A transaction that always fails is tried for as long as the rules say, even without a limit of tries.
#[test]
fn tries_end_with_the_latency_limit_and_with_the_run() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let failing = "script => 'DO $$ BEGIN RAISE SQLSTATE ''40001''; END $$;', max_tries => 0";
    let run = session.finish_run(&format!(
        "{failing}, latency_limit => '50 ms', transactions_per_client => 3"
    ));
    assert_eq!(session.total(run, "failed"), 3);
    assert!(session.total(run, "retries") > 0);
    assert_eq!(session.total(run, "late"), 0, "what failed is not late");
    // As in pgbench, what is not done at the end counts as nothing.
    let run = session.finish_run(&format!("{failing}, duration => '0.5 s'"));
    assert_eq!(
        session.total(run, "transactions") + session.total(run, "failed"),
        0
    );
}

#[test]
fn deadlocks_are_retried() {
    let cluster = Cluster::for_scripts(&["deadlock_timeout = 10ms"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE pair AS SELECT id, 0 AS n FROM generate_series(0, 1) id");
    let run = session.finish_run(
        "script => E'BEGIN;\\n\\\\set other 1 - :client_id\\n\
         UPDATE pair SET n = n + 1 WHERE id = :client_id;\\n\\\\sleep 5 ms\\n\
         UPDATE pair SET n = n + 1 WHERE id = :other;\\nCOMMIT;', \
         clients => 2, transactions_per_client => 20, max_tries => 1000",
    );
    assert_eq!(session.total(run, "transactions"), 40);
    assert_eq!(session.total(run, "failed"), 0);
    assert!(session.total(run, "retries") > 0, "no deadlock");
    assert_eq!(session.number("SELECT sum(n) FROM pair"), 80);
    // The second UPDATE is where they meet.
    assert_eq!(
        session.number(&format!(
            "SELECT retries FROM pgperf.run_statements WHERE run_id = {run} AND command_no = 4"
        )),
        session.total(run, "retries")
    );
}

/// A script is read with the strings of the clients' sessions; since PostgreSQL 19 there is but one kind of them.
#[test]
fn strings_are_those_of_the_clients() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    let start = "SELECT pgperf.start_run(script => E'SELECT ''\\\\'' || :scale || '' AS a --'';', \
                 settings => '{\"standard_conforming_strings\": \"off\"}')";
    if major() >= 19 {
        let (_, message, _) = error_of(&mut session, start);
        assert!(
            message.contains("\"standard_conforming_strings\" cannot be set"),
            "{message}"
        );
        return;
    }
    let error = session.simple_query(start).expect_err("a refusal");
    let error = error.as_db_error().expect("of the server");
    assert_eq!(
        error.message(),
        "script \"script\", line 1: variable :scale cannot be a parameter here"
    );
    assert_eq!(
        error.detail(),
        Some(
            "at column 15:\nSELECT '\\' || :scale || ' AS a --';\n              ^ error found here"
        )
    );
    assert!(
        error
            .hint()
            .is_some_and(|hint| hint.starts_with("Within quotes, a comment"))
    );
}
