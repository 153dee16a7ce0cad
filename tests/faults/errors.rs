//! Statements that fail, in every class of errors and in every way: the server lives, and what happened is stored
//! with the SQLSTATE that a client would have received.

use crate::common::Cluster;
use crate::common::aftermath::Aftermath;
use crate::common::runs::{Runs, expect_next_run};
use postgres::Client;

/// At least one of every class, and some of no class at all.
const SQLSTATES: &str = "01000 02000 03000 08006 08P01 09000 0A000 0B000 0F000 0L000 0P000 0Z000 10608 20000 \
     21000 22012 22P02 23505 23514 24000 25000 25006 25P02 25P03 26000 27000 28000 28P01 2B000 2BP01 2D000 2F000 \
     34000 38000 39000 3B000 3D000 3F000 40000 40001 40002 40003 40P01 42501 42601 42P01 44000 53000 53100 53200 53300 \
     53400 54000 54001 55000 55006 55P03 57000 57014 57P01 57P02 57P03 57P04 57P05 58000 58030 58P01 72000 F0000 HV000 \
     P0001 P0002 P0003 P0004 XX000 XX001 XX002 A1B2C ZZ999 99999";

/// Raises the error of that number.
fn create_fail(session: &mut Client) {
    session.value(&format!(
        "CREATE TABLE codes AS SELECT code, n - 1 AS n FROM regexp_split_to_table('{SQLSTATES}', ' ') \
             WITH ORDINALITY t(code, n); \
         CREATE FUNCTION fail(which bigint) RETURNS void LANGUAGE plpgsql AS $$ \
         DECLARE state text := (SELECT code FROM codes WHERE n = which); \
         BEGIN RAISE EXCEPTION 'number %', which USING ERRCODE = state, DETAIL = 'of ' || state; END $$"
    ));
}

/// SQLSTATE and message with which a run ended.
fn end_of(session: &mut Client, run: i64) -> String {
    session.value(&format!(
        "SELECT concat_ws(' ', status, sqlstate, error) FROM pgperf.runs WHERE run_id = {run}"
    ))
}

#[test]
fn every_class_of_errors_is_survived_and_told() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    create_fail(&mut session);
    let count = session.number("SELECT count(*) FROM codes");
    // A client keeps eight kinds apart.
    let clients = (count + 7) / 8;
    for mode in ["simple", "extended", "prepared"] {
        let run = session.finish_run(&format!(
            "script => E'\\\\set n :client_id * 8 + :turn\\n\\\\set turn :turn + 1\\n\\\\if :n < {count}\\n\
             BEGIN;\\nSELECT fail(:n);\\nEND;\\n\\\\else\\nSELECT 1;\\n\\\\endif', variables => '{{\"turn\": 0}}', \
             clients => {clients}, transactions_per_client => 8, continue_on_error => true, query_mode => '{mode}', \
             collectors => '{{}}'"
        ));
        let told = session.value(&format!(
            "SELECT string_agg(code, ' ' ORDER BY n) FROM codes \
             WHERE (code, 'number ' || n, 'of ' || code) NOT IN ( \
                 SELECT sqlstate, message, detail FROM pgperf.run_errors WHERE run_id = {run})"
        ));
        assert_eq!(told, "", "not told as they were, {mode}");
        assert_eq!(session.total(run, "failed"), count);
    }
    session.expect_nothing_left("errors of every class");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

#[test]
fn each_class_ends_a_run_with_its_sqlstate() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    create_fail(&mut session);
    for code in [
        "40001", "40P01", "53200", "57014", "57P01", "57P02", "XX000", "XX001", "ZZ999",
    ] {
        let run = session.start_run(&format!(
            "script => 'SELECT fail((SELECT n FROM codes WHERE code = ''{code}''));', clients => 2, \
             transactions_per_client => 3, collectors => '{{}}', max_tries => 3"
        ));
        session.value(&format!("CALL pgperf.wait_run({run})"));
        let end = end_of(&mut session, run);
        if code.starts_with("40") {
            // Tried again, then counted.
            assert_eq!(end, "finished");
            assert_eq!(session.total(run, "failed"), 6);
            assert_eq!(session.total(run, "retries"), 12);
        } else {
            let expected = format!("failed {code} client ");
            assert!(
                end.starts_with(&expected) && end.contains("number "),
                "{end}"
            );
        }
    }
    session.expect_nothing_left("errors");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

