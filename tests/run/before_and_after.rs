//! Around the measured part: vacuum, before_sql, after_sql, and the warm-up.

use crate::common::Cluster;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::wait_until;
use postgres::Client;

/// Rows of a query, values with `|` between.
fn rows(session: &mut Client, sql: &str) -> String {
    session.value(&format!(
        "SELECT string_agg(replace(trim('()' FROM q::text), ',', '|'), ' ') FROM ({sql}) q"
    ))
}

fn errors(session: &mut Client, run: i64) -> String {
    rows(
        session,
        &format!(
            "SELECT coalesce(client_id::text, 'none'), script, command_no, sqlstate \
             FROM pgperf.run_errors WHERE run_id = {run} ORDER BY error_no"
        ),
    )
}

#[test]
fn statements_before_and_after_make_and_remove_what_the_scripts_need() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE log (at int GENERATED ALWAYS AS IDENTITY, what text)");
    let run = session.finish_run(
        "script => 'INSERT INTO work VALUES (1);', clients => 3, transactions_per_client => 10, \
         settings => '{\"work_mem\": \"7MB\"}', \
         before_sql => $$CREATE TABLE work (i int); -- a comment; with a semicolon
            VACUUM work; CHECKPOINT;
            BEGIN; INSERT INTO log (what) SELECT current_setting('work_mem') || ';' || current_user; COMMIT$$, \
         after_sql => 'INSERT INTO log (what) SELECT count(*) FROM work; VACUUM work; DROP TABLE work;'",
    );
    assert_eq!(
        session.value("SELECT string_agg(what, ' ' ORDER BY at) FROM log"),
        "7MB;postgres 30"
    );
    assert_eq!(session.value("SELECT to_regclass('work')"), "");
    assert_eq!(session.total(run, "transactions"), 30);
    // Neither is among the run's figures.
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.run_statements WHERE run_id = {run}"
        )),
        1
    );
    assert_eq!(errors(&mut session, run), "");
    session.expect_no_workers("the run");
    // The call that reproduces the run has them.
    let call = session.value(&format!(
        "SELECT string_agg(line, ' ') FROM pgperf.report({run}) AS line"
    ));
    assert!(
        call.contains("before_sql => ") && call.contains("after_sql => "),
        "{call}"
    );
}

#[test]
fn an_error_before_ends_the_run_and_one_after_is_kept_beside_its_figures() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE log (what text)");
    let failed = session.start_run(
        "script => 'INSERT INTO log VALUES (''script'');', transactions_per_client => 1, \
         before_sql => 'INSERT INTO log VALUES (''before''); SELECT 1 / 0; INSERT INTO log VALUES (''never'')', \
         after_sql => 'INSERT INTO log VALUES (''after'')'",
    );
    session.wait_for_status(failed, "failed");
    assert_eq!(
        session.value("SELECT string_agg(what, ' ') FROM log"),
        "before"
    );
    assert_eq!(
        rows(
            &mut session,
            &format!("SELECT sqlstate, error FROM pgperf.runs WHERE run_id = {failed}")
        ),
        "22012|\"statement 2 of before_sql failed: division by zero\""
    );
    assert_eq!(errors(&mut session, failed), "none|before_sql|1|22012");

    // A block that stays open is an error too, and leaves nothing.
    let open = session.start_run(
        "script => 'SELECT 1;', before_sql => 'BEGIN; INSERT INTO log VALUES (''open'')'",
    );
    session.wait_for_status(open, "failed");
    assert_eq!(errors(&mut session, open), "none|before_sql|1|25001");

    let finished = session.finish_run(
        "script => 'SELECT 1;', clients => 2, transactions_per_client => 5, \
         after_sql => 'INSERT INTO log VALUES (''after''); SELECT nothing'",
    );
    assert_eq!(session.total(finished, "transactions"), 10);
    assert_eq!(errors(&mut session, finished), "none|after_sql|1|42703");
    assert_eq!(
        session.value("SELECT string_agg(what, ' ' ORDER BY what) FROM log"),
        "after before"
    );
}

