//! How long samples and a run's end hold vacuum's horizon and locks on catalogs, and how
//! much they look at where there are many relations.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs, error_of};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// `make test` is content with fewer tables; `PGPERF_TEST_TABLES=20000` is the full number.
const TABLES: i64 = 1_500;

/// A cluster with many tables, each with an index and a TOAST table.
fn with_many_tables(conf: &[&str]) -> (Cluster, Client) {
    let tables = std::env::var("PGPERF_TEST_TABLES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(TABLES);
    let quiet = ["autovacuum = off", "max_locks_per_transaction = 512"];
    let cluster = Cluster::with_pgperf(&[&quiet, conf].concat());
    let mut session = cluster.connect();
    session.value(&format!(
        "DO $$ BEGIN FOR i IN 1..{tables} LOOP \
             EXECUTE format('CREATE UNLOGGED TABLE many_%s (id int PRIMARY KEY, v text)', i); \
             IF i % 500 = 0 THEN COMMIT; END IF; END LOOP; END $$"
    ));
    (cluster, session)
}

/// How long somebody's snapshot or transaction id was held while `work` went on, at most, in looks; and the number of
/// looks. Each look takes a transaction id, so ages count looks.
fn looks(session: &mut Client, of: &str, work: impl FnOnce() + Send) -> (usize, usize) {
    let mut ages = Vec::new();
    let look = format!(
        "SELECT coalesce(max(greatest(age(backend_xmin), age(backend_xid))), 0), pg_current_xact_id() IS NULL \
         FROM pg_stat_activity WHERE {of}"
    );
    std::thread::scope(|scope| {
        let work = scope.spawn(work);
        while !work.is_finished() {
            ages.push(session.value(&look).parse::<usize>().expect("an age"));
        }
    });
    (ages.iter().max().copied().unwrap_or_default(), ages.len())
}

/// However many relations there are, a collector's snapshot is that of a part of them.
#[test]
fn collectors_give_up_their_snapshot_between_parts() {
    let (cluster, mut session) = with_many_tables(&[]);
    // The first sample makes the history's partitions.
    session.value("CALL pgperf.take_snapshot('{wal}')");
    for collector in [
        "tables",
        "wraparound",
        "database",
        "bloat",
        "statements",
        "buffers",
    ] {
        let call = format!("CALL pgperf.take_snapshot('{{{collector}}}')");
        let own =
            format!("query LIKE 'CALL pgperf.take_snapshot%{collector}%' AND state = 'active'");
        let (oldest, looks) = looks(&mut session, &own, || {
            for _ in 0..3 {
                cluster.run_sql(&call);
            }
        });
        println!("{collector}: a snapshot was held for {oldest} of {looks} looks");
        if matches!(collector, "tables" | "wraparound" | "bloat") {
            assert!(
                looks > 20 && oldest * 4 < looks,
                "{collector}: {oldest} of {looks}"
            );
        }
    }
}

/// The end of a run reads each relation a few times, not all relations for each.
#[test]
fn the_end_of_a_run_is_linear_in_the_number_of_relations() {
    let (cluster, mut session) = with_many_tables(&[]);
    // The first sample makes the history's partitions.
    session.value("CALL pgperf.take_snapshot('{wal}')");
    session.value("SELECT pg_stat_reset()");
    let began = Instant::now();
    let run = session.start_run("script => 'SELECT 1;', duration => '1 s'");
    let own = format!("application_name = 'pgperf run {run} leader'");
    let mut watcher = cluster.connect();
    let (oldest, looks) = looks(&mut watcher, &own, || {
        session.wait_for_status(run, "finished")
    });
    println!(
        "the run took {:?}; its leader held a snapshot for {oldest} of {looks} looks",
        began.elapsed()
    );
    assert!(looks > 100 && oldest * 5 < looks, "{oldest} of {looks}");
    let relations = session.number("SELECT count(*) FROM pg_class");
    let stored = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_relations WHERE run_id = {run} AND schema_name = 'pg_toast'"
    ));
    assert!(stored > 100, "{stored} TOAST tables and their indexes");
    // Its processes have reported what they did: they are gone.
    wait_until("the end of its processes", PATIENCE, || {
        session.workers() == 0
    });
    let read = session.number(
        "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_sys_tables WHERE relname = 'pg_class'",
    );
    println!("{read} rows of pg_class read, of {relations}; {stored} relations of TOAST stored");
    assert!(read < 60 * relations, "{read} rows of {relations}");
    let took = session.value(
        "SELECT (sum(total_exec_time))::int || ' ms in ' || sum(calls) || ' calls, the longest ' || max(max_exec_time)::int || ' ms' \
         FROM pg_stat_statements WHERE query LIKE '%INSERT INTO pgperf.run_relations%' AND query NOT LIKE '%pg_stat_statements%'",
    );
    println!("storing relations: {took}");
    let at_once = session.number(
        "SELECT max(rows / calls) FROM pg_stat_statements \
         WHERE query LIKE '%INSERT INTO pgperf.run_relations%' AND query NOT LIKE '%pg_stat_statements%'",
    );
    assert!((1..=125).contains(&at_once), "{at_once}");
    let own_toast = session.number(&format!(
        "SELECT count(*) FROM pgperf.run_relations r JOIN pg_class c ON c.oid = r.relation_oid \
         LEFT JOIN pg_index i ON i.indexrelid = c.oid \
         JOIN pg_class t ON t.reltoastrelid = coalesce(i.indrelid, c.oid) \
         WHERE run_id = {run} AND r.schema_name = 'pg_toast' AND t.relnamespace = 'public'::regnamespace"
    ));
    assert_eq!(own_toast, stored, "the user's own, no other");
}

