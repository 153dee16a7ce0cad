//! The differences between samples, when counters begin again: after a crash, a reset, a restart, and when nobody
//! sampled for a while. And the buffers, compared with pg_buffercache.

#![allow(clippy::expect_used)] // clippy sees a test only in a #[test] function

mod common;

use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Cluster, StopMode};

/// Counters that a restart of any kind must hide, of both views.
const COUNTERS: &str = "(SELECT d.wal_records, d.wal_fpi, d.wal_bytes, d.wal_buffers_full, d.wal_write, d.wal_sync, \
    d.xact_commit) w(a, b, c, d, e, f, g)";

/// Writes something, then takes a sample; its id.
fn sample(cluster: &Cluster) -> i64 {
    cluster.run_sql("INSERT INTO written SELECT generate_series(1, 1000)");
    cluster.run_sql("SELECT pg_stat_force_next_flush()");
    cluster
        .run_sql("SELECT max(sample_id) FROM pgperf.snapshot('{wal,buffers,wraparound}') WHERE status = 'ok'")
        .parse()
        .expect("a sample")
}

/// How many of the WAL counters of that sample's row in wal_deltas are known.
fn known(cluster: &Cluster, sample: i64) -> i64 {
    number(
        cluster,
        &format!(
            "SELECT num_nonnulls(w.*) FROM pgperf.wal_deltas d, LATERAL {COUNTERS} WHERE d.sample_id = {sample}"
        )
        .replace("w.*", "w.a, w.b, w.c, w.d, w.e, w.f, w.g"),
    )
}

/// The same of buffer_counter_deltas; evictions are known from 16 on.
fn known_of_buffers(cluster: &Cluster, sample: i64) -> i64 {
    number(
        cluster,
        &format!(
            "SELECT num_nonnulls(blks_hit, blks_read, buffers_checkpoint, buffers_clean, maxwritten_clean, \
                                 buffers_backend, buffers_alloc) \
             FROM pgperf.buffer_counter_deltas WHERE sample_id = {sample}"
        ),
    )
}

fn number(cluster: &Cluster, sql: &str) -> i64 {
    cluster.run_sql(sql).parse().expect("a number")
}

/// Checks a sample's differences against the two rows that they come from.
fn expect_exact(cluster: &Cluster, before: i64, after: i64) {
    let right = cluster.run_sql(&format!(
        "SELECT d.wal_records = b.wal_records - a.wal_records AND d.wal_bytes = b.wal_bytes - a.wal_bytes \
                AND d.lsn_bytes = b.insert_lsn - a.insert_lsn AND d.wal_records > 0 \
                AND d.xids = b.next_xid::text::bigint - a.next_xid::text::bigint AND d.xids > 0 \
                AND abs(d.seconds - extract(epoch FROM b.taken_at - a.taken_at)) < 1e-6 \
         FROM pgperf.wal_deltas d, pgperf.wal_history a, pgperf.wal_history b \
         WHERE d.sample_id = {after} AND b.sample_id = {after} AND a.sample_id = {before}"
    ));
    assert_eq!(right, "t", "from sample {before} to {after}");
    assert_eq!(known(cluster, after), 7);
    assert_eq!(known_of_buffers(cluster, after), 7);
}

/// Checks that counters are unknown, and that positions, which go on, are not.
fn expect_break(cluster: &Cluster, what: &str, after: i64) {
    assert_eq!(known(cluster, after), 0, "after {what}");
    assert_eq!(known_of_buffers(cluster, after), 0, "after {what}");
    let goes_on = cluster.run_sql(&format!(
        "SELECT lsn_bytes > 0 AND xids > 0 AND lsn_bytes_per_s > 0 AND wal_records_per_s IS NULL \
                AND bytes_per_record IS NULL AND fpi_max_percent IS NULL \
         FROM pgperf.wal_deltas WHERE sample_id = {after}"
    ));
    assert_eq!(goes_on, "t", "after {what}");
}

fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&[]);
    cluster.run_sql("CREATE TABLE written (id int)");
    cluster
}