#[test]
fn after_sql_runs_however_the_clients_ended() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE log (what text)");
    let after = |what: &str| format!("after_sql => 'INSERT INTO log VALUES (''{what}'')'");
    let run = session.start_busy_run(&format!(
        "script => 'SELECT pg_sleep(0.01);', clients => 2, duration => '1 h', sample_interval => '0.1 s', {}",
        after("stopped")
    ));
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    for (what, more) in [("failed", "false"), ("failed at once", "true")] {
        let run = session.start_run(&format!(
            "script => 'SELECT 1 / 0;', exit_on_abort => {more}, {}",
            after(what)
        ));
        session.wait_for_status(run, "failed");
    }
    assert_eq!(
        session.value("SELECT string_agg(what, ' ' ORDER BY what) FROM log"),
        "failed failed at once stopped"
    );
}

#[test]
fn a_stop_ends_the_statements_around_a_run() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE log (what text)");
    let is_sleeping = |session: &mut Client, run: i64, side: &str| {
        wait_until("the statement sleeps", PATIENCE, || {
            session.number(&format!(
                "SELECT count(*) FROM pg_stat_activity \
                 WHERE application_name = 'pgperf run {run} {side}' AND wait_event = 'PgSleep'"
            )) == 1
        });
    };
    // The second stop cancels. Nothing has run, so there is nothing to do after it.
    let run = session.start_run(
        "script => 'INSERT INTO log VALUES (''script'');', before_sql => 'SELECT pg_sleep(600); SELECT 1', \
         after_sql => 'INSERT INTO log VALUES (''after'')'",
    );
    is_sleeping(&mut session, run, "before");
    for _ in 0..2 {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("the stop");
    assert_eq!(session.number("SELECT count(*) FROM log"), 0);
    assert_eq!(errors(&mut session, run), "");

    let run = session.start_run(
        "script => 'SELECT 1;', transactions_per_client => 1, after_sql => 'SELECT pg_sleep(600)'",
    );
    is_sleeping(&mut session, run, "after");
    assert_eq!(session.status(run), "draining");
    for _ in 0..2 {
        session.value(&format!("SELECT pgperf.stop_run({run})"));
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    session.wait_for_status(run, "finished");
    assert_eq!(errors(&mut session, run), "none|after_sql|0|57014");
    assert_eq!(session.total(run, "transactions"), 1);
}

#[test]
fn statements_around_a_run_have_its_roles_rights_and_no_more() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE secret (i int)");
    session.value("CREATE ROLE tester LOGIN");
    session.value("GRANT EXECUTE ON FUNCTION pgperf.start_run TO tester");
    let mut tester = cluster.connect_as("tester");
    let run = tester.start_run("script => 'SELECT 1;', before_sql => 'TABLE secret'");
    session.wait_for_status(run, "failed");
    assert_eq!(errors(&mut session, run), "none|before_sql|0|42501");
    let run = tester.start_run(
        "script => 'SELECT 1;', transactions_per_client => 1, \
         after_sql => 'RESET ROLE; RESET SESSION AUTHORIZATION; TABLE secret'",
    );
    session.wait_for_status(run, "finished");
    assert_eq!(errors(&mut session, run), "none|after_sql|2|42501");
}

#[test]
fn vacuum_is_what_pgbench_does_before_a_run() {
    let cluster = Cluster::for_runs(&["autovacuum = off"]);
    let mut session = cluster.connect();
    let vacuumed = "SELECT string_agg(format('%s %s %s', relname, vacuum_count, analyze_count), ', ' ORDER BY relname) \
        FROM pg_stat_user_tables WHERE relname LIKE 'pgbench%'";
    session.finish_run("'tpcb-like', transactions_per_client => 20");
    for (vacuum, left, counts) in [
        (
            "none",
            40,
            "pgbench_accounts 0 0, pgbench_branches 0 0, pgbench_history 0 0, pgbench_tellers 0 0",
        ),
        (
            "standard",
            20,
            "pgbench_accounts 0 0, pgbench_branches 1 0, pgbench_history 0 0, pgbench_tellers 1 0",
        ),
        (
            "all",
            20,
            "pgbench_accounts 1 1, pgbench_branches 1 0, pgbench_history 0 0, pgbench_tellers 1 0",
        ),
    ] {
        session.value("SELECT pg_stat_reset()");
        session.finish_run(&format!(
            "'tpcb-like', transactions_per_client => 20, vacuum => '{vacuum}'"
        ));
        assert_eq!(
            session.number("SELECT count(*) FROM pgbench_history"),
            left,
            "{vacuum}"
        );
        wait_until(&format!("{vacuum}: {counts}"), PATIENCE, || {
            session.value(vacuumed) == counts
        });
    }
    // A script on the same tables has it too.
    session.finish_run("script => 'SELECT 1;', transactions_per_client => 1, vacuum => 'standard'");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 0);
    // A table that somebody else has put in place of one of them stays.
    session.value("ALTER TABLE pgbench_history RENAME TO kept");
    session.value("CREATE TABLE pgbench_history (LIKE kept)");
    session.value("INSERT INTO pgbench_history VALUES (1, 1, 1, 1)");
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run(vacuum => 'standard')",
    );
    assert_eq!(sqlstate, "22023");
    assert!(
        message.contains("\"pgbench_history\"") && hint.contains("before_sql"),
        "{message} {hint}"
    );
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 1);
}

