//! Partitions of the history are made, rolled up and dropped, and nothing that is to be kept is lost.
#![allow(clippy::expect_used)] // clippy sees a test only in a #[test] function

mod common;

use common::runs::{PATIENCE, Runs, at_once};
use common::{Cluster, wait_until};
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
            SELECT '{node}'::uuid AS node_id, nextval('pgperf.sample_id_seq') AS sample_id, n, \
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
        partition.starts_with("pgperf.wal_history_20"),
        "{partition}, today is {today}"
    );
    for table in ["samples", "settings_history", "bloat_history"] {
        assert_eq!(count(&mut session, &format!("pgperf.{table}_kept")), 0);
    }
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    // Today and three days ahead, for every table.
    let days = "SELECT count(*) FROM pgperf.history_partitions WHERE level = 'raw' AND ends_at > now() \
                AND table_name = 'wal_history'";
    assert!(session.number(days) >= 4);
    let unindexed = session.number(
        "SELECT count(*) FROM pgperf.history_partitions p JOIN pgperf.history_tables t USING (table_name) \
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
    // What is kept by the hour of a month that goes on: that much, and not up to the month's end.
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
    assert_eq!(count(&mut session, "pgperf.database_history_rest"), 432);
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
    assert_eq!(count(&mut session, "pgperf.database_history_rest"), 0);
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
    assert_eq!(count(&mut session, "pgperf.pinned_runs"), 0);
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

#[test]
fn a_run_is_deleted_from_all_levels() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    session.age_history("50 days");
    maintain(&mut session);
    assert!(
        count(
            &mut session,
            &format!("pgperf.wal_history_kept WHERE run_id = {run}")
        ) > 0
    );
    session.value(&format!("SELECT pgperf.delete_run({run})"));
    for table in ["samples", "wal_history", "database_history"] {
        let rows = count(
            &mut session,
            &format!("pgperf.{table} WHERE run_id = {run}"),
        );
        assert_eq!(rows, 0, "{table}");
    }
}

#[test]
fn runs_and_texts_have_a_retention_of_their_own() {
    let cluster = Cluster::with_pgperf(&["pgperf.run_retention = 0"]);
    let mut session = cluster.connect();
    let runs = [(); 3].map(|()| {
        session.finish_run(
            "script => 'SELECT 1;', transactions_per_client => 3, transaction_log => true, collectors => '{wal, statements}'",
        )
    });
    let [pinned, old, new] = runs;
    session.value(&format!("SELECT pgperf.pin_run({pinned})"));
    session.value(&format!(
        "UPDATE pgperf.stored_runs SET ended_at = ended_at - interval '366 days' WHERE run_id <> {new}"
    ));
    session.value(
        "INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query) \
         VALUES (pgperf.local_node(), 4711, 1, now(), 'SELECT forgotten')",
    );
    let kept = |session: &mut Client| {
        session.value("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM pgperf.runs")
    };
    let texts = count(&mut session, "pgperf.statement_texts");
    assert_eq!(maintain(&mut session), ["deleted statement_texts 1"]);
    assert_eq!(count(&mut session, "pgperf.statement_texts"), texts - 1);
    assert_eq!(kept(&mut session), format!("{pinned},{old},{new}"));
    let size = |session: &mut Client, level: &str| {
        session.value(&format!(
            "SELECT string_agg(table_name, ',' ORDER BY table_name) FROM pgperf.history_size \
             WHERE level = '{level}' AND bytes > 8192 AND oldest_at IS NOT NULL AND newest_at >= oldest_at"
        ))
    };
    assert!(size(&mut session, "runs").contains("run_intervals"));
    assert!(size(&mut session, "runs").contains("run_transactions"));
    assert_eq!(size(&mut session, "texts"), "statement_texts");

    // By default a year.
    cluster.reconfigure(&["pgperf.run_retention = '365d'"]);
    let done = maintain(&mut session);
    assert!(
        done[0].starts_with(&format!("deleted runs {old} ")),
        "{done:?}"
    );
    assert_eq!(kept(&mut session), format!("{pinned},{new}"));
    for table in [
        "run_intervals",
        "run_transactions",
        "samples",
        "wal_history",
        "statement_history",
    ] {
        let of = |run: i64| format!("pgperf.{table} WHERE run_id = {run}");
        assert_eq!(count(&mut session, &of(old)), 0, "{table}");
        assert!(count(&mut session, &of(pinned)) > 0, "{table}");
    }
    assert_eq!(maintain(&mut session), [""; 0]);
}