/// Errors that are not raised by hand: script, SQLSTATE.
const REAL: &[(&str, &str)] = &[
    ("SELECT deep(1);", "54001"),
    ("SELECT repeat('xxxxxxxxxx', 200000000);", "54000"),
    ("SELECT count(*) FROM generate_series(1, 1000000);", "53400"),
    ("BEGIN; INSERT INTO child VALUES (7); END;", "23503"),
    ("INSERT INTO child VALUES (7);", "23503"),
    ("COPY child FROM '/nowhere/at/all';", "58P01"),
    (
        "BEGIN; DECLARE c CURSOR FOR SELECT 1 / (g - 3) FROM generate_series(1, 5) g; FETCH 2 FROM c; FETCH 2 FROM c; END;",
        "22012",
    ),
    (
        "SELECT pg_catalog.pg_cancel_backend(pg_catalog.pg_backend_pid()), pg_catalog.pg_sleep(600);",
        "57014",
    ),
    ("SET statement_timeout = 20; SELECT pg_sleep(600);", "57014"),
    (
        "BEGIN; SET LOCAL lock_timeout = 20; LOCK TABLE locked; END;",
        "55P03",
    ),
    (
        "BEGIN; INSERT INTO parent VALUES (:client_id); PREPARE TRANSACTION 'never';",
        "55000",
    ),
    ("SELECT invalid_page();", "XX001"),
    ("SELECT * FROM swallowing(1);", "P0001"),
    ("SELECT rethrowing();", "ZZ002"),
    ("SELECT pg_notify('', 'x');", "22023"),
    ("SELECT 1 FROM nowhere;", "42P01"),
    (
        "DO $x$ BEGIN COMMIT; RAISE 'late' USING ERRCODE = 'ZZ001'; END $x$;",
        "ZZ001",
    ),
];

#[test]
fn errors_of_the_server_itself_end_a_run_with_their_sqlstate() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value(
        "CREATE TABLE parent (id int PRIMARY KEY); \
         CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED); \
         CREATE TABLE locked (id int); \
         CREATE FUNCTION deep(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN deep(n + 1); END $$; \
         CREATE FUNCTION invalid_page() RETURNS void LANGUAGE plpgsql AS \
             $$ BEGIN RAISE 'invalid page' USING ERRCODE = 'data_corrupted'; END $$; \
         CREATE FUNCTION swallowing(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN \
             FOR i IN 1..1000 LOOP BEGIN PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN n := n + 1; END; END LOOP; \
             RAISE NOTICE 'swallowed %', n; RAISE 'at last'; END $$; \
         CREATE FUNCTION rethrowing() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'of ours' USING ERRCODE = 'ZZ002'; \
             EXCEPTION WHEN OTHERS THEN BEGIN RAISE WARNING 'again'; PERFORM 1 / 0; \
                 EXCEPTION WHEN division_by_zero THEN NULL; END; RAISE; END $$",
    );
    let mut blocker = cluster.connect();
    blocker.value("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE");
    for mode in ["simple", "prepared"] {
        for (script, sqlstate) in REAL {
            let quoted = script.replace('\'', "''");
            let run = session.start_run(&format!(
                "script => '{quoted}', clients => 2, transactions_per_client => 2, collectors => '{{}}', \
                 query_mode => '{mode}', settings => '{{\"temp_file_limit\": \"1MB\", \"work_mem\": \"1MB\"}}'"
            ));
            session.wait_for_status(run, "failed");
            let end = end_of(&mut session, run);
            assert!(
                end.starts_with(&format!("failed {sqlstate} client ")),
                "{mode}: {script}\n{end}"
            );
            session.expect_nothing_left(script);
        }
    }
    blocker.value("ROLLBACK");
    expect_next_run(&mut session);
    session.expect_all_slots();
    cluster.expect_no_crash();
}

#[test]
fn a_client_that_ends_its_own_session_is_a_terminated_client() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    let run = session.start_run(
        "script => 'SELECT pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid());', clients => 2, duration => '1 h'",
    );
    session.wait_for_status(run, "failed");
    let end = end_of(&mut session, run);
    assert!(
        end.starts_with("failed 57P01 client ") && end.ends_with(" was terminated"),
        "{end}"
    );
    session.expect_nothing_left("the run");
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}

/// What a session can do to itself does the run no harm.
#[test]
fn a_script_may_change_its_session() {
    let cluster = Cluster::for_faults(&[]);
    let mut session = cluster.connect();
    session.value("CREATE ROLE tester; GRANT SELECT ON pgbench_accounts TO tester");
    for statement in [
        "DISCARD ALL;",
        "DEALLOCATE ALL;",
        "RESET ALL;",
        "SET application_name = somebody;",
        "SET ROLE tester;",
        "SET SESSION AUTHORIZATION tester;",
        "SELECT pg_advisory_lock(:client_id);",
        "CREATE TEMP TABLE IF NOT EXISTS mine (id int);",
        "SET client_min_messages = debug5;",
        "SET search_path = nowhere;",
        "SELECT pg_advisory_unlock_all();",
        "SELECT pg_reload_conf();",
    ] {
        for mode in ["simple", "extended", "prepared"] {
            let run = session.finish_run(&format!(
                "script => E'{statement}\\nSELECT abalance FROM public.pgbench_accounts WHERE aid = 1;', \
                 clients => 2, transactions_per_client => 10, query_mode => '{mode}', collectors => '{{}}'"
            ));
            assert_eq!(
                session.total(run, "transactions"),
                20,
                "{mode}: {statement}"
            );
            session.expect_nothing_left(statement);
        }
    }
    expect_next_run(&mut session);
    cluster.expect_no_crash();
}
