//! The differences between samples, when counters begin again: after a crash, a reset, a restart, and when nobody
//! sampled for a while. Also the holders of the horizon.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::deltas::{Deltas, expect_none_below_zero};
use crate::common::runs::PATIENCE;
use crate::common::{Cluster, StopMode, major, wait_until};

/// Counters that a restart of any kind must hide, of both views.
const COUNTERS: &str = "(SELECT d.wal_records, d.wal_fpi, d.wal_bytes, d.wal_buffers_full, d.wal_write, d.wal_sync, \
    d.xact_commit) w(a, b, c, d, e, f, g)";

/// The counters of the server's statistics, which begin again all together.
const STATISTICS: [Deltas; 5] = [
    Deltas {
        name: "checkpoint",
        object: &[],
    },
    // From 16 on.
    Deltas {
        name: "io",
        object: &["backend_type", "object", "context"],
    },
    REPLICATION,
    Deltas {
        name: "database",
        object: &["database_name"],
    },
    Deltas {
        name: "relation",
        object: &["relation_oid"],
    },
];
const REPLICATION: Deltas = Deltas {
    name: "replication",
    object: &["kind", "name"],
};
/// pg_stat_statements keeps its own.
const STATEMENTS: Deltas = Deltas {
    name: "statement",
    object: &["queryid", "userid", "dbid", "toplevel"],
};
/// The machine's.
const HOST: Deltas = Deltas {
    name: "host",
    object: &[],
};

/// Writes something, has it decoded, then takes a sample; its id.
fn sample(cluster: &Cluster) -> i64 {
    cluster.run_sql("INSERT INTO written SELECT generate_series(1, 1000)");
    cluster.run_sql(
        "SELECT count(*) FROM pg_replication_slots, LATERAL pg_logical_slot_get_changes(slot_name, NULL, NULL) \
         WHERE slot_name = 'decoded'",
    );
    cluster.run_sql("SELECT pg_stat_force_next_flush()");
    cluster
        .run_sql(
            "SELECT max(sample_id) FROM pgperf.snapshot('{wal,buffers,wraparound,checkpoints,io,replication,database,\
             tables,statements,host}') WHERE status = 'ok'",
        )
        .parse()
        .expect("a sample")
}

/// The number of known WAL counters in that sample's row of wal_deltas.
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

/// Checks that every counter of these views has its difference from one sample to the other.
fn expect_differences(cluster: &Cluster, views: &[Deltas], before: i64, after: i64) {
    for view in views.iter().filter(|view| exists(view)) {
        let found = view.between(cluster, before, after);
        assert!(
            found.counters > 0 && found.known == found.counters && found.right == found.counters,
            "{}, from sample {before} to {after}: {found:?}",
            view.name
        );
    }
}

/// Checks that no counter of these views has one.
fn expect_no_differences(cluster: &Cluster, views: &[Deltas], what: &str, before: i64, after: i64) {
    for view in views.iter().filter(|view| exists(view)) {
        let found = view.between(cluster, before, after);
        assert!(
            found.counters > 0 && found.known == 0,
            "{}, after {what}: {found:?}",
            view.name
        );
    }
}

fn exists(view: &Deltas) -> bool {
    view.name != "io" || major() >= 16
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
    expect_differences(cluster, &STATISTICS, before, after);
}

/// Checks that counters are unknown, and that positions, which continue, are known.
fn expect_break(cluster: &Cluster, what: &str, before: i64, after: i64) {
    assert_eq!(known(cluster, after), 0, "after {what}");
    assert_eq!(known_of_buffers(cluster, after), 0, "after {what}");
    let goes_on = cluster.run_sql(&format!(
        "SELECT lsn_bytes > 0 AND xids > 0 AND lsn_bytes_per_s > 0 AND wal_records_per_s IS NULL \
                AND bytes_per_record IS NULL AND fpi_max_percent IS NULL \
         FROM pgperf.wal_deltas WHERE sample_id = {after}"
    ));
    assert_eq!(goes_on, "t", "after {what}");
    expect_no_differences(cluster, &STATISTICS, what, before, after);
}

fn cluster() -> Cluster {
    let cluster = Cluster::with_pgperf(&["wal_level = logical", "autovacuum = off"]);
    cluster.run_sql("CREATE TABLE written (id int)");
    cluster.run_sql("SELECT pg_create_logical_replication_slot('decoded', 'test_decoding')");
    cluster
}

