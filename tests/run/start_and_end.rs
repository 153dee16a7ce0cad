//! How runs begin and end: they belong to the transaction and the role that start them.

use std::time::Duration;

use crate::common::runs::{BUSY, PATIENCE, Runs, error_of, expect_next_run};
use crate::common::{Cluster, wait_until};
use postgres::NoTls;

/// Arguments of a run that leaves a row in the table `ran` for each transaction.
const MARK: &str = "script => 'INSERT INTO ran DEFAULT VALUES;', transactions_per_client => 5";
const SHORT_SWEEP: &str =
    "script => 'SELECT 1;', clients => '{1}', duration => '10 ms', repetitions => 1";
const CREATE_RAN: &str =
    "CREATE TABLE ran (role text DEFAULT current_user, session_role text DEFAULT session_user)";

#[test]
fn a_rolled_back_start_runs_nothing() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value(CREATE_RAN);
    let ways = [
        format!("BEGIN; SELECT pgperf.start_run({MARK}); ROLLBACK"),
        format!("BEGIN; SAVEPOINT s; SELECT pgperf.start_run({MARK}); ROLLBACK TO s; COMMIT"),
        format!("BEGIN; SAVEPOINT s; SELECT pgperf.start_run({MARK}); RELEASE s; ROLLBACK"),
        format!(
            "BEGIN; SAVEPOINT s; SAVEPOINT t; SELECT pgperf.start_run({MARK}); RELEASE t; \
             ROLLBACK TO s; COMMIT"
        ),
        format!(
            "DO $$ BEGIN \
               PERFORM pgperf.start_run({}); RAISE division_by_zero; \
             EXCEPTION WHEN division_by_zero THEN NULL; END $$",
            MARK
        ),
    ];
    for way in &ways {
        session.batch_execute(way).expect(way);
        session.expect_no_workers(way);
    }
    assert_eq!(session.number("SELECT count(*) FROM ran"), 0);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.stored_runs"),
        0
    );
    assert!(!cluster.log().contains("ERROR"));
}

#[test]
fn a_run_begins_at_the_commit() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    session.value(CREATE_RAN);
    session.value("BEGIN");
    let run = session.start_run(MARK);
    session.value("SAVEPOINT s");
    let inner = session.start_run(MARK);
    session.value("RELEASE SAVEPOINT s");
    assert_eq!(other.workers(), 2, "leaders wait for the transaction");
    assert_eq!(other.status(run), "", "nobody sees the run yet");
    assert_eq!(session.status(run), "waiting");
    // While it waits, a leader holds back nobody's horizon.
    assert_eq!(
        other.number(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pgperf leader' \
             AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
        ),
        0
    );
    session.value("COMMIT");
    for run in [run, inner] {
        session.wait_for_status(run, "finished");
    }
    assert_eq!(session.number("SELECT count(*) FROM ran"), 10);
}

#[test]
fn a_run_cannot_be_prepared_for_two_phase_commit() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 2"]);
    let mut session = cluster.connect();
    session.value(CREATE_RAN);
    session.value("BEGIN");
    session.start_run(MARK);
    let (sqlstate, message, _) = error_of(&mut session, "PREPARE TRANSACTION 'run'");
    assert_eq!(sqlstate, "0A000", "{message}");
    session.value("ROLLBACK");
    session.expect_no_workers("PREPARE TRANSACTION");
    assert_eq!(session.number("SELECT count(*) FROM pg_prepared_xacts"), 0);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.stored_runs"),
        0
    );
    // Only the transaction that started a run is refused.
    session.value("BEGIN");
    session.value("INSERT INTO ran DEFAULT VALUES");
    session.value("PREPARE TRANSACTION 'other'");
    session.value("ROLLBACK PREPARED 'other'");
}

