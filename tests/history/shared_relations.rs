//! What relations counted in a window, from the rows at its ends alone: made-up samples with a restart, relations that came, and a counter
//! that fell.

use crate::common::Cluster;
use crate::common::runs::Runs;

/// Eight samples, half an hour apart, the first before the window; a restart after the fourth. The highest oid of the first is 2000.
const SAMPLES: &str = "\
    INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes) \
    SELECT pgperf.local_node(), n, now() - interval '4 hours' + n * interval '30 min', 1 + n / 5, 1, 1, 1, 1, '{\"tables\": {\"status\": \"ok\"}}' \
    FROM generate_series(1, 8) n; \
    INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, last_oid) \
    SELECT node_id, sample_id, taken_at, 0, 2000 FROM pgperf.samples WHERE sample_id <= 8";

/// Rows of a relation: (sample, counter).
fn relation(oid: u32, name: &str, kind: &str, rows: &[(i32, i64)]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    format!(
        "INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, \
             size_bytes, n_live_tup, n_dead_tup, n_tup_ins, n_tup_upd, n_tup_del, idx_scan, idx_tup_read) \
         SELECT s.node_id, s.sample_id, s.taken_at, {oid}, 'public', '{name}', '{kind}', CASE WHEN '{kind}' = 'index' THEN 'old' END, \
             8192, 1, 0, v.counter, 0, 0, v.counter, 0 \
         FROM (VALUES {}) v(sample_id, counter) JOIN pgperf.samples s ON s.sample_id = v.sample_id AND s.outcomes = '{{\"tables\": {{\"status\": \"ok\"}}}}'",
        rows.join(", ")
    )
}

#[test]
fn relations_are_counted_from_the_rows_at_the_ends_of_each_epoch() {
    let cluster = Cluster::with_pgperf(&[]);
    let mut session = cluster.connect();
    session.batch_execute(SAMPLES).expect("samples");
    for statement in [
        // 50 before the restart, 60 after it.
        relation(
            1001,
            "old",
            "table",
            &[(1, 100), (3, 150), (5, 150), (8, 210)],
        ),
        // Newer than the first sample: it has counted from 0.
        relation(3001, "new", "table", &[(3, 40), (4, 70), (7, 75)]),
        // As REINDEX CONCURRENTLY leaves it, with the counters of the index before it.
        relation(3002, "new_idx", "index", &[(3, 500), (4, 510)]),
        // What it counted before it fell is unknown.
        relation(1003, "fell", "table", &[(1, 1000), (3, 20), (6, 50)]),
        // The first and the last row would hide that it fell.
        relation(1006, "lost", "table", &[(1, 10), (3, 500), (8, 90)]),
        relation(1007, "steady", "table", &[(1, 100), (3, 150), (8, 210)]),
        relation(1004, "still", "table", &[(1, 7)]),
        // It was there before, but its turn came later.
        relation(1005, "late", "table", &[(2, 500), (4, 520)]),
    ] {
        session.batch_execute(&statement).expect("rows");
    }
    // Nothing is written, and the rights of pg_monitor suffice.
    session
        .batch_execute(
            "CREATE ROLE watcher IN ROLE pg_monitor; \
             CREATE FUNCTION counted(section text, list text, name text, figure text) RETURNS text LANGUAGE sql AS $$ \
                 SELECT string_agg((r ->> name) || ' ' || (r ->> figure), ', ' ORDER BY r ->> name) \
                 FROM jsonb_array_elements(pgperf.history_json(now() - interval '200 min', now()) -> 'sections') s, \
                      jsonb_array_elements(s -> 'tables') t, jsonb_array_elements(t -> 'rows') r \
                 WHERE s ->> 'name' = section AND t ->> 'title' LIKE list || '%' $$; \
             SET ROLE watcher; SET default_transaction_read_only = on",
        )
        .expect("a role that reads");
    let written = "SELECT counted('tables', 'Rows written', 'relation', 'inserted')";
    let all = "public.fell 30, public.late 20, public.lost 490, public.new 75, public.old 110, public.steady 110";
    assert_eq!(session.value(written), all);
    let mut owner = cluster.connect();
    let transactions = |first: i32| {
        format!(
            "DELETE FROM pgperf.database_history; \
             INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, numbackends, xact_commit) \
             SELECT node_id, sample_id, taken_at, 'postgres', 1, CASE WHEN sample_id < 5 THEN 1000 ELSE {first} END + sample_id \
             FROM pgperf.samples WHERE sample_id <= 8"
        )
    };
    let crash = transactions(0);
    owner.batch_execute(&crash).expect("a crash");
    assert_eq!(session.value(written), all, "the statistics were lost");
    let restart = transactions(1000);
    owner.batch_execute(&restart).expect("a restart");
    // Which is not so of one table alone whose counters were reset.
    let all = all.replace("lost 490", "lost 80");
    assert_eq!(session.value(written), all, "the statistics were kept");
    assert_eq!(
        session.value("SELECT counted('indexes', 'Of the ten tables', 'index', 'scans')"),
        "new_idx 10"
    );
}
