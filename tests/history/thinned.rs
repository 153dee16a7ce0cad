//! What the sampler leaves out because it hardly changed: nothing is lost by it.

use std::time::Duration;

use crate::common::runs::{NO_BUDGET, PATIENCE, Runs};
use crate::common::{Cluster, wait_until};
use postgres::Client;

/// A cluster whose sampler takes these collectors every second.
fn sampling(collectors: &str) -> (Cluster, Client) {
    let cluster = Cluster::with_pgperf(&[NO_BUDGET, "autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("UPDATE pgperf.collectors SET sample_interval = NULL");
    session.value(&format!(
        "UPDATE pgperf.collectors SET sample_interval = '1 s' WHERE name = ANY ('{{{collectors}}}')"
    ));
    (cluster, session)
}

/// Works until the sampler has taken so many more samples.
fn during(session: &mut Client, samples: i64, mut work: impl FnMut(&mut Client)) {
    let taken = "SELECT count(*) FROM pgperf.samples WHERE cadence IS NOT NULL AND complete";
    let before = session.number(taken);
    wait_until("samples", PATIENCE, || {
        work(session);
        session.number(taken) >= before + samples
    });
}

#[test]
fn postponed_rows_of_statements_lose_nothing() {
    let (_cluster, mut session) = sampling("statements");
    session.value("SELECT pgperf.start_sampler()");
    // One does nearly all of it; the others are called all the time, too. Names of columns do not tell statements apart, their number does.
    let numbers: Vec<String> = (1..=40)
        .map(|n| format!("SELECT /* rare_{n}. */ {}", vec!["1"; n].join(", ")))
        .collect();
    during(&mut session, 25, |session| {
        for _ in 0..100 {
            session.value("SELECT sum(n) AS frequent FROM generate_series(1, 1000) n");
        }
        for statement in &numbers {
            session.value(statement);
        }
    });
    session.value("SELECT pgperf.stop_sampler()");
    assert!(
        session.number("SELECT count(*) FROM pgperf.statement_history WHERE queryid = 0 AND postponed_since IS NOT NULL") > 5
    );
    let rows = |session: &mut Client, name: &str| {
        session.number(&format!(
            "SELECT count(*) FROM pgperf.statement_history JOIN pgperf.statement_texts USING (node_id, queryid, dbid) WHERE query LIKE '%{name}%'"
        ))
    };
    let (frequent, rare) = (
        rows(&mut session, "frequent"),
        rows(&mut session, "rare_7."),
    );
    assert!(
        frequent > 20 && (2..=frequent / 3).contains(&rare),
        "{frequent} and {rare}"
    );
    // A sample that somebody asks for has everything: the differences add up to what the server counted since the first row.
    session.value("SELECT count(*) FROM pgperf.snapshot('{statements}')");
    let wrong = session.value(
        "SELECT string_agg(format('%s: %s of %s', x.query, d.calls, x.calls - f.calls), ', ') \
         FROM pg_stat_statements x \
         CROSS JOIN LATERAL (SELECT h.calls FROM pgperf.statement_history h WHERE h.queryid = x.queryid ORDER BY h.sample_id LIMIT 1) f \
         CROSS JOIN LATERAL (SELECT sum(d.calls) AS calls FROM pgperf.statement_deltas d \
             WHERE d.queryid = x.queryid AND d.sample_id > (SELECT min(sample_id) FROM pgperf.statement_history h WHERE h.queryid = x.queryid)) d \
         WHERE x.query ~ 'rare_|frequent' AND x.query !~ 'pgperf' AND d.calls IS DISTINCT FROM x.calls - f.calls",
    );
    assert_eq!(wrong, "");
    // They were called all the time, so the times that the differences cover add up to all of it.
    let uncovered = session.value(
        "SELECT string_agg(format('%s: %s of %s', t.query, x.covered, x.whole), ', ') \
         FROM (SELECT d.queryid, sum(d.seconds) FILTER (WHERE d.calls > 0) AS covered, extract(epoch FROM max(d.taken_at) - min(d.taken_at))::float8 AS whole \
               FROM pgperf.statement_deltas d WHERE d.queryid <> 0 GROUP BY 1) x JOIN pgperf.statement_texts t USING (queryid) \
         WHERE t.query LIKE '%/* rare_%' AND NOT x.covered BETWEEN x.whole - 1.5 AND x.whole + 1.5",
    );
    assert_eq!(uncovered, "");
}

#[test]
fn shared_buffers_are_told_apart_now_and_then() {
    let (_cluster, mut session) = sampling("buffers");
    session.value("CREATE TABLE held AS SELECT generate_series(1, 100000) AS id");
    session.value("SELECT pgperf.start_sampler()");
    during(&mut session, 24, |session| {
        session.value("SELECT count(*) FROM held");
    });
    session.value("SELECT pgperf.stop_sampler()");
    let told_apart = "SELECT count(DISTINCT sample_id) FROM pgperf.buffer_usage_history WHERE relation_name = 'held'";
    let found = session.number(told_apart);
    assert!((2..=4).contains(&found), "{found}");
    // Whichever they are, all buffers are counted.
    assert_eq!(
        session.value(
            "SELECT string_agg(DISTINCT (buffers = (SELECT setting::int FROM pg_settings WHERE name = 'shared_buffers'))::text, ',') \
             FROM (SELECT sum(buffers) AS buffers FROM pgperf.buffer_usage_history GROUP BY sample_id) x"
        ),
        "true"
    );
    let counted = session.number("SELECT count(*) FROM pgperf.buffer_counter_history");
    assert!(counted >= 24, "{counted}");
    // What is read by relation is read of those.
    assert_eq!(
        session
            .number(
                "SELECT count(*) FROM pgperf.working_set() WHERE relation_name = 'held' LIMIT 1"
            )
            .min(1),
        1
    );
    for (what, found) in [
        (
            "the report",
            "SELECT pgperf.history_json(now() - interval '5 s', now())::text LIKE '%public.held%'",
        ),
        (
            "the metrics",
            "SELECT pgperf.metrics() LIKE '%pgperf_relation_cached_bytes{%relation=\"held\"%'",
        ),
    ] {
        assert_eq!(session.value(found), "t", "{what}");
    }
    // And of each hour such a one is kept.
    session.age_history("10 days");
    session.value("SELECT count(*) FROM pgperf.maintain()");
    let hours = session.number(
        "SELECT count(DISTINCT date_trunc('hour', taken_at)) FROM pgperf.buffer_usage_history",
    );
    assert_eq!(session.number(told_apart), hours);
}

#[test]
fn what_is_unchanged_is_not_measured_again() {
    let (_cluster, mut session) = sampling("bloat");
    for table in ["written", "vacuumed", "rewritten", "idle"] {
        session.batch_execute(&format!(
            "CREATE TABLE {table} (id int PRIMARY KEY, n int); INSERT INTO {table} SELECT g, 0 FROM generate_series(1, 2000) g; DELETE FROM {table} WHERE id % 2 = 0"
        )).expect(table);
    }
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT pgperf.start_sampler()");
    during(&mut session, 6, |_| {
        std::thread::sleep(Duration::from_millis(100))
    });
    let measured = |session: &mut Client| {
        session.value("SELECT string_agg(relation_name || ' ' || n, ', ' ORDER BY relation_name) FROM (SELECT relation_name, count(*) AS n FROM pgperf.bloat_history \
                       WHERE schema_name = 'public' AND relation_name !~ 'key' GROUP BY 1) x")
    };
    assert_eq!(
        measured(&mut session),
        "idle 1, rewritten 1, vacuumed 1, written 1"
    );
    session.value("UPDATE written SET n = 1 WHERE id < 100");
    session.value("VACUUM vacuumed");
    session.value("VACUUM FULL rewritten");
    session.value("SELECT pg_stat_force_next_flush()");
    during(&mut session, 6, |_| {
        std::thread::sleep(Duration::from_millis(100))
    });
    session.value("SELECT pgperf.stop_sampler()");
    assert_eq!(
        measured(&mut session),
        "idle 1, rewritten 2, vacuumed 2, written 2"
    );
    // It holds until the next one, in reports as well.
    let document = "pgperf.history_json(now() - interval '3 s', now())";
    assert_eq!(
        session.value(&format!("SELECT {document}::text LIKE '%public.idle%'")),
        "t"
    );
    // Whoever asks for a sample gets all.
    session.value("CALL pgperf.take_snapshot('{bloat}')");
    assert_eq!(
        measured(&mut session),
        "idle 2, rewritten 3, vacuumed 3, written 3"
    );
}

#[test]
fn as_many_as_before_a_reset_are_changes() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE counted (id int)");
    let insert = |session: &mut Client| {
        session.value("INSERT INTO counted SELECT generate_series(1, 100)");
        session.value("SELECT pg_stat_force_next_flush()");
        session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    };
    session.value("SELECT pg_stat_reset()");
    insert(&mut session);
    // Its first page is there already, and its counts come out the same.
    session.value("TRUNCATE counted");
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT pg_stat_reset()");
    insert(&mut session);
    let rows = session.value(
        "SELECT string_agg(n_tup_ins::text, ' ' ORDER BY sample_id) FROM pgperf.relation_history WHERE relation_name = 'counted'",
    );
    assert_eq!(rows, "100 100");
}

#[test]
fn each_has_a_row_of_the_last_day() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE idle AS SELECT generate_series(1, 100) AS id");
    session.value("SELECT pg_stat_force_next_flush()");
    session.value("SELECT count(*) FROM pgperf.snapshot('{tables}')");
    session.age_history("2 days");
    let status =
        "SELECT string_agg(concat_ws(' ', status, reason), ' ') FROM pgperf.snapshot('{tables}')";
    assert_eq!(session.value(status), "ok");
    let rows = "SELECT count(*) FROM pgperf.relation_history WHERE relation_name = 'idle'";
    assert_eq!(session.number(rows), 2);
}