#[test]
fn the_workload_runs_as_the_role_that_starts_it() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut superuser = cluster.connect();
    superuser
        .batch_execute(
            "CREATE ROLE tester LOGIN; CREATE ROLE nologin;
             CREATE TABLE secret (); CREATE SCHEMA lab AUTHORIZATION tester;
             ALTER ROLE tester SET search_path = lab;
             ALTER ROLE tester SET lock_timeout = '1ms';
             ALTER ROLE tester SET statement_timeout = '1min';
             GRANT USAGE ON SCHEMA pgperf TO tester, nologin;
             GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester, nologin;
             GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA pgperf TO tester;",
        )
        .expect("roles");
    let mut tester = cluster
        .config()
        .user("tester")
        .connect(NoTls)
        .expect("a session");
    tester.value(CREATE_RAN);
    let run = tester.start_run(&format!("{MARK}, clients => 2"));
    superuser.wait_for_status(run, "finished");
    assert_eq!(
        tester.value(
            "SELECT string_agg(DISTINCT role || ' ' || session_role, ',') || count(*) FROM ran"
        ),
        "tester tester10"
    );
    assert_eq!(
        superuser.value("SELECT DISTINCT role FROM pgperf.runs"),
        "tester"
    );
    // Its rights are its own: what it may not do, the run may not do.
    let run =
        tester.start_run("script => 'SELECT FROM public.secret;', transactions_per_client => 1");
    superuser.wait_for_status(run, "failed");
    assert_eq!(
        superuser.value(&format!(
            "SELECT sqlstate FROM pgperf.runs WHERE run_id = {run}"
        )),
        "42501"
    );
    // SET ROLE gives nobody a session who may not have one.
    superuser.value("SET ROLE nologin");
    let start = format!("SELECT pgperf.start_run({MARK})");
    let (sqlstate, _, hint) = error_of(&mut superuser, &start);
    assert_eq!(sqlstate, "28000");
    assert!(hint.contains("ALTER ROLE nologin LOGIN"), "{hint}");
    superuser.value("RESET ROLE");
    // Another role neither stops nor deletes it.
    let run = superuser.start_run("script => 'SELECT pg_sleep(600);', duration => '1 h'");
    for call in ["stop_run", "delete_run"] {
        let (sqlstate, ..) = error_of(&mut tester, &format!("SELECT pgperf.{call}({run})"));
        assert_eq!(sqlstate, "42501", "{call}");
    }
    assert_eq!(tester.number("SELECT pgperf.stop_all()"), 0);
    superuser.wait_for_status(run, "running");
}

#[test]
fn two_runs_at_once_keep_apart() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let one = session.start_run("'tpcb-like', clients => 2, transactions_per_client => 300");
    let two = session.start_run("'select-only', clients => 3, transactions_per_client => 400");
    for run in [one, two] {
        session.wait_for_status(run, "finished");
    }
    assert_eq!(session.total(one, "transactions"), 600);
    assert_eq!(session.total(two, "transactions"), 1200);
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 600);
    let statements = "SELECT count(*) FROM pgperf.run_statements WHERE is_sql AND run_id =";
    assert_eq!(session.number(&format!("{statements} {one}")), 7);
    assert_eq!(session.number(&format!("{statements} {two}")), 1);
}

#[test]
fn a_stopped_run_keeps_its_intervals_and_has_totals() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(BUSY);
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "t"
    );
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("stop_run");
    let of_run = format!("FROM pgperf.run_intervals WHERE run_id = {run}");
    let transactions = session.total(run, "transactions");
    assert_eq!(
        session.number(&format!("SELECT sum(transactions) {of_run}")),
        transactions
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgbench_history"),
        transactions
    );
    assert_eq!(
        session.number(&format!(
            "SELECT calls FROM pgperf.run_statements WHERE run_id = {run} AND statement LIKE 'INSERT%'"
        )),
        transactions
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.stop_run({run})")),
        "f"
    );
    let (sqlstate, ..) = error_of(&mut session, "SELECT pgperf.stop_run(99)");
    assert_eq!(sqlstate, "42704");
}