/// What each client has written in the measured part, in its order.
const WRITTEN: &str = "SELECT string_agg(format('%s:%s:%s', client, script, value), ' ' ORDER BY client, at) FROM written";

#[test]
fn the_measured_part_is_the_same_with_and_without_a_warm_up() {
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE written (at bigint GENERATED ALWAYS AS IDENTITY, client int, script int, value text)");
    // A variable goes from one transaction to the next; the choice of scripts and the values are random.
    let scripts = "scripts => ARRAY[\
        E'\\\\set n :n + 1\n\\\\set x random(1, 1000000)\nINSERT INTO written (client, script, value) VALUES (:client_id, 1, :x || ''-'' || :n);', \
        E'\\\\set y random_zipfian(1, 1000, 1.5)\nINSERT INTO written (client, script, value) VALUES (:client_id, 2, :y);'], \
        weights => '{2,1}', variables => '{\"n\": 0}', clients => 3, transactions_per_client => 30, random_seed => 11";
    let mut seen = Vec::new();
    for warmup in [
        "",
        ", warmup => '0.5 s'",
        ", warmup => '0.5 s', warmup_workload => 'select-only@9, simple-update'",
        ", rate => 2000, warmup => '0.3 s'",
        ", reconnect => 7, warmup => '0.3 s'",
        ", reconnect => 7, warmup => '0.3 s', warmup_workload => 'select-only'",
    ] {
        session.value("TRUNCATE written");
        let run = session.finish_run(&format!("{scripts}{warmup}"));
        assert_eq!(session.total(run, "transactions"), 90);
        assert_eq!(
            session.total(run, "warmup_transactions") > 0,
            warmup.contains("warmup")
        );
        // Rows of a warm-up with the run's own scripts come first; the measured ones are each client's last.
        session.value(
            "DELETE FROM written WHERE at IN (SELECT at FROM (SELECT at, row_number() OVER (PARTITION BY client ORDER BY at DESC) AS n FROM written) w WHERE n > 30)",
        );
        seen.push(session.value(WRITTEN));
        let counted = rows(
            &mut session,
            &format!(
                "SELECT script, sum(calls) AS calls FROM pgperf.run_statements WHERE run_id = {run} AND is_sql GROUP BY 1 ORDER BY 1"
            ),
        );
        let written = rows(
            &mut session,
            "SELECT 'script ' || script AS script, count(*) AS calls FROM written GROUP BY 1 ORDER BY 1",
        );
        assert_eq!(counted, written, "{warmup}");
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:#?}");
}

#[test]
fn a_warm_up_draws_other_values_than_the_measured_part() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE written (at bigint GENERATED ALWAYS AS IDENTITY, value bigint)");
    let run = session.finish_run(
        "script => E'\\\\set x random(1, 1000000000000)\nINSERT INTO written (value) VALUES (:x);', \
         transactions_per_client => 50, warmup => '0.3 s'",
    );
    let total = 50 + session.total(run, "warmup_transactions");
    assert_eq!(
        session.number("SELECT count(DISTINCT value) FROM written"),
        total
    );
}

#[test]
fn an_error_in_the_warm_up_names_its_script() {
    let cluster = Cluster::for_scripts(&[]);
    let mut session = cluster.connect();
    session.value("SELECT pgperf.create_workload('broken', script => 'SELECT 1 / :zero;', variables => '{\"zero\": 0}')");
    let run =
        session.start_run("script => 'SELECT 1;', warmup => '10 s', warmup_workload => 'broken'");
    session.wait_for_status(run, "failed");
    assert_eq!(errors(&mut session, run), "0|broken|0|22012");
}