#[test]
fn differences_are_right_through_crash_reset_restart_and_gap() {
    let cluster = cluster();
    let first = sample(&cluster);
    assert_eq!(known(&cluster, first), 0, "nothing came before the first");
    let mut last = sample(&cluster);
    expect_exact(&cluster, first, last);
    expect_differences(&cluster, &[STATEMENTS, HOST], first, last);

    let reset = |sql: &'static str| -> Box<dyn Fn(&Cluster)> {
        Box::new(move |cluster| {
            cluster.run_sql(sql);
        })
    };
    let restart =
        |mode| -> Box<dyn Fn(&Cluster)> { Box::new(move |cluster| cluster.restart(mode)) };
    let mut breaks = vec![
        ("a crash", restart(StopMode::Immediate)),
        ("wal", reset("SELECT pg_stat_reset_shared('wal')")),
        ("bgwriter", reset("SELECT pg_stat_reset_shared('bgwriter')")),
        (
            "a reset of the database's statistics",
            reset("SELECT pg_stat_reset()"),
        ),
        ("a restart", restart(StopMode::Fast)),
    ];
    if major() >= 16 {
        breaks.push(("io", reset("SELECT pg_stat_reset_shared('io')")));
    }
    if major() >= 17 {
        let checkpointer = "SELECT pg_stat_reset_shared('checkpointer')";
        breaks.push(("checkpointer", reset(checkpointer)));
    }
    for (what, happens) in breaks {
        happens(&cluster);
        let broken = sample(&cluster);
        expect_break(&cluster, what, last, broken);
        // These are of others, and go on: the server, when it ends, stores those of the statements, even in an immediate
        // shutdown.
        expect_differences(&cluster, &[STATEMENTS, HOST], last, broken);
        last = sample(&cluster);
        expect_exact(&cluster, broken, last);
        expect_differences(&cluster, &[STATEMENTS, HOST], broken, last);
    }

    for (view, others, sql) in [
        (
            STATEMENTS,
            [HOST, REPLICATION],
            "SELECT pg_stat_statements_reset()",
        ),
        (
            REPLICATION,
            [HOST, STATEMENTS],
            "SELECT pg_stat_reset_replication_slot('decoded')",
        ),
    ] {
        cluster.run_sql(sql);
        let broken = sample(&cluster);
        expect_no_differences(&cluster, &[view], sql, last, broken);
        expect_differences(&cluster, &others, last, broken);
        last = sample(&cluster);
        expect_exact(&cluster, broken, last);
        expect_differences(&cluster, &[STATEMENTS, HOST], broken, last);
    }

    // Nobody samples for a while: one long interval, and the rate is that of all of it.
    let started = Instant::now();
    sleep(Duration::from_secs(2));
    let resumed = sample(&cluster);
    expect_exact(&cluster, last, resumed);
    expect_differences(&cluster, &[STATEMENTS, HOST], last, resumed);
    let seconds: f64 = cluster
        .run_sql(&format!(
            "SELECT seconds FROM pgperf.wal_deltas WHERE sample_id = {resumed}"
        ))
        .parse()
        .expect("seconds");
    assert!(seconds >= 2.0 && seconds <= started.elapsed().as_secs_f64() + 60.0);

    expect_none_below_zero(&mut cluster.connect());
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