#[test]
fn a_deleted_run_leaves_no_row() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let kept = session.finish_run("'tpcb-like', transactions_per_client => 10");
    let run = session.start_busy_run(BUSY);
    let (sqlstate, message, hint) =
        error_of(&mut session, &format!("SELECT pgperf.delete_run({run})"));
    assert_eq!(sqlstate, "55006", "{message}");
    assert!(hint.contains(&format!("pgperf.stop_run({run})")), "{hint}");
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    // Every table that can hold a run's rows.
    let tables = session.value(
        "SELECT string_agg(format('SELECT %L, count(*) FROM %s WHERE run_id = %%1$s HAVING count(*) > 0', \
                c.oid::regclass, c.oid::regclass), ' UNION ALL ') \
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id' \
         WHERE c.relnamespace::regnamespace::text IN ('pgperf', 'pgperf_internal') AND c.relkind IN ('r', 'p')",
    );
    let mut with_rows = |run: i64| {
        let tables = tables.replace("%1$s", &run.to_string());
        session.number(&format!("SELECT count(*) FROM ({tables}) t"))
    };
    assert!(with_rows(run) >= 8);
    let kept_before = with_rows(kept);
    assert_eq!(
        cluster.run_sql(&format!("SELECT pgperf.delete_run({run})")),
        "t"
    );
    assert_eq!(with_rows(run), 0);
    assert_eq!(with_rows(kept), kept_before);
    assert_eq!(
        cluster.run_sql(&format!("SELECT pgperf.delete_run({run})")),
        "f"
    );
}

#[test]
fn too_few_worker_slots_is_an_error_before_anything_is_stored() {
    let cluster = Cluster::with_data(&["max_worker_processes = 8"]);
    let mut session = cluster.connect();
    let (sqlstate, message, hint) = error_of(
        &mut session,
        "SELECT pgperf.start_run('tpcb-like', clients => 20)",
    );
    assert_eq!(sqlstate, "53400", "{message}");
    assert!(
        message.contains("21 needed") && message.contains("of 8"),
        "{message}"
    );
    assert!(
        hint.contains("ALTER SYSTEM SET max_worker_processes ="),
        "{hint}"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.runs WHERE kind = 'run'"),
        0
    );
    // As many as there are slots: the leader's, the clients', and the logical replication launcher's.
    let run = session.start_run("'tpcb-like', clients => 6, duration => '1 h'");
    session.wait_for_status(run, "running");
    let (sqlstate, ..) = error_of(&mut session, "SELECT pgperf.start_run('tpcb-like')");
    assert_eq!(sqlstate, "53400");
    session.value("SELECT pgperf.stop_all()");
    session.wait_for_status(run, "stopped");
    // What has ended gives its slots back at once, also to who has looked at the processes in the same transaction.
    let filler = session.start_run("'tpcb-like', clients => 6, duration => '1 h'");
    session.wait_for_status(filler, "running");
    let seen = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgperf run %'";
    session.value("BEGIN");
    assert_eq!(session.number(seen), 7);
    let mut other = cluster.connect();
    other.value("SELECT pgperf.stop_all()");
    other.wait_for_status(filler, "stopped");
    assert_eq!(session.number(seen), 7, "a copy that the server keeps");
    let next = session.start_run("'tpcb-like', clients => 6, transactions_per_client => 10");
    session.value("COMMIT");
    session.wait_for_status(next, "finished");
    let run = session.finish_run("'tpcb-like', clients => 6, transactions_per_client => 10");
    assert_eq!(session.total(run, "transactions"), 60);
}