#[test]
fn differences_are_right_through_crash_reset_restart_and_gap() {
    let cluster = cluster();
    let first = sample(&cluster);
    assert_eq!(known(&cluster, first), 0, "nothing came before the first");
    let second = sample(&cluster);
    expect_exact(&cluster, first, second);

    cluster.restart(StopMode::Immediate);
    let crashed = sample(&cluster);
    expect_break(&cluster, "a crash", crashed);
    let after_crash = sample(&cluster);
    expect_exact(&cluster, crashed, after_crash);

    for shared in ["wal", "bgwriter"] {
        cluster.run_sql(&format!("SELECT pg_stat_reset_shared('{shared}')"));
        let reset = sample(&cluster);
        expect_break(&cluster, shared, reset);
        let after_reset = sample(&cluster);
        expect_exact(&cluster, reset, after_reset);
    }

    cluster.run_sql("SELECT pg_stat_reset()");
    let reset = sample(&cluster);
    expect_break(&cluster, "a reset of the database's statistics", reset);

    cluster.restart(StopMode::Fast);
    let restarted = sample(&cluster);
    expect_break(&cluster, "a restart", restarted);

    // Nobody samples for a while: one long interval, and the rate is that of all of it.
    let started = Instant::now();
    sleep(Duration::from_secs(2));
    let resumed = sample(&cluster);
    expect_exact(&cluster, restarted, resumed);
    let seconds: f64 = cluster
        .run_sql(&format!(
            "SELECT seconds FROM pgperf.wal_deltas WHERE sample_id = {resumed}"
        ))
        .parse()
        .expect("seconds");
    assert!(seconds >= 2.0 && seconds <= started.elapsed().as_secs_f64() + 60.0);

    assert_eq!(
        cluster.run_sql(
            "SELECT count(*) FROM pgperf.wal_deltas d \
             WHERE LEAST(seconds, lsn_bytes, wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync, \
                         xids, xact_commit, lsn_bytes_per_s, wal_records_per_s, fpi_max_percent) < 0"
        ),
        "0"
    );
    assert_eq!(
        cluster.run_sql(
            "SELECT count(*) FROM pgperf.buffer_counter_deltas \
             WHERE LEAST(seconds, blks_hit, blks_read, buffers_checkpoint, buffers_clean, maxwritten_clean, \
                         buffers_backend, buffers_alloc, evictions) < 0"
        ),
        "0"
    );
}

#[test]
fn a_killed_backend_breaks_the_series_like_a_crash() {
    let cluster = cluster();
    sample(&cluster);
    let started: String = cluster.run_sql("SELECT pg_postmaster_start_time()");
    let mut session = cluster.connect();
    let pid: i32 = session
        .query_one("SELECT pg_catalog.pg_backend_pid()", &[])
        .expect("a row")
        .get(0);
    cluster.crash_backend(pid);
    assert_eq!(
        cluster.run_sql("SELECT pg_postmaster_start_time()"),
        started
    );
    let crashed = sample(&cluster);
    expect_break(&cluster, "a killed backend", crashed);
}

#[test]
fn another_databases_reset_hides_only_what_it_adds_to() {
    let cluster = cluster();
    cluster.run_sql("CREATE DATABASE other");
    cluster
        .connect_to("other")
        .simple_query("SELECT count(*) FROM pg_catalog.pg_class")
        .expect("rows");
    let before = sample(&cluster);
    cluster
        .connect_to("other")
        .simple_query("SELECT pg_stat_reset()")
        .expect("a reset");
    let after = sample(&cluster);
    assert_eq!(known(&cluster, after), 7);
    assert_eq!(
        cluster.run_sql(&format!(
            "SELECT blks_hit IS NULL AND blks_read IS NULL AND buffers_alloc IS NOT NULL \
             FROM pgperf.buffer_counter_deltas WHERE sample_id = {after}"
        )),
        "t"
    );
    let later = sample(&cluster);
    assert!(before < after && after < later);
    assert_eq!(known_of_buffers(&cluster, later), 7);
}

