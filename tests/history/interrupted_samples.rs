//! Samples that are broken off, taken at the same time, or whose history cannot be written.

use crate::common::disk::SmallDisk;
use crate::common::runs::{PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;
use postgres::error::SqlState;
use std::fs;

/// Tables that take some seconds to measure.
const TABLES: &str = "DO $$ BEGIN FOR i IN 1..60 LOOP EXECUTE format('CREATE TABLE t%s AS \
    SELECT generate_series(1, 200000) AS id', i); END LOOP; END $$";

/// Rows of the history that belong to no sample.
fn orphans(session: &mut Client) -> i64 {
    let tables = session.value(
        "SELECT string_agg(format('SELECT node_id, sample_id, taken_at FROM pgperf.%I', table_name), ' UNION ALL ') \
         FROM pgperf_internal.history_tables WHERE collector IS NOT NULL",
    );
    session.number(&format!(
        "SELECT count(*) FROM ({tables}) h LEFT JOIN pgperf.samples s USING (node_id, sample_id, taken_at) \
         WHERE s.node_id IS NULL"
    ))
}

#[test]
fn a_snapshot_that_is_cancelled_keeps_what_it_got() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let (mut session, mut caller) = (cluster.connect(), cluster.connect());
    session.value(TABLES);
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    let pid = caller.number("SELECT pg_backend_pid()");
    std::thread::scope(|scope| {
        let call =
            scope.spawn(|| error_of(&mut caller, "CALL pgperf.take_snapshot('{wal, bloat}')"));
        wait_until("its first collector", PATIENCE, || {
            session.value(
                "SELECT outcomes -> 'wal' ->> 'status' FROM pgperf.samples WHERE NOT complete",
            ) == "ok"
        });
        session.value(&format!("SELECT pg_cancel_backend({pid})"));
        assert_eq!(call.join().expect("the call").0, "57014");
    });
    let incomplete = session.number("SELECT sample_id FROM pgperf.samples WHERE NOT complete");
    assert_eq!(orphans(&mut session), 0);
    assert_eq!(
        session.number(&format!(
            "SELECT rows - (SELECT count(*) FROM pgperf.wal_history WHERE sample_id = {incomplete}) \
             FROM pgperf.sample_outcomes WHERE sample_id = {incomplete} AND collector = 'wal'"
        )),
        0
    );
    // It counts as the sample before.
    session.value("CALL pgperf.take_snapshot('{wal}')");
    assert_eq!(
        session.value(
            "SELECT seconds < EXTRACT(epoch FROM clock_timestamp() - (SELECT min(taken_at) FROM pgperf.samples)) \
                    AND wal_bytes IS NOT NULL FROM pgperf.wal_deltas ORDER BY sample_id DESC LIMIT 1"
        ),
        "t"
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.samples WHERE NOT complete"),
        1
    );
}

#[test]
fn nobody_writes_into_a_sample_of_others() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let sample = session.number("SELECT pgperf.snapshot_wal()");
    session.value("CREATE ROLE watcher IN ROLE pg_monitor");
    session.value("SET ROLE watcher");
    for call in [
        format!("CALL pgperf_internal.collect_sample('{{wal}}', {sample})"),
        "SELECT pgperf.next_sample_id()".to_owned(),
    ] {
        assert_eq!(error_of(&mut session, &call).0, "42883", "{call}");
    }
    // The number that is returned is that of the caller's own sample.
    let samples: Vec<i64> = std::thread::scope(|scope| {
        let take = || {
            let mut session = cluster.connect();
            session.value("SET ROLE watcher");
            [(); 20].map(|()| session.number("CALL pgperf.take_snapshot('{wal, database}')"))
        };
        let takers = [(); 2].map(|()| scope.spawn(take));
        (takers.into_iter())
            .flat_map(|taker| taker.join().expect("samples"))
            .collect()
    });
    session.value("RESET ROLE");
    let numbers = samples.iter().map(i64::to_string).collect::<Vec<_>>();
    assert_eq!(
        session.number(&format!(
            "SELECT count(DISTINCT sample_id) FROM pgperf.samples JOIN pgperf.wal_history USING (sample_id) \
             WHERE complete AND sample_id IN ({})",
            numbers.join(", ")
        )),
        40
    );
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf.wal_history"),
        41
    );
}

