//! Differences of objects that came or went between two samples: given where they can be proved, otherwise unknown.

use crate::common::Cluster;
use crate::common::runs::Runs;
use postgres::Client;

fn sample(session: &mut Client, collector: &str) {
    session.value("SELECT pg_stat_force_next_flush()");
    session.value(&format!(
        "SELECT count(*) FROM pgperf.snapshot('{{{collector}}}')"
    ));
}

/// Of the newest row of a view: a column and whether the time is known.
fn newest(session: &mut Client, view: &str, column: &str, condition: &str) -> String {
    session.value(&format!(
        "SELECT coalesce(({column})::text, 'unknown') || CASE WHEN seconds > 0 THEN '' ELSE ' without time' END \
         FROM pgperf.{view} WHERE {condition} ORDER BY sample_id DESC LIMIT 1"
    ))
}

#[test]
fn a_table_that_was_created_since_counts_from_zero() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value("CREATE TABLE old AS SELECT generate_series(1, 1000) AS id");
    session.value("CREATE INDEX old_id ON old (id)");
    session.value("SET enable_seqscan = off");
    sample(&mut session, "tables");
    let inserted = |session: &mut Client, table: &str| {
        newest(
            session,
            "relation_deltas",
            "n_tup_ins",
            &format!("relation_name = '{table}'"),
        )
    };
    assert_eq!(inserted(&mut session, "old"), "unknown without time");
    session.value("CREATE TABLE new AS SELECT generate_series(1, 30) AS id");
    sample(&mut session, "tables");
    assert_eq!(inserted(&mut session, "new"), "30");
    session.value("INSERT INTO new VALUES (1), (2)");
    sample(&mut session, "tables");
    assert_eq!(inserted(&mut session, "new"), "2");

    // The new index takes over what the old one had counted.
    for id in 1..=7 {
        session.value(&format!("SELECT * FROM old WHERE id = {id}"));
    }
    sample(&mut session, "tables");
    session.value("REINDEX INDEX CONCURRENTLY old_id");
    session.value("SELECT * FROM old WHERE id = 8");
    sample(&mut session, "tables");
    assert_eq!(
        newest(
            &mut session,
            "relation_deltas",
            "idx_scan",
            "relation_name = 'old_id'"
        ),
        "unknown"
    );
    assert_eq!(
        session.number(
            "SELECT idx_scan FROM pgperf.relation_history WHERE relation_name = 'old_id' ORDER BY sample_id DESC LIMIT 1"
        ),
        8
    );

    // An object that was created and then lost its counters is unknown, too.
    session.value("CREATE TABLE reset AS SELECT generate_series(1, 30) AS id");
    session.value("SELECT pg_stat_reset_single_table_counters('reset'::regclass)");
    session.value("INSERT INTO reset VALUES (1)");
    sample(&mut session, "tables");
    assert_eq!(inserted(&mut session, "reset"), "unknown");
}

#[test]
fn sums_are_unknown_where_a_member_was_dropped() {
    let cluster = Cluster::with_pgperf(&["autovacuum = off"]);
    let mut session = cluster.connect();
    session.value(
        "CREATE TABLE stays (id int); CREATE TABLE goes AS SELECT generate_series(1, 500) AS id",
    );
    session.value("CREATE DATABASE gone");
    sample(&mut session, "database, tables");
    let sums = |session: &mut Client| {
        session.value("INSERT INTO stays SELECT generate_series(1, 10000)");
        sample(session, "database, tables");
        [
            ("relation_deltas", "n_tup_ins > 10000", "relation_oid = 0"),
            (
                "database_deltas",
                "xact_commit > 0",
                "database_name IS NULL",
            ),
        ]
        .map(|(view, column, members)| newest(session, view, column, members))
    };
    assert_eq!(sums(&mut session), ["true", "true"]);
    session.value("CREATE TABLE comes (id int)");
    assert_eq!(sums(&mut session), ["true", "true"]);
    session.value("DROP TABLE goes");
    assert_eq!(sums(&mut session), ["unknown", "true"]);
    assert_eq!(sums(&mut session), ["true", "true"]);
    session.value("DROP DATABASE gone");
    assert_eq!(sums(&mut session), ["true", "unknown"]);
    assert_eq!(sums(&mut session), ["true", "true"]);
    // Members have their own differences all the while.
    session.value("DROP TABLE comes");
    sums(&mut session);
    assert_eq!(
        newest(
            &mut session,
            "relation_deltas",
            "n_tup_ins",
            "relation_name = 'stays'"
        ),
        "10000"
    );
}

