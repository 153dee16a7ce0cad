//! Partitions of the history are made, rolled up and dropped, and nothing that is to be kept is lost.

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs, at_once};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// What `pgperf.maintain()` says, one line for each thing done but the making of partitions.
fn maintain(session: &mut Client) -> Vec<String> {
    let lines = session.value(
        "SELECT string_agg(concat_ws(' ', action, table_name, regexp_replace(object, '^.*_', ''), rows, note), E'\\n') \
         FROM pgperf.maintain() WHERE action <> 'created'",
    );
    lines.lines().map(str::to_owned).collect()
}

/// Stores a day of samples, one every ten minutes, `days` ago: one counter of the server and of two tables. The first
/// table changes all the time, the other one at 05:00 only, and the server begins to count anew at 12:30.
fn forge_day(session: &mut Client, days: i64) {
    let node = session.value("SELECT pgperf.local_node()");
    let sql = format!(
        "WITH forged AS MATERIALIZED ( \
            SELECT '{node}'::uuid AS node_id, nextval('pgperf_internal.sample_id_seq') AS sample_id, n, \
                   (date_trunc('day', now() AT TIME ZONE 'UTC') - interval '{days} days' + n * interval '10 min') \
                       AT TIME ZONE 'UTC' AS taken_at, \
                   CASE WHEN n < 75 THEN 1 ELSE 2 END AS epoch, 1000 + (n % 75) * 7 AS counter \
            FROM generate_series(0, 143) n), \
         s AS (INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
            SELECT node_id, sample_id, taken_at, epoch, 1, 1, 1, 1, '{{}}' FROM forged), \
         d AS (INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, xact_commit) \
            SELECT node_id, sample_id, taken_at, counter FROM forged) \
         INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, before_sample_id, n_tup_ins, left_out) \
         SELECT f.node_id, f.sample_id, f.taken_at, o.relation_oid, \
                CASE WHEN o.relation_oid > 0 THEN o.before END, o.counter, CASE WHEN o.relation_oid = 0 THEN 0 END \
         FROM forged f CROSS JOIN LATERAL ( \
            SELECT 0 AS relation_oid, NULL::bigint AS before, f.counter UNION ALL \
            SELECT 1, CASE WHEN f.n > 0 THEN f.sample_id - 1 END, f.counter UNION ALL \
            SELECT 2, CASE WHEN f.n = 30 THEN f.sample_id - 30 END, f.counter WHERE f.n IN (0, 30)) o"
    );
    session.batch_execute(&sql).expect("forged samples");
}

/// What is stored of the forged days: of the database and the two tables the rows' number, the sum of the differences,
/// and how many differences are unknown.
fn forged(session: &mut Client) -> [String; 3] {
    [
        "SELECT concat_ws(' ', count(*), sum(xact_commit), count(*) - count(xact_commit)) FROM pgperf.database_deltas \
         WHERE taken_at < now() - interval '2 days'",
        "SELECT concat_ws(' ', count(*), sum(n_tup_ins), count(*) - count(n_tup_ins)) FROM pgperf.relation_deltas \
         WHERE relation_oid = 1",
        "SELECT concat_ws(' ', count(*), sum(n_tup_ins), count(*) - count(n_tup_ins)) FROM pgperf.relation_deltas \
         WHERE relation_oid = 2",
    ]
    .map(|sql| session.value(sql))
}

fn count(session: &mut Client, from: &str) -> i64 {
    session.number(&format!("SELECT count(*) FROM {from}"))
}

#[test]
fn samples_lie_in_partitions_that_nobody_had_to_make() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    let today = session.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')");
    let partition = session.value("SELECT tableoid::regclass FROM pgperf.wal_history");
    // A test that goes over midnight is right either way.
    assert!(
        partition.starts_with("pgperf_internal.wal_history_20"),
        "{partition}, today is {today}"
    );
    for table in ["samples", "settings_history", "bloat_history"] {
        assert_eq!(
            count(&mut session, &format!("pgperf_internal.{table}_kept")),
            0
        );
    }
    // The next one sees that they are there.
    session.value("SET track_functions = 'pl'");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.value("SELECT pg_stat_force_next_flush()");
    let made = "pg_stat_user_functions WHERE funcname = 'make_partitions'";
    assert_eq!(count(&mut session, made), 0);
    session.value("RESET track_functions");
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    // Today and three days ahead, for every table.
    let days = "SELECT count(*) FROM pgperf.history_partitions WHERE level = 'raw' AND ends_at > now() \
                AND table_name = 'wal_history'";
    assert!(session.number(days) >= 4);
    let unindexed = session.number(
        "SELECT count(*) FROM pgperf.history_partitions p JOIN pgperf_internal.history_tables t USING (table_name) \
         WHERE cardinality(t.indexes) + (t.key IS NOT NULL)::int <> (SELECT count(*) FROM pg_index i WHERE i.indrelid = p.partition)",
    );
    assert_eq!(unindexed, 0);
    // Of a moment nobody can say what a day takes.
    assert_eq!(
        session.value(
            "SELECT bytes_per_day FROM pgperf.history_size WHERE table_name = 'samples' AND level = 'raw'"
        ),
        ""
    );
}