#[test]
fn clients_that_cannot_connect_fail_the_run() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute("CREATE ROLE gone LOGIN SUPERUSER")
        .expect("a role");
    let mut gone = cluster
        .config()
        .user("gone")
        .connect(NoTls)
        .expect("a session");
    gone.value("BEGIN");
    let run = gone.start_run("'tpcb-like', clients => 3, duration => '1 h'");
    gone.value("ALTER ROLE gone NOLOGIN");
    gone.value("COMMIT");
    session.wait_for_status(run, "failed");
    let error = session.value(&format!(
        "SELECT error FROM pgperf.runs WHERE run_id = {run}"
    ));
    assert!(error.contains("could not connect"), "{error}");
    session.expect_no_workers("the failed run");
    expect_next_run(&mut session);
}

#[test]
fn autovacuum_and_statistics_see_a_run() {
    let cluster = Cluster::with_data(&["autovacuum_naptime = 1s"]);
    let mut session = cluster.connect();
    let commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
    let before = session.number(commits);
    let run = session.start_run("'tpcb-like', clients => 2, duration => '1 h'");
    session.wait_for_status(run, "running");
    // The watching session commits some too, far fewer.
    wait_until("commits while it runs", Duration::from_secs(10), || {
        session.number(commits) > before + 1000
    });
    wait_until("autovacuum while it runs", PATIENCE, || {
        session.number(
            "SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = 'pgbench_branches'",
        ) > 0
    });
    assert_eq!(session.status(run), "running");
}

#[test]
fn rights_that_are_only_lent_start_no_run() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let view = "CREATE MATERIALIZED VIEW view AS SELECT pgperf.start_run(script => 'SELECT 1;')";
    let (sqlstate, message, _) = error_of(&mut session, view);
    assert_eq!(sqlstate, "42501");
    assert!(message.contains("security-restricted"), "{message}");
    session.expect_no_workers("the refused start");
}

#[test]
fn a_run_can_be_stopped_before_the_commit_that_starts_it() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session.value("BEGIN");
    let run = session.start_run(BUSY);
    assert_eq!(session.value("SELECT pgperf.stop_run()"), "t");
    session.value("COMMIT");
    session.wait_for_status(run, "stopped");
    session.expect_no_workers("stop_run");
    assert_eq!(session.number("SELECT count(*) FROM pgbench_history"), 0);
}

/// Leaders and workers of sweeps that wait for the commit of another session leave at once, and their rows say why.
#[test]
fn what_waits_for_its_commit_can_be_stopped() {
    let cluster = Cluster::with_data(&["max_worker_processes = 24"]);
    let mut session = cluster.connect();
    let mut other = cluster.connect();
    session.value("CREATE TABLE kept (n int)");
    for sql in [
        "CREATE ROLE stranger LOGIN",
        "GRANT USAGE ON SCHEMA pgperf TO stranger",
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO stranger",
    ] {
        session.value(sql);
    }
    let mut stranger = (cluster.config().user("stranger").connect(NoTls)).expect("a session");
    let stopped = "57014: it was stopped before the transaction that started it committed";
    let forbidden = "55000: pgperf.allow_load is off on this server";
    let allow = |setting: &str| cluster.reconfigure(&[&format!("pgperf.allow_load = {setting}")]);
    let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                  WHERE backend_type IN ('pgperf leader', 'pgperf sweep')";
    for reason in ["stop_all", "allow_load", "cancel"] {
        session.value("BEGIN");
        session.value(&format!("INSERT INTO kept VALUES ({})", reason.len()));
        let run = session.start_run(BUSY);
        let load = session.number("SELECT pgperf.start_load(schema => 'public')");
        session.value("SAVEPOINT s");
        session.start_run("script => 'SELECT 1;', resume => true, duration => '1 h'");
        session.value("ROLLBACK TO s");
        let resumable =
            session.start_run("script => 'SELECT 1;', resume => true, duration => '1 h'");
        let sweep = session.number(&format!("SELECT pgperf.start_sweep({SHORT_SWEEP})"));
        wait_until("workers that wait", PATIENCE, || other.workers() == 4);
        match reason {
            "stop_all" => {
                assert_eq!(stranger.number("SELECT pgperf.stop_all()"), 0);
                assert_eq!(other.workers(), 4, "a stranger stops nothing");
                assert_eq!(other.number("SELECT pgperf.stop_all()"), 3);
            }
            "allow_load" => allow("off"),
            _ => assert_eq!(other.number(cancel), 4),
        }
        other.expect_no_workers(reason);
        session.value("COMMIT");
        let expected = if reason == "allow_load" {
            forbidden
        } else {
            stopped
        };
        for run in [run, load, resumable] {
            assert_eq!(session.status(run), "stopped", "{reason}");
            let told =
                format!("SELECT sqlstate || ': ' || error FROM pgperf.runs WHERE run_id = {run}");
            assert_eq!(session.value(&told), expected);
        }
        let told =
            format!("SELECT status || ': ' || error FROM pgperf.sweeps WHERE sweep_id = {sweep}");
        assert_eq!(session.value(&told), format!("stopped: {}", &expected[7..]));
        allow("on");
    }
    assert_eq!(session.number("SELECT count(*) FROM kept"), 3);
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.resume_points"),
        0
    );
    let resumed = session.number("SELECT max(sweep_id) FROM pgperf.sweeps");
    assert_eq!(
        session.value(&format!("SELECT pgperf.resume_sweep({resumed})")),
        "t"
    );
    wait_until("the resumed sweep", PATIENCE, || {
        other.value(&format!(
            "SELECT status FROM pgperf.sweeps WHERE sweep_id = {resumed}"
        )) == "finished"
    });
    expect_next_run(&mut session);
}