/// What pg_buffercache has, named as the history names it, against a sample's rows; pgperf's own and the system's
/// catalogs aside, which reading and storing use in between.
#[test]
fn buffers_equal_those_of_pg_buffercache() {
    let cluster = Cluster::with_pgperf(&[
        "autovacuum = off",
        "shared_buffers = 32MB",
        "bgwriter_lru_maxpages = 0",
    ]);
    cluster.run_sql(
        "CREATE TABLE wide AS SELECT g AS id, repeat('x', 500) AS filler FROM generate_series(1, 20000) g; \
         CREATE INDEX ON wide (id); CREATE TABLE dirty (id int PRIMARY KEY); \
         INSERT INTO dirty SELECT generate_series(1, 20000); ",
    );
    cluster.run_sql("VACUUM wide");
    cluster.run_sql("CHECKPOINT");
    cluster.run_sql(
        "UPDATE dirty SET id = id + 100000 WHERE id < 1000; SELECT count(*) FROM wide WHERE id < 5000;",
    );
    cluster.run_sql("CREATE DATABASE other");
    cluster
        .connect_to("other")
        .simple_query("CREATE TABLE foreign_one AS SELECT generate_series(1, 5000)")
        .expect("a table");
    // One transaction for both, so that nothing of theirs changes in between; names first, to have them cached.
    let sql = "SELECT pgperf.snapshot_buffers();
        CREATE TEMP TABLE view AS
        SELECT d.datname::text AS database_name, c.relname::text AS relation_name, b.relforknumber AS fork, b.usagecount AS usage_count,
               count(*) AS buffers, count(*) FILTER (WHERE isdirty) AS dirty
        FROM pg_buffercache b LEFT JOIN pg_database d ON d.oid = b.reldatabase
        LEFT JOIN pg_class c ON d.datname = current_database() AND c.relfilenode = b.relfilenode
        WHERE b.relfilenode IS NOT NULL AND (c.oid >= 16384 AND c.relnamespace = 'public'::regnamespace OR d.datname = 'other')
        GROUP BY 1, 2, 3, 4;
        CREATE TEMP TABLE ours AS
        SELECT database_name, relation_name, array_position('{main,fsm,vm,init}', fork) - 1 AS fork, usage_count, buffers, dirty
        FROM pgperf.buffer_usage_history
        WHERE sample_id = (SELECT max(sample_id) FROM pgperf.buffer_usage_history)
          AND (schema_name = 'public' OR database_name = 'other');
        SELECT count(*) FROM ours WHERE database_name = 'postgres';
        SELECT count(*) FROM ours WHERE database_name = 'other';
        SELECT count(*) FROM (TABLE ours EXCEPT TABLE view) only_ours;
        SELECT count(*) FROM (TABLE view EXCEPT TABLE ours) only_theirs;
        SELECT sum(buffers) = (SELECT setting::bigint FROM pg_settings WHERE name = 'shared_buffers')
          FROM pgperf.buffer_usage_history;";
    let out = cluster.run_sql(sql);
    let lines: Vec<&str> = out.lines().collect();
    let count = |from_the_end: usize| {
        lines[lines.len() - from_the_end]
            .parse::<i64>()
            .expect("a count")
    };
    assert!(count(5) >= 6, "relations with forks and counts: {out}");
    assert!(count(4) >= 1, "the other database: {out}");
    assert_eq!((count(3), count(2)), (0, 0), "{out}");
    assert_eq!(lines[lines.len() - 1], "t");
}

/// What holds the horizon back is named so that it can be found.
#[test]
fn holders_of_the_horizon_are_told_apart() {
    let cluster = Cluster::with_pgperf(&["max_prepared_transactions = 5", "wal_level = logical"]);
    cluster.run_sql("CREATE TABLE written (id int)");
    cluster.run_sql("SELECT pg_create_logical_replication_slot('idle_slot', 'test_decoding')");
    cluster.run_sql("BEGIN; INSERT INTO written VALUES (1); PREPARE TRANSACTION 'forgotten'");
    let mut session = cluster.connect();
    session
        .batch_execute(
            "SET application_name = 'reader'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1",
        )
        .expect("a snapshot");
    let pid: i32 = session
        .query_one("SELECT pg_catalog.pg_backend_pid()", &[])
        .expect("a row")
        .get(0);
    let sample = sample(&cluster);
    let rows = cluster.run_sql(&format!(
        "SELECT holder_kind, coalesce(database_name, '-'), name, coalesce(pid::text, '-'), since IS NOT NULL, catalogs_only, age >= 0 \
         FROM pgperf.horizon_history WHERE sample_id = {sample} AND name IN ('forgotten', 'idle_slot', 'reader') ORDER BY 1"
    ));
    let lines: Vec<&str> = rows.lines().collect();
    assert_eq!(lines[0], format!("backend|postgres|reader|{pid}|t|f|t"));
    assert_eq!(lines[1], "prepared transaction|postgres|forgotten|-|t|f|t");
    assert!(
        lines[2].starts_with("replication slot|-|idle_slot|-|"),
        "{rows}"
    );
    assert!(lines[2].ends_with("|t|t"), "{rows}");
    // Of those that are equally old, one that holds back all tables, and of these the one that began first.
    assert_eq!(
        cluster.run_sql(&format!(
            "SELECT horizon_holder, horizon_since IS NOT NULL FROM pgperf.wraparound_history \
             WHERE sample_id = {sample} AND relation_name IS NULL AND database_name = 'postgres'"
        )),
        "prepared transaction forgotten|t"
    );
    session.batch_execute("ROLLBACK").expect("the end");
    cluster.run_sql("ROLLBACK PREPARED 'forgotten'");
}