#[test]
fn bytes_a_day_go_by_the_time_that_samples_cover() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Two hours of yesterday, a sample a minute.
    session.value(
        "WITH forged AS (SELECT pgperf.local_node() AS node_id, n AS sample_id, \
                (date_trunc('day', now() AT TIME ZONE 'UTC') - interval '14 h' + n * interval '1 min') AT TIME ZONE 'UTC' AS taken_at \
            FROM generate_series(0, 120) n), \
         s AS (INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
            SELECT node_id, sample_id, taken_at, 1, 1, 1, 1, 1, '{}' FROM forged) \
         INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, looks, seen) \
         SELECT node_id, sample_id, taken_at, 'activity', 1, 1 FROM forged",
    );
    maintain(&mut session);
    let per_day = "SELECT round((s.bytes_per_day / p.bytes)::numeric, 3) FROM pgperf.history_size s, \
            (SELECT sum(pg_total_relation_size(partition)) AS bytes FROM pgperf.history_partitions \
             WHERE table_name = 'wait_history' AND level = 'raw' AND pg_relation_size(partition) > 0) p \
         WHERE s.table_name = 'wait_history' AND s.level = 'raw'";
    assert_eq!(session.value(per_day), "12.000");
    // Rows kept by the hour in the current month: that many, and not up to the month's end.
    session.value("UPDATE pgperf.collectors SET retention = '1 second' WHERE name = 'waits'");
    session.value("UPDATE pgperf.wait_history SET taken_at = taken_at - interval '1 day'");
    session.value("UPDATE pgperf.samples SET taken_at = taken_at - interval '1 day'");
    maintain(&mut session);
    assert_eq!(
        session.value(
            "SELECT s.level || ' ' || (s.bytes_per_day / s.bytes)::int FROM pgperf.history_size s \
             WHERE s.table_name = 'wait_history' AND bytes_per_day IS NOT NULL"
        ),
        "hourly 12"
    );
}

#[test]
fn what_is_rolled_up_has_the_same_differences() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // Days that come when their partitions are long over lie in the default partition first. A whole month in between.
    for days in [200, 51, 50] {
        forge_day(&mut session, days);
    }
    assert_eq!(
        count(&mut session, "pgperf_internal.database_history_rest"),
        432
    );
    // Each day 142 steps of 7, from one day to the next none (the counter is lower), twice unknown.
    let before = forged(&mut session);
    assert_eq!(before[0], "432 2982 6");

    let done = maintain(&mut session);
    assert!(
        done.iter()
            .filter(|line| line.starts_with("moved database"))
            .count()
            == 3
            && done.iter().all(|line| !line.starts_with("left")),
        "{done:#?}"
    );
    assert_eq!(
        count(&mut session, "pgperf_internal.database_history_rest"),
        0
    );
    // Of each hour the last sample, and one more where the counters began again; of the oldest day two.
    let levels = session.value(
        "SELECT string_agg(concat_ws(' ', substring(tableoid::regclass::text, '(hourly|daily)'), n), ', ' ORDER BY n) \
         FROM (SELECT tableoid, count(*) AS n FROM pgperf.database_history WHERE taken_at < now() - interval '2 days' \
               GROUP BY 1) x",
    );
    let hourly: i64 = levels
        .replace("daily 2", "")
        .split(' ')
        .filter_map(|word| word.trim_matches(',').parse::<i64>().ok())
        .sum();
    assert!(levels.starts_with("daily 2, hourly"), "{levels}");
    assert_eq!(hourly, 50);
    // The last sample of an hour is that at minute 50; of the hour of the reset also that at 12:20.
    assert_eq!(
        session.value(
            "SELECT string_agg(DISTINCT to_char(taken_at AT TIME ZONE 'UTC', 'MI'), ',') FROM pgperf.database_history \
             WHERE tableoid::regclass::text LIKE '%hourly%'"
        ),
        "20,50"
    );
    // Of a day with hours 5 steps of the first and 2 of the reset's are gone, all else adds up; of the other day nothing
    // but the end of each epoch is known.
    let after = forged(&mut session);
    assert_eq!(after[0], "52 1890 6");
    let samples = count(
        &mut session,
        "pgperf.samples WHERE taken_at < now() - interval '2 days'",
    );
    assert!((52..=60).contains(&samples), "{samples}");

    // Hours become days when theirs are over, and days go in the end.
    session.value("UPDATE pgperf.collectors SET hourly_retention = '10 days'");
    let done = maintain(&mut session);
    assert!(
        done.iter()
            .any(|line| line.starts_with("rolled up database")),
        "{done:#?}"
    );
    assert_eq!(
        count(
            &mut session,
            "pgperf.database_history WHERE taken_at < now() - interval '2 days'"
        ),
        6
    );
    session.value("UPDATE pgperf.collectors SET daily_retention = '10 days'");
    maintain(&mut session);
    assert_eq!(
        count(
            &mut session,
            "pgperf.database_history WHERE taken_at < now() - interval '2 days'"
        ),
        0
    );
    assert_eq!(
        count(
            &mut session,
            "pgperf.samples WHERE taken_at < now() - interval '2 days'"
        ),
        0
    );
    assert_eq!(maintain(&mut session), Vec::<String>::new());
}