/// The worker of a sweep has another lock than a session that moves the cursor of snapshot_bloat.
#[test]
fn locks_of_one_kind_are_not_those_of_another() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let mut bloat = cluster.connect();
    // Makes the node and the partitions that both need.
    session.value("SELECT pgperf.snapshot_bloat('{pg_class}')");
    // Both cursors, each moved by a transaction that stays open.
    let mut exact = cluster.connect();
    for (session, method) in [(&mut bloat, "approx"), (&mut exact, "exact")] {
        session.value("BEGIN");
        session.value(&format!(
            "SELECT pgperf.snapshot_bloat(method => '{method}', budget => '1 ms')"
        ));
    }
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
    assert_eq!(session.number(held), 2, "the cursors are locked");
    for _ in 1..=3 {
        let sweep = session.number(&format!("SELECT pgperf.start_sweep({SHORT_SWEEP})"));
        wait_until("the sweep's end", PATIENCE, || {
            session.value(&format!(
                "SELECT status FROM pgperf.sweeps WHERE sweep_id = {sweep}"
            )) == "finished"
        });
    }
    bloat.value("ROLLBACK");
    exact.value("ROLLBACK");
}

#[test]
fn the_owners_settings_do_not_disturb_the_leader() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    session
        .batch_execute(
            "ALTER ROLE postgres SET lock_timeout = '1ms';
             ALTER ROLE postgres SET statement_timeout = '1ms';
             ALTER ROLE postgres SET default_transaction_isolation = 'serializable';
             ALTER ROLE postgres SET default_transaction_read_only = on;
             ALTER ROLE postgres SET search_path = nowhere;
             CREATE ROLE tester LOGIN;
             GRANT pg_read_all_data TO tester;
             GRANT USAGE ON SCHEMA pgperf TO tester;
             GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgperf TO tester;",
        )
        .expect("settings and a role");
    let mut tester = cluster
        .config()
        .user("tester")
        .connect(NoTls)
        .expect("a session");
    tester.value("BEGIN");
    let run = tester.start_run("'select-only', clients => 2, duration => '1 s'");
    // The leader waits for this transaction, for longer than its role's timeouts.
    std::thread::sleep(Duration::from_millis(100));
    tester.value("COMMIT");
    session.wait_for_status(run, "finished");
    assert!(session.intervals(run) >= 1);
    assert!(!cluster.log().contains("ERROR"));
}