/// Of what a retention could take, these stay: what somebody compares with, and what somebody has brought here.
#[test]
fn runs_of_baselines_and_imported_ones_have_no_retention() {
    let elsewhere = Cluster::with_pgperf(&[]);
    let mut origin = elsewhere.connect();
    let run = |session: &mut Client| {
        session.finish_run(
            "script => 'SELECT 1;', transactions_per_client => 3, collectors => '{wal}'",
        )
    };
    let theirs = run(&mut origin);
    let document = origin.value(&format!("SELECT pgperf.export_run({theirs})"));

    let cluster = Cluster::with_pgperf(&["pgperf.run_retention = '365d'"]);
    let mut session = cluster.connect();
    let (old, named, new) = (run(&mut session), run(&mut session), run(&mut session));
    session.value(&format!("SELECT pgperf.set_baseline('nightly', {named})"));
    let imported = session.number(&format!(
        "SELECT pgperf.import_run($doc${document}$doc$::jsonb)"
    ));
    // It stays for more than being pinned, which import_run does.
    session.value(&format!("SELECT pgperf.pin_run({imported}, false)"));
    session.value(&format!(
        "UPDATE pgperf.stored_runs SET ended_at = ended_at - interval '366 days' WHERE run_id <> {new}"
    ));
    let kept = |session: &mut Client| {
        session.value("SELECT string_agg(run_id::text, ',' ORDER BY run_id) FROM pgperf.runs")
    };
    let done = maintain(&mut session);
    assert!(
        done.iter()
            .any(|line| line.starts_with(&format!("deleted runs {old} "))),
        "{done:?}"
    );
    assert_eq!(kept(&mut session), format!("{named},{new},{imported}"));
    assert_eq!(count(&mut session, "pgperf.baselines"), 1);

    // Samples are kept with baselines, too.
    session.age_history("1000 days");
    maintain(&mut session);
    let samples = |run: i64| format!("pgperf.wal_history WHERE run_id = {run}");
    assert!(count(&mut session, &samples(named)) > 0);
    assert_eq!(count(&mut session, &samples(new)), 0);
    session.value("SELECT pgperf.drop_baseline('nightly')");
    maintain(&mut session);
    assert_eq!(kept(&mut session), format!("{new},{imported}"));
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
fn a_call_keeps_to_its_budget_and_to_a_part_of_the_locks() {
    let cluster = Cluster::with_pgperf(&["max_connections = 60"]);
    let mut session = cluster.connect();
    // Without time there are only the partitions that samples need now.
    let ahead = "SELECT count(DISTINCT starts_at) FROM pgperf.history_partitions WHERE table_name = 'wal_history' AND ends_at > now()";
    let left = "SELECT string_agg(DISTINCT note, '; ') FROM pgperf.maintain(20, '1 us') WHERE action = 'left' AND table_name = 'wal_history'";
    assert_eq!(
        session.value(left),
        "19 partitions of days ahead: the time is over"
    );
    assert_eq!(session.number(ahead), 2);
    forge_day(&mut session, 50);
    assert_eq!(session.value(left).matches("the time is over").count(), 1);
    let due = "SELECT count(*) FROM pgperf.maintain(3, '1 us') WHERE action = 'left' AND object LIKE 'database_history%'";
    assert_eq!(session.number(due), 1, "rows that wait for their partition");

    // Room for 64 * 60 locks, of which a quarter.
    let mut calls = 0;
    let mut most = 0;
    loop {
        let mut transaction = session.transaction().expect("a transaction");
        let row = transaction
            .query_one(
                "SELECT count(*) FILTER (WHERE action = 'left'), count(*) FILTER (WHERE action = 'created'), \
                        coalesce(string_agg(DISTINCT regexp_replace(note, '^.*: ', ''), '; ') FILTER (WHERE action = 'left'), '') \
                 FROM pgperf.maintain(60, '1 h')",
                &[],
            )
            .expect("maintain()");
        let (left, created, why): (i64, i64, String) = (row.get(0), row.get(1), row.get(2));
        let locks: i64 = transaction
            .query_one(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()",
                &[],
            )
            .expect("the locks")
            .get(0);
        transaction.commit().expect("COMMIT");
        most = most.max(locks);
        calls += 1;
        if left == 0 {
            break;
        }
        assert!(
            created > 0 && calls < 60,
            "call {calls}: {created} created, left: {why}"
        );
        assert_eq!(
            why,
            "the transaction holds a quarter of the locks that the server has room for"
        );
    }
    assert!(calls > 2, "{calls} calls");
    assert!(most < 64 * 60 / 2, "{most} locks");
    assert_eq!(session.number(ahead), 61);
}

#[test]
fn times_that_nothing_can_have_are_in_nobodys_way() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let samples = "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
        SELECT pgperf.local_node(), -n, at::timestamptz, 1, 1, 1, 1, 1, '{}' FROM unnest($1::text[]) WITH ORDINALITY a (at, n)";
    let times = ["infinity", "-infinity", "2999-01-01", "0044-03-15 BC"];
    session
        .execute(samples, &[&times.as_slice()])
        .expect("samples");
    let before = count(
        &mut session,
        "pgperf.history_partitions WHERE table_name = 'samples'",
    );
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    assert_eq!(maintain(&mut session), Vec::<String>::new());
    let after = count(
        &mut session,
        "pgperf.history_partitions WHERE table_name = 'samples'",
    );
    assert!(after <= before + 4, "{before}, then {after}");
    assert_eq!(count(&mut session, "pgperf.samples_rest"), 4);
}

