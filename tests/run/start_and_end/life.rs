//! From the start to the end of a run: slots, statistics, totals, rows.

use super::SHORT_SWEEP;
use crate::common::runs::{CALM, PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use std::time::Duration;

#[test]
fn two_runs_at_once_keep_apart() {
    let cluster = Cluster::for_runs(&[]);
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
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let run = session.start_busy_run(CALM);
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
    let cluster = Cluster::for_runs(&[]);
    let mut session = cluster.connect();
    let kept = session.finish_run("'tpcb-like', transactions_per_client => 10");
    let run = session.start_busy_run(CALM);
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
    let cluster = Cluster::for_runs(&["max_worker_processes = 8"]);
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
fn autovacuum_and_statistics_see_a_run() {
    let cluster = Cluster::for_runs(&["autovacuum_naptime = 1s"]);
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

/// The worker of a sweep has another lock than a session that moves the cursor of snapshot_bloat.
#[test]
fn locks_of_one_kind_are_not_those_of_another() {
    let cluster = Cluster::for_scripts(&[]);
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