#[test]
fn two_first_samples_make_one_node() {
    for end in ["COMMIT", "ROLLBACK"] {
        let cluster = Cluster::with_pgperf(&[]);
        let (mut first, mut second) = (cluster.connect(), cluster.connect());
        let mut watcher = cluster.connect();
        first.value("BEGIN; SELECT pgperf.snapshot_wal()");
        let pid = second.number("SELECT pg_backend_pid()");
        std::thread::scope(|scope| {
            // A sample waits for no lock longer than 100 ms, which may be over before the first one ends.
            let sample = scope.spawn(|| {
                while let Err(error) = second.simple_query("SELECT pgperf.snapshot_wal()") {
                    assert_eq!(error.code(), Some(&SqlState::LOCK_NOT_AVAILABLE));
                }
            });
            wait_until("the second one to wait", PATIENCE, || {
                watcher.value(&format!(
                    "SELECT wait_event_type IN ('Lock', 'Extension') FROM pg_stat_activity WHERE pid = {pid}"
                )) == "t"
            });
            first.value(end);
            sample.join().expect("the second sample");
        });
        assert_eq!(watcher.number("SELECT count(*) FROM pgperf.nodes"), 1);
        let samples = if end == "COMMIT" { 2 } else { 1 };
        assert_eq!(
            watcher.number("SELECT count(*) FROM pgperf.samples JOIN pgperf.nodes USING (node_id)"),
            samples
        );
    }
}

#[test]
fn a_run_measures_relations_without_a_snapshot() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value(TABLES);
    let run = session
        .start_run("script => 'SELECT 1;', transactions_per_client => 1, collectors => '{bloat}'");
    // A look while it waits, for a disk say, tells nothing of what it does most of the time.
    let (mut seen, mut holding) = (0, 0);
    while session.value(&format!(
        "SELECT count(*) FROM pgperf.samples WHERE run_id = {run} AND complete"
    )) == "0"
    {
        let held = session.value(&format!(
            "SELECT backend_xmin IS NOT NULL FROM pg_stat_activity \
             WHERE application_name = 'pgperf run {run} leader' AND wait_event IS NULL \
               AND EXISTS (SELECT FROM pgperf.samples WHERE run_id = {run})"
        ));
        seen += i64::from(!held.is_empty());
        holding += i64::from(held == "t");
    }
    assert!(seen > 20, "{seen}");
    assert!(holding * 2 < seen, "{holding} of {seen}");
    session.wait_for_status(run, "finished");
    assert_eq!(
        session.number(&format!(
            "SELECT count(*) FROM pgperf.sample_outcomes WHERE run_id = {run} AND collector = 'bloat' AND status = 'ok'"
        )),
        2
    );
    assert_eq!(orphans(&mut session), 0);
}

#[test]
fn a_bloat_cursor_that_another_session_moves_is_not_waited_for() {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "log_lock_waits = on",
        "deadlock_timeout = '20ms'",
    ]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    session.value(
        "DO $$ BEGIN FOR i IN 1..300 LOOP EXECUTE format('CREATE TABLE small_%s AS SELECT 1 AS id', i); END LOOP; END $$",
    );
    session.value("SELECT pgperf.snapshot_wal()");
    holder.value("BEGIN; SELECT pgperf.snapshot_bloat(max_pages => 20)");
    assert_eq!(
        holder.number("SELECT count(*) FROM pgperf_internal.bloat_cursor"),
        1
    );
    session.value("SELECT pgperf.snapshot_bloat(max_pages => 20)");
    holder.value("COMMIT");
    // The holder's round is over, but not for others yet.
    holder.value("BEGIN; SELECT pgperf.snapshot_bloat(budget => '1 min')");
    session.value("SELECT pgperf.snapshot_bloat(max_pages => 20)");
    holder.value("COMMIT");
    let log = cluster.log();
    assert!(!log.contains("still waiting for"), "{log}");
    assert_eq!(
        session.number("SELECT count(*) FROM pgperf_internal.bloat_cursor"),
        0
    );
}

