//! `pgperf.maintain()` when a full day of 2,000 tables is past its retention.

use std::time::{Duration, Instant};

use crate::common::Cluster;
use crate::common::runs::Runs;

/// Rows as the sampler leaves them at the default intervals: counters grow, and a sample has the rows of what changed.
const DAY: &str = "
CREATE TEMP TABLE t AS SELECT pgperf.local_node() AS node_id, row_number() OVER (ORDER BY taken_at, c) AS sample_id, taken_at + c * interval '1 ms' AS taken_at, c
FROM (SELECT d + n * interval '10 s' AS taken_at, c FROM (SELECT date_trunc('day', now(), 'UTC') - interval '8 days' AS d) d, generate_series(0, 8639) n,
      (VALUES (1, 1), (2, 6), (3, 30), (4, 60)) k (c, every) WHERE n % every = 0) x;
SELECT count(*) FROM pgperf_internal.make_partitions(1, NULL, -9);
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes)
SELECT node_id, sample_id, taken_at, 1, '10 s', 1, 1, 1, 1, '{\"wal\": {\"status\": \"ok\", \"rows\": 1, \"elapsed_ms\": 1}}' FROM t;
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit) SELECT node_id, sample_id, taken_at, n, sample_id FROM t, unnest('{a,NULL}'::text[]) n WHERE c = 1;
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', s, 1, 1 FROM t, unnest('{active,idle,\"idle in transaction\"}'::text[]) s WHERE c = 1;
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, database_name, role_name, application_name, backend_type, state)
SELECT node_id, sample_id, taken_at, 10, 5, 2, 'a', 'r' || r, 'x', 'client backend', 'active' FROM t, generate_series(1, 10) r WHERE c = 1;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, role_name, database_name, calls, total_exec_time, rows, shared_blks_hit)
SELECT node_id, sample_id, taken_at, q, 10, 5, true, NULL, 'role', 'database', sample_id, sample_id, sample_id, sample_id
FROM t, generate_series(0, 600) q WHERE c = 2 AND (q = 0 OR hashint8(q * 10000 + sample_id) % 600 < 250);
INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned)
SELECT node_id, sample_id, taken_at, 'a', 'app', 'table_' || r, 'table', 'main', u, 10, 1, 0 FROM t, generate_series(1, 750) r, generate_series(1, 2) u WHERE c = 2 AND sample_id % 10 = 2
UNION ALL SELECT node_id, sample_id, taken_at, 'a', NULL, NULL, NULL, NULL, u, 10000, 1, 0 FROM t, generate_series(0, 5) u WHERE c = 2 AND sample_id % 10 <> 2;
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, before_sample_id, schema_name, relation_name, relation_kind, relations, left_out, size_bytes, n_tup_ins, blks_hit)
SELECT node_id, sample_id, taken_at, r, NULL, 'app', 'table_' || r, 'table', 4000, 0, sample_id, sample_id, sample_id
FROM t, generate_series(0, 4000) r WHERE c = 3 AND (r = 0 OR r <= 500 OR taken_at < (SELECT min(taken_at) + interval '10 min' FROM t));
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes)
SELECT node_id, sample_id, taken_at, 'app', 'table_' || r, 'table', 'exact', 8192, 1, sample_id
FROM t, generate_series(1, 4000) r WHERE c = 4 AND (r <= 400 OR taken_at < (SELECT min(taken_at) + interval '20 min' FROM t));
ANALYZE t;
";

#[test]
fn a_full_day_is_thinned_out_within_20_seconds() {
    let cluster = Cluster::with_pgperf(&["max_wal_size = 4GB", "max_locks_per_transaction = 256"]);
    let mut session = cluster.connect();
    session.batch_execute(DAY).expect("a day");
    // Whatever else has to be made is made.
    session.value("SELECT count(*) FROM pgperf.maintain(budget => '1 us')");
    let hourly = "SELECT string_agg(format('%s %s', table_name, rows), ', ' ORDER BY table_name) FROM pgperf.maintain(budget => '5 min') \
        WHERE action = 'rolled up' AND rows > 0";
    let began = Instant::now();
    let found = session.value(hourly);
    let took = began.elapsed();
    println!("{took:?}: {found}");
    // One sample an hour, or the last row of each object in it; of the buffers one that tells relations apart.
    let expected = "bloat_history 13200, buffer_usage_history 36000, database_history 48, relation_history 15524, samples";
    assert!(found.starts_with(expected), "{found}");
    assert_eq!(
        session.number("SELECT count(DISTINCT date_trunc('hour', taken_at)) FROM pgperf.buffer_usage_history WHERE relation_name IS NOT NULL"),
        24
    );
    assert!(took < Duration::from_secs(20), "{took:?}");
}