#[test]
fn rows_of_what_changed_stay_connected() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    forge_day(&mut session, 50);
    // 74 + 68 steps of 7; the first, and that at which counting began again.
    assert_eq!(forged(&mut session)[1], "144 994 2");
    assert_eq!(forged(&mut session)[2], "2 210 1");
    maintain(&mut session);
    // 5 steps of the first hour are gone, 2 more in that of the reset.
    assert_eq!(forged(&mut session)[1], "25 945 2");
    assert_eq!(forged(&mut session)[2], "2 210 1");
}

#[test]
fn a_pinned_run_survives() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let runs = [(); 2].map(|()| {
        session.finish_run(
            "script => 'SELECT 1;', transactions_per_client => 1, collectors => '{wal, tables}'",
        )
    });
    session.age_history("1000 days");
    let [pinned, other] = runs;
    let rows = |session: &mut Client, run: i64| {
        ["samples", "wal_history", "relation_history"]
            .map(|table| count(session, &format!("pgperf.{table} WHERE run_id = {run}")))
    };
    let before = rows(&mut session, pinned);
    assert!(before.iter().all(|&rows| rows >= 2), "{before:?}");
    assert_eq!(
        session.value(&format!("SELECT pgperf.pin_run({pinned})")),
        "t"
    );
    assert_eq!(
        session.value(&format!("SELECT pgperf.pin_run({pinned})")),
        "f"
    );
    for _ in 0..2 {
        maintain(&mut session);
        assert_eq!(rows(&mut session, pinned), before);
        assert_eq!(rows(&mut session, other), [0; 3]);
    }
    session.value(&format!("SELECT pgperf.pin_run({pinned}, false)"));
    maintain(&mut session);
    assert_eq!(rows(&mut session, pinned), [0; 3]);
    // The runs themselves stay, and go with all they have.
    assert_eq!(count(&mut session, "pgperf.runs"), 2);
    session.value(&format!("SELECT pgperf.pin_run({other})"));
    assert_eq!(
        session.value(&format!("SELECT pgperf.delete_run({other})")),
        "t"
    );
    assert_eq!(count(&mut session, "pgperf_internal.pinned_runs"), 0);
}

#[test]
fn a_lock_is_not_waited_for_and_holds_up_its_table_alone() {
    let cluster = Cluster::with_pgperf(&[]);
    let (mut session, mut reader) = (cluster.connect(), cluster.connect());
    forge_day(&mut session, 1000);
    maintain_until_moved(&mut session);
    forge_day(&mut session, 1001);
    let mut transaction = reader.transaction().expect("a transaction");
    transaction
        .batch_execute("SELECT FROM pgperf.database_history")
        .expect("a lock");
    let done = at_once("maintain() beside a reader", || maintain(&mut session));
    let left: Vec<_> = done
        .iter()
        .filter(|line| line.starts_with("left"))
        .collect();
    assert!(
        !left.is_empty()
            && left
                .iter()
                .all(|line| line.starts_with("left database_history")
                    && line.contains("lock timeout")),
        "{done:#?}"
    );
    let old = "taken_at < now() - interval '2 days'";
    assert_eq!(
        count(
            &mut session,
            &format!("pgperf.relation_history WHERE {old}")
        ),
        0
    );
    assert_eq!(
        count(
            &mut session,
            &format!("pgperf.database_history WHERE {old}")
        ),
        144
    );
    transaction.rollback().expect("the lock's release");
    maintain(&mut session);
    assert_eq!(
        count(
            &mut session,
            &format!("pgperf.database_history WHERE {old}")
        ),
        0
    );
    assert_eq!(
        count(&mut session, &format!("pgperf.samples WHERE {old}")),
        0
    );
}