/// Stores samples as a server of another version would: an hour apart, of these epochs.
fn forge_samples(session: &mut Client, epochs: &[i64]) {
    for (hour, epoch) in epochs.iter().enumerate() {
        session.value(&format!(
            "INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
             VALUES (pgperf.local_node(), {hour}, '2026-01-01 {hour}:00+00', {epoch}, 1, 1, 1, 1, '{{}}')"
        ));
    }
}

/// A table that did not change got no row; the time of its difference then counts from the sample before, unless that left
/// something out.
#[test]
fn what_a_sample_left_out_may_have_changed_before() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    forge_samples(&mut session, &[7, 7, 7, 7]);
    session.value(
        "INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, before_sample_id, n_tup_ins, left_out) \
         SELECT s.node_id, s.sample_id, s.taken_at, v.relation, v.before, v.n, CASE WHEN v.relation = 0 THEN 0 END \
         FROM pgperf.samples s JOIN (VALUES (0, 0, NULL::bigint, 1), (1, 0, NULL, 2), (2, 0, NULL, 3), (3, 0, NULL, 4), \
                                            (0, 1, NULL, 10), (3, 1, 0, 50)) v (sample, relation, before, n) ON s.sample_id = v.sample",
    );
    let of_the_table = "SELECT concat_ws(' ', n_tup_ins, seconds / 3600) FROM pgperf.relation_deltas \
                        WHERE relation_oid = 1 AND sample_id = 3";
    assert_eq!(session.value(of_the_table), "40 1");
    session.value(
        "UPDATE pgperf.relation_history SET left_out = 5 WHERE relation_oid = 0 AND sample_id = 2",
    );
    assert_eq!(session.value(of_the_table), "40 3");
    // Omissions of earlier samples say nothing about the last one.
    session.value(
        "UPDATE pgperf.relation_history SET left_out = 2 - sample_id WHERE relation_oid = 0",
    );
    assert_eq!(session.value(of_the_table), "40 1");
}

#[test]
fn what_had_counted_nothing_counts_from_zero() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    forge_samples(&mut session, &[7, 7, 8]);
    session.value(
        "INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, reads, writes) \
         SELECT node_id, sample_id, taken_at, backend, 'relation', 'normal', reads, NULL \
         FROM pgperf.samples JOIN (VALUES (0, 'client backend', 10), (1, 'client backend', 15), (1, 'checkpointer', 4), \
                                          (2, 'client backend', 20), (2, 'walwriter', 5)) v(sample, backend, reads) \
              ON sample_id = sample",
    );
    let reads = session.value(
        "SELECT string_agg(concat_ws(' ', sample_id, backend_type, reads, reads_per_s * 3600, writes, seconds), ', ' \
                           ORDER BY sample_id, backend_type) FROM pgperf.io_deltas",
    );
    assert_eq!(
        reads,
        "0 client backend, 1 checkpointer 4 4 3600, 1 client backend 5 5 3600, 2 client backend 3600, 2 walwriter"
    );

    // A statement that pg_stat_statements of version 1.11 began to count between the samples, one that it knew
    // before and was not stored, and one that came back.
    session.value(
        "INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, \
                                               before_sample_id, left_out, dealloc, calls, stats_since) \
         SELECT node_id, sample_id, taken_at, query, 1, 1, true, before, left_out, dealloc, calls, since::timestamptz \
         FROM pgperf.samples JOIN (VALUES \
             (0, 0, NULL, 3, 0, 100, NULL), (0, 3, NULL, NULL, NULL, 50, '2025-12-31'), \
             (1, 0, NULL, 3, 0, 150, NULL), (1, 1, NULL, NULL, NULL, 20, '2026-01-01 00:30+00'), \
             (1, 2, NULL, NULL, NULL, 30, '2025-12-31'), (1, 3, 0, NULL, NULL, 40, '2026-01-01 00:40+00')) \
             v(sample, query, before, left_out, dealloc, calls, since) ON sample_id = sample",
    );
    let calls = session.value(
        "SELECT string_agg(concat_ws(' ', queryid, coalesce(calls::text, 'unknown'), calls_per_s * 3600), ', ' ORDER BY queryid) \
         FROM pgperf.statement_deltas WHERE sample_id = 1",
    );
    assert_eq!(calls, "0 50 50, 1 20 20, 2 unknown, 3 unknown");
}