/// The server sets the database's reset time there, too.
#[test]
fn a_reset_of_one_table_hides_that_table_alone() {
    let cluster = cluster();
    cluster.run_sql("CREATE TABLE reset_alone (id int)");
    let wrote = |rows: i64| {
        cluster.run_sql(&format!(
            "INSERT INTO reset_alone SELECT generate_series(1, {rows})"
        ));
    };
    wrote(500);
    let before = sample(&cluster);
    cluster.run_sql("SELECT pg_stat_reset_single_table_counters('reset_alone'::regclass)");
    wrote(100);
    let after = sample(&cluster);
    assert_eq!(known(&cluster, after), 7);
    assert_eq!(known_of_buffers(&cluster, after), 7);
    let others = STATISTICS.map(|view| (view.name != "relation").then_some(view));
    expect_differences(
        &cluster,
        &others.into_iter().flatten().collect::<Vec<_>>(),
        before,
        after,
    );
    // Of tables that have a count that did not change, it is known that they count on.
    let catalogs = "SELECT count(seq_scan) > 0 FROM pgperf.relation_deltas \
                    WHERE relation_kind = 'table' AND relation_oid < 16384 AND sample_id =";
    assert_eq!(cluster.run_sql(&format!("{catalogs} {after}")), "t");
    let alone = "SELECT coalesce(n_tup_ins::text, 'unknown') FROM pgperf.relation_deltas WHERE relation_oid = 'reset_alone'::regclass AND sample_id =";
    assert_eq!(cluster.run_sql(&format!("{alone} {after}")), "unknown");
    // Since 19 the server says which one: this one counts on though each of its counts has changed, and it does not with the same count.
    if major() >= 19 {
        cluster.run_sql("CREATE TABLE another (id int)");
        wrote(10);
        sample(&cluster);
        cluster.run_sql("SELECT pg_stat_reset_single_table_counters('another'::regclass)");
        wrote(20);
        let counts_on = sample(&cluster);
        assert_eq!(cluster.run_sql(&format!("{alone} {counts_on}")), "20");
        cluster.run_sql("SELECT pg_stat_reset_single_table_counters('reset_alone'::regclass)");
        wrote(130);
        // A relation with as much activity as before would get no row.
        cluster.run_sql("SELECT count(*) FROM reset_alone");
        let again = sample(&cluster);
        assert_eq!(cluster.run_sql(&format!("{alone} {again}")), "unknown");
    }
    let after = sample(&cluster);
    let called = "SELECT count(*) FROM pgperf.findings(now() - interval '1 hour', clock_timestamp()) WHERE rule IN ('restart', 'statistics_reset')";
    assert_eq!(cluster.run_sql(called), "0");
    // All of the database's statistics, which is no restart either.
    cluster.run_sql("SELECT pg_stat_reset()");
    let reset = sample(&cluster);
    expect_break(
        &cluster,
        "a reset of the database's statistics",
        after,
        reset,
    );
    let named = "SELECT string_agg(rule || ' ' || (figures ->> 'reset'), ', ') \
                 FROM pgperf.findings(now() - interval '1 hour', clock_timestamp()) WHERE rule IN ('restart', 'statistics_reset')";
    assert_eq!(cluster.run_sql(named), "statistics_reset this database");
}

#[test]
fn a_killed_backend_breaks_the_series_like_a_crash() {
    let cluster = cluster();
    let before = sample(&cluster);
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
    expect_break(&cluster, "a killed backend", before, crashed);
    // Nobody had time to store the statements'.
    expect_no_differences(&cluster, &[STATEMENTS], "a killed backend", before, crashed);
    expect_differences(&cluster, &[HOST], before, crashed);
    let after = sample(&cluster);
    expect_exact(&cluster, crashed, after);
    expect_differences(&cluster, &[STATEMENTS, HOST], crashed, after);
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

/// A holder of the horizon is named so that it can be found.
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

    // Without these the slot is the oldest: it holds back the catalogs.
    cluster.run_sql("SELECT pg_current_xact_id()");
    let holder = |sample: &str| {
        cluster.run_sql(&format!(
            "SELECT horizon_holder FROM pgperf.wraparound_history \
             WHERE sample_id = {sample} AND relation_name IS NULL AND database_name = 'postgres'"
        ))
    };
    let alone = cluster.run_sql("SELECT pgperf.snapshot_wraparound()");
    assert_eq!(holder(&alone), "replication slot idle_slot");
    cluster.run_sql("SELECT pg_drop_replication_slot('idle_slot')");

    // A VACUUM shows an xmin, too, that keeps nothing from being removed.
    cluster.run_sql("CREATE TABLE vacuumed AS SELECT generate_series(1, 100000) AS id");
    let mut vacuum = cluster.connect();
    let pid: i32 = vacuum
        .query_one("SELECT pg_catalog.pg_backend_pid()", &[])
        .expect("a row")
        .get(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let slowly = "SET vacuum_cost_delay = '100ms'; SET vacuum_cost_limit = 1";
            vacuum.batch_execute(slowly).expect("settings");
            // Until it is cancelled.
            let _ = vacuum.batch_execute("VACUUM vacuumed");
        });
        let looks = format!(
            "SELECT count(*) FROM pg_stat_activity a JOIN pg_stat_progress_vacuum v USING (pid) \
             WHERE pid = {pid} AND a.backend_xmin IS NOT NULL"
        );
        wait_until("the VACUUM", PATIENCE, || cluster.run_sql(&looks) == "1");
        for _ in 0..5 {
            cluster.run_sql("SELECT pg_current_xact_id()");
        }
        let beside = cluster.run_sql("SELECT pgperf.snapshot_wraparound()");
        let told = cluster.run_sql(&format!(
            "SELECT count(*) FROM pgperf.horizon_history WHERE sample_id = {beside} AND pid = {pid}"
        ));
        let still = cluster.run_sql(&looks);
        let holder = holder(&beside);
        cluster.run_sql(&format!("SELECT pg_cancel_backend({pid})"));
        assert_eq!((told.as_str(), still.as_str()), ("0", "1"));
        assert!(!holder.contains(&pid.to_string()), "{holder}");
    });
}