/// Leaves nothing old behind, so that what is left later is the reader's doing.
fn maintain_until_moved(session: &mut Client) {
    maintain(session);
    assert_eq!(
        count(
            session,
            "pgperf.samples WHERE taken_at < now() - interval '2 days'"
        ),
        0
    );
}

/// Samples of a run's intervals hold less than others, so that another one is kept of an hour that has one.
#[test]
fn whole_samples_are_kept_before_those_of_a_run() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    // At 03:10 a whole sample, then a run with one at its start (03:20) and those of its intervals; at 04:… only intervals.
    session.value(
        "WITH s AS (INSERT INTO pgperf.samples (node_id, sample_id, taken_at, run_id, cadence, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
            SELECT pgperf.local_node(), n, (date_trunc('day', now() AT TIME ZONE 'UTC') - interval '50 days' + at) AT TIME ZONE 'UTC', \
                   run, cadence, 1, 1, 1, 1, 1, '{}' \
            FROM (VALUES (1, time '03:10', NULL::bigint, NULL::interval), (2, '03:30', 7, '1 s'), (3, '03:50', 7, '1 s'), \
                         (4, '04:10', 7, '1 s'), (5, '04:20', 7, '1 s'), \
                         (6, '05:10', 7, '1 s'), (7, '05:20', 7, NULL), (8, '05:30', 7, '1 s'), \
                         (9, '06:10', 7, '1 s'), (10, '06:20', NULL, '1 min')) v (n, at, run, cadence) RETURNING *), \
         d AS (INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, run_id) \
            SELECT node_id, sample_id, taken_at, run_id FROM s) \
         INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, run_id, relation_oid, n_tup_ins) \
         SELECT node_id, sample_id, taken_at, run_id, 1, sample_id FROM s",
    );
    maintain(&mut session);
    for table in ["database_history", "relation_history"] {
        let kept = format!(
            "SELECT string_agg(sample_id::text, ',' ORDER BY sample_id) FROM pgperf.{table} WHERE taken_at < now() - interval '2 days'"
        );
        assert_eq!(session.value(&kept), "1,5,7,10", "{table}");
    }
}

#[test]
fn the_partitions_go_with_the_extension() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    session.age_history("50 days");
    maintain(&mut session);
    session.value("DROP EXTENSION pgperf");
    assert_eq!(
        count(
            &mut session,
            "pg_class WHERE relname LIKE '%\\_history\\_%'"
        ),
        0
    );
    session.value("CREATE EXTENSION pgperf");
    session.value("SELECT count(*) FROM pgperf.snapshot()");
    assert_eq!(count(&mut session, "pgperf.samples"), 1);
}

#[test]
fn a_sampler_sees_to_it() {
    let cluster = Cluster::with_pgperf(&["pgperf.maintain_interval = 0", NO_BUDGET]);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL WHERE name <> 'wal'");
    session.value("UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = 'wal'");
    session.value("SELECT count(*) FROM pgperf.snapshot('{wal}')");
    session.age_history("3 years");
    let old = "pgperf.samples WHERE taken_at < now() - interval '2 years'";
    assert_eq!(count(&mut session, old), 1);
    session.value("SELECT pgperf.start_sampler()");
    let samples = "pgperf.samples WHERE cadence IS NOT NULL";
    wait_until("two samples", PATIENCE, || {
        count(&mut session, samples) >= 2
    });
    assert_eq!(count(&mut session, old), 1);
    session.value("ALTER SYSTEM SET pgperf.maintain_interval = '1 s'");
    session.value("SELECT pg_reload_conf()");
    wait_until("the old sample to go", PATIENCE, || {
        count(&mut session, old) == 0
    });
    // Sampling continues.
    let taken = count(&mut session, samples);
    wait_until("further samples", PATIENCE, || {
        count(&mut session, samples) >= taken + 2
    });
    session.value("SELECT pgperf.stop_sampler()");
}