#[test]
fn each_round_measures_every_relation_once() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value(
        "DO $$ BEGIN FOR i IN 1..25 LOOP EXECUTE format('CREATE TABLE small_%s AS SELECT 1 AS id', i); END LOOP; END $$",
    );
    let cursor = "SELECT coalesce((SELECT next || ' of ' || cardinality(relations) FROM pgperf_internal.bloat_cursor), 'none')";
    for round in 1..=3 {
        // A call of ten pages measures ten tables of one; the last one ends the round.
        for place in ["10 of 25", "20 of 25", "none"] {
            session.value("SELECT pgperf.snapshot_bloat(max_pages => 10)");
            assert_eq!(session.value(cursor), place, "round {round}");
        }
        assert_eq!(
            session.value(
                "SELECT string_agg(DISTINCT times::text, ',') || ' of ' || count(*) FROM \
                 (SELECT count(*) AS times FROM pgperf.bloat_history GROUP BY relation_name) m"
            ),
            format!("{round} of 25")
        );
    }
    // Also one that ends with the last page of the budget.
    session.value("SELECT pgperf.snapshot_bloat(max_pages => 25)");
    assert_eq!(session.value(cursor), "none");
}

#[test]
fn a_missing_privilege_costs_its_collector_alone() {
    let cluster = Cluster::new(&[]);
    let mut session = cluster.connect();
    session.value("CREATE ROLE lab LOGIN SUPERUSER; SET ROLE lab");
    session.value("CREATE EXTENSION pgperf CASCADE");
    session.value("RESET ROLE; ALTER ROLE lab NOSUPERUSER; GRANT pg_monitor TO lab");
    session.value("REVOKE EXECUTE ON FUNCTION pg_stat_statements(boolean) FROM lab, PUBLIC, pg_read_all_stats");
    assert_eq!(
        session.value("SELECT status || ': ' || reason FROM pgperf.snapshot('{statements, database}') WHERE status <> 'ok'"),
        "skipped: permission denied for function pg_stat_statements"
    );
    let run = session.finish_run(
        "script => 'SELECT 1;', transactions_per_client => 10, collectors => '{statements, database}'",
    );
    assert_eq!(session.total(run, "transactions"), 10);
    assert_eq!(
        session.value(&format!(
            "SELECT string_agg(DISTINCT collector || ' ' || status, ', ') FROM pgperf.sample_outcomes WHERE run_id = {run}"
        )),
        "database ok, statements skipped"
    );
}

#[test]
fn a_full_disk_costs_its_collectors_alone() {
    let disk = SmallDisk::new(8);
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    disk.create_tablespace(&mut session, "small");
    session.value("SELECT count(*) FROM pgperf.snapshot('{waits}')");
    let partition = session.value("SELECT tableoid::regclass FROM pgperf.samples LIMIT 1");
    let partition = partition.replace("samples", "wait_history");
    session.value(&format!("ALTER TABLE {partition} SET TABLESPACE small"));
    let run = session.start_busy_run(
        "script => 'SELECT 1;', duration => '1 h', sample_interval => '0.1 s', rate => 100, \
         limits => '{\"free_disk\": null}', \
         collectors => '{waits, database}'",
    );
    let outcome = |session: &mut Client| {
        session.value(&format!(
            "SELECT string_agg(collector || ' ' || status || coalesce(': ' || left(reason, 21), ''), ', ' ORDER BY collector) \
             FROM pgperf.sample_outcomes \
             WHERE sample_id = (SELECT max(sample_id) FROM pgperf.samples WHERE run_id = {run})"
        ))
    };
    assert_eq!(outcome(&mut session), "database ok, waits ok");
    // All that is left: a write of the tmpfs's size fails in its midst.
    let filler = disk.path().join("filler");
    assert!(fs::write(&filler, vec![1; 8 << 20]).is_err());
    wait_until("the disk to be full", PATIENCE, || {
        outcome(&mut session) == "database ok, waits failed: could not extend file"
    });
    session.value("CALL pgperf.take_snapshot('{waits, database}')");
    assert_eq!(
        session.value(
            "SELECT string_agg(collector || ' ' || status, ', ' ORDER BY collector) || ' ' || bool_and(complete) \
             FROM pgperf.sample_outcomes JOIN pgperf.samples USING (sample_id) \
             WHERE sample_id = (SELECT max(sample_id) FROM pgperf.samples WHERE run_id IS NULL)"
        ),
        "database ok, waits failed true"
    );
    session.await_intervals(run, 5);
    assert_eq!(session.status(run), "running");
    fs::remove_file(filler).expect("room");
    wait_until("a sample with it", PATIENCE, || {
        outcome(&mut session) == "database ok, waits ok"
    });
    session.value(&format!("SELECT pgperf.stop_run({run})"));
    session.wait_for_status(run, "stopped");
    assert_eq!(orphans(&mut session), 0);
}