/// No foreign key sees to it.
#[test]
fn a_deleted_run_leaves_nothing() {
    let cluster = Cluster::with_data(&[]);
    let mut session = cluster.connect();
    let arguments = "'tpcb-like', clients => 2, duration => '1 s', sample_interval => '0.2 s', transaction_log => true";
    let kept = session.finish_run(arguments);
    let run = session.finish_run(arguments);
    session.value(&format!("SELECT pgperf.pin_run({run})"));
    let interrupted = session.start_busy_run(
        "script => 'SELECT 1;', rate => 50, duration => '1 h', sample_interval => '0.2 s', resume => true",
    );
    let leader = session.leader(interrupted);
    session.value(&format!("SELECT pg_terminate_backend({leader})"));
    session.wait_for_status(interrupted, "interrupted");
    let failed = session.start_run("script => 'SELECT 1 / 0;', transactions_per_client => 1");
    session.wait_for_status(failed, "failed");
    session.value("SELECT pgperf.start_sweep('select-only', clients => '{1}', repetitions => 1, transactions_per_client => 5)");
    session.value("CALL pgperf.wait_sweep()");
    let of_sweep = session.number("SELECT run_id FROM pgperf.sweep_attempts");

    let tables: Vec<String> = session
        .query(
            "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'run_id' \
             WHERE c.relnamespace = 'pgperf'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
               AND c.relname <> 'data_sets'",
            &[],
        )
        .expect("the tables")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let rows = |session: &mut Client, run: i64| -> Vec<(String, i64)> {
        let of = |table: &String| count(session, &format!("pgperf.{table} WHERE run_id = {run}"));
        let counts: Vec<i64> = tables.iter().map(of).collect();
        let filled = tables.iter().cloned().zip(counts);
        filled.filter(|(_, rows)| *rows > 0).collect()
    };
    let before = rows(&mut session, kept);
    assert!(before.len() > 15, "{before:?}");
    for run in [run, interrupted, failed, of_sweep] {
        assert!(!rows(&mut session, run).is_empty());
        assert_eq!(
            session.value(&format!("SELECT pgperf.delete_run({run})")),
            "t"
        );
        assert_eq!(rows(&mut session, run), [], "run {run}");
    }
    assert_eq!(rows(&mut session, kept), before);
    assert_eq!(
        count(&mut session, "pgperf.sweep_attempts WHERE run_id IS NULL"),
        1
    );
    assert_eq!(
        session.value("SELECT pgperf.delete_sweep((SELECT sweep_id FROM pgperf.sweeps))"),
        "t"
    );
    for table in ["stored_sweeps", "stored_sweep_points", "sweep_attempts"] {
        assert_eq!(
            count(&mut session, &format!("pgperf.{table}")),
            0,
            "{table}"
        );
    }
    let health =
        "SELECT status || ' ' || detail FROM pgperf.doctor() WHERE check_name = 'history_rows'";
    assert!(session.value(health).starts_with("ok "));
    session.value(&format!(
        "DELETE FROM pgperf.stored_runs WHERE run_id = {kept}"
    ));
    let told = session.value(health);
    assert!(
        told.starts_with("warning ") && told.contains("run_intervals (1 runs)"),
        "{told}"
    );
}

#[test]
fn a_run_that_somebody_refers_to_meanwhile_is_not_deleted() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    let run = session.finish_run("script => 'SELECT 1;', transactions_per_client => 1");
    let mut other = cluster.connect();
    let mut transaction = other.transaction().expect("a transaction");
    transaction
        .batch_execute(&format!("SELECT pgperf.set_baseline('nightly', {run})"))
        .expect("set_baseline()");
    let deletion = std::thread::spawn(move || {
        let result = session.query_one(&format!("SELECT pgperf.delete_run({run})"), &[]);
        result
            .map(drop)
            .map_err(|error| error.code().expect("an SQLSTATE").code().to_owned())
    });
    let mut watcher = cluster.connect();
    wait_until("the deletion to wait", PATIENCE, || {
        count(
            &mut watcher,
            "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%delete_run%' AND pid <> pg_backend_pid()",
        ) == 1
    });
    transaction.commit().expect("COMMIT");
    let refused = deletion.join().expect("the deletion");
    assert!(refused.is_err(), "deleted while it became a baseline");
    assert_eq!(
        count(
            &mut watcher,
            "pgperf.baselines JOIN pgperf.stored_runs USING (node_id, run_id)"
        ),
        1
    );
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
    let cluster = Cluster::with_pgperf(&["pgperf.maintain_interval = 0"]);
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
    // It goes on with samples.
    let taken = count(&mut session, samples);
    wait_until("further samples", PATIENCE, || {
        count(&mut session, samples) >= taken + 2
    });
    session.value("SELECT pgperf.stop_sampler()");
}