/// Whoever locks a catalog costs the collectors that read it, and nobody waits until he lets go.
#[test]
fn a_locked_catalog_is_not_waited_for() {
    let cluster = Cluster::with_pgperf(&[
        NO_BUDGET,
        // A parallel worker's own start would wait.
        "max_parallel_workers_per_gather = 0",
    ]);
    let (mut session, mut holder) = (cluster.connect(), cluster.connect());
    let mut watcher = cluster.connect();
    session.value(
        "UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name IN ('wal', 'database')",
    );
    assert_eq!(session.value("SELECT pgperf.start_sampler()"), "t");
    let samples = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL";
    wait_until("a sample", PATIENCE, || watcher.number(samples) > 0);
    // Who waits for the lock waits for this; far more than a few locks are given.
    session.value("SET statement_timeout = '20s'");
    // A session's first sample, whose caches are cold.
    holder.value("BEGIN; LOCK TABLE pg_database IN ACCESS EXCLUSIVE MODE");
    let taken = "SELECT string_agg(concat_ws(': ', collector || ' ' || status, CASE status WHEN 'skipped' THEN reason END), '; ') \
                 FROM pgperf.snapshot('{database, checkpoints, host}')";
    assert_eq!(
        session.value(taken),
        "database skipped: canceling statement due to lock timeout; checkpoints ok; host ok"
    );
    assert_eq!(
        session.value("SELECT elapsed_ms >= 100 FROM pgperf.snapshot('{database}')"),
        "t"
    );
    // As it comes: whichever reads the catalog, none fails.
    assert_eq!(
        session.value(
            "SELECT string_agg(collector, ',') FROM pgperf.snapshot() WHERE status = 'failed'"
        ),
        ""
    );
    session.value("CALL pgperf.take_snapshot('{database, wal}')");
    let skipped = "SELECT count(*) FROM pgperf.sample_outcomes JOIN pgperf.samples USING (sample_id) \
                   WHERE cadence IS NOT NULL AND collector = 'database' AND status = 'skipped'";
    wait_until("the sampler without it", PATIENCE, || {
        watcher.number(skipped) > 0
    });
    assert_eq!(
        watcher.value(
            "SELECT status FROM pgperf.sample_outcomes JOIN pgperf.samples USING (sample_id) \
             WHERE cadence IS NOT NULL AND collector = 'wal' ORDER BY sample_id DESC LIMIT 1"
        ),
        "ok"
    );
    holder.value("ROLLBACK");
    // The catalog that names the extension is read before anything of it.
    holder.value("BEGIN; LOCK TABLE pg_extension IN ACCESS EXCLUSIVE MODE");
    for call in [
        "SELECT count(*) FROM pgperf.snapshot()",
        "SELECT pgperf.snapshot_wal()",
        "SELECT pgperf.snapshot_bloat()",
        "CALL pgperf.take_snapshot('{wal}')",
    ] {
        assert_eq!(error_of(&mut session, call).0, "55P03", "{call}");
    }
    let before = watcher.number(samples);
    holder.value("ROLLBACK");
    wait_until("the sampler again", PATIENCE, || {
        watcher.number(samples) > before
    });
    // The caller's own setting is as it was.
    assert_eq!(session.value("SHOW lock_timeout"), "0");
}

/// Deleting and vacuuming beside a sampler may meet one of its snapshots, which is gone a moment later.
#[test]
fn rows_deleted_beside_a_sampler_can_be_vacuumed() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off", NO_BUDGET]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE queue (id int)");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s'");
    session.value("SELECT pgperf.start_sampler()");
    let samples = "SELECT count(*) FROM pgperf.samples WHERE complete AND cadence IS NOT NULL";
    wait_until("samples", PATIENCE, || session.number(samples) >= 2);
    let dead = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'queue'";
    let vacuum = |session: &mut Client| {
        // What was deleted is counted before the VACUUM counts what it leaves.
        session.value("SELECT pg_stat_force_next_flush()");
        session.value("VACUUM queue");
        session.number(dead)
    };
    let (mut left, mut longest, from) = (0, Duration::ZERO, session.number(samples));
    for _ in 0..150 {
        session.value("INSERT INTO queue VALUES (1)");
        session.value("DELETE FROM queue");
        if vacuum(&mut session) > 0 {
            left += 1;
            let began = Instant::now();
            wait_until("the row to be removed", PATIENCE, || {
                vacuum(&mut session) == 0
            });
            longest = longest.max(began.elapsed());
        }
        sleep(Duration::from_millis(20));
    }
    let samples = session.number(samples) - from;
    println!(
        "{left} of 150 pairs beside {samples} samples left a dead row, for at most {longest:?}"
    );
    // A sample holds a snapshot for a part of its time only, and that is a part of the whole.
    assert!(left < 75, "{left} of 150");
}
