-- Many objects g of a kind, o1, o2 …, in a window with a sample before it (n = 0) and one in it (n = 1). m(p) is a number from 1 to {count}, another one for each
-- object and, for each p, in another order. The head of each block: the tables or charts, each with its list, how many it shows, and the p that puts them in order.

-- waits/events of 20 by 2
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', 'IO', 'o' || g, 1, m(g, 2) FROM tick, object WHERE n = 1

-- wal/managers of 20 by 2
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT node_id, sample_id, taken_at, '0/0', '0/1', 'o' || g, 'x', m(g, 3), 5 * m(g, 2) + 100 + m(g, 3), 5 * m(g, 2) + 100 - m(g, 3), 100 FROM tick, object WHERE n = 1

-- slru/counts of 20 by 2
INSERT INTO pgperf.slru_history (node_id, sample_id, taken_at, name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates)
SELECT node_id, sample_id, taken_at, 'o' || g, n * m(g, 3), n * m(g, 4), n * m(g, 2), n * m(g, 5), 0, 0, 0 FROM tick, object

-- waits/locks of 15 by 5
INSERT INTO pgperf.lock_history (node_id, sample_id, taken_at, lock_type, waits, wait_time, fastpath_exceeded)
SELECT node_id, sample_id, taken_at, 'o' || g, n * m(g, 7), n * m(g, 5), n * m(g, 11) FROM tick, object

-- tables/next of 15 by 5
INSERT INTO pgperf.autovacuum_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, score, xid_score, mxid_score, vacuum_score, vacuum_insert_score, analyze_score, do_vacuum, do_analyze, for_wraparound)
SELECT node_id, sample_id, taken_at, 900000 + g, 'public', 'o' || g, m(g, 5), 0, 0, m(g, 5), m(g, 7), m(g, 11), true, false, false FROM tick, object WHERE n = 1

-- io/objects of 25 by 3
INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, op_bytes, reads, writes, extends, hits, fsyncs)
SELECT node_id, sample_id, taken_at, 'o' || g, 'relation', 'normal', 8192, n * (m(g, 3) + 50 + m(g, 5)), n * (m(g, 3) + 50 - m(g, 5)), n * m(g, 3), n * m(g, 9), n * m(g, 11) FROM tick, object

-- buffers/relations of 15 by 5
INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned)
SELECT node_id, sample_id, taken_at, 'app', 'public', 'o' || g, 'table', 'main', u, CASE u WHEN 1 THEN m(g, 5) + 50 + m(g, 7) ELSE m(g, 5) + 50 - m(g, 7) END, m(g, 11), 0
FROM tick, object, generate_series(1, 2) u WHERE n = 1

-- tables/bloat of 15 by 5
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent)
SELECT node_id, sample_id, taken_at, 'public', 'o' || g, 'table', 'exact', m(g, 7), 1, m(g, 5), m(g, 11) FROM tick, object WHERE n = 1

-- tables/holders of 10 by 2
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, name, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'prepared transaction', 'o' || g, taken_at - interval '1 hour' - m(g, 3) * interval '1 min', m(g, 2), false FROM tick, object WHERE n = 1

-- chart replication/lags of 12 by 2
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, retained_bytes, safe_wal_size)
SELECT node_id, sample_id, taken_at, 'slot', 'o' || g, m(g, 2), m(g, 4) FROM tick, object WHERE n = 1

-- chart tablespaces/growth of 12 by 2
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'o' || g, m(g, 2), '1', 1000, m(g, 4) FROM tick, object WHERE n = 1

-- tables/activity: Growth of 10 by 2; Rows written of 10 by 3; Dead rows of 10 by 4; Sequential scans of 10 by 5; Blocks read of 10 by 6; Vacuums of 10 by 7
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, n_live_tup, n_dead_tup, seq_scan, seq_tup_read,
    n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, vacuum_count, autovacuum_count, analyze_count, autoanalyze_count, blks_read, blks_hit)
SELECT node_id, sample_id, taken_at, 900000 + g, 'public', 'o' || g, 'table', 2000000 + n * CASE WHEN g % 2 = 0 THEN 1 ELSE -1 END * m(g, 2), m(g, 8), m(g, 4), n * m(g, 8), n * m(g, 5),
       n * (m(g, 3) + 50 + m(g, 8)), n * (m(g, 3) + 50 - m(g, 8)), n * m(g, 3), 0, n * (m(g, 7) + 50 + m(g, 8)), n * (m(g, 7) + 50 - m(g, 8)), 0, n * m(g, 7), n * m(g, 6), n * m(g, 8) FROM tick, object

-- statements/top: By time of 10 by 2; By calls of 10 by 3; By blocks read of 10 by 4; By WAL of 10 by 5; By temporary files of 10 by 6; By JIT of 10 by 7; By planning of 10 by 8
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, database_name, min_exec_time, max_exec_time, plans, total_plan_time, calls, total_exec_time,
    rows, shared_blks_hit, shared_blks_read, temp_blks_read, temp_blks_written, shared_blk_read_time, wal_bytes, jit_generation_time, jit_inlining_time, jit_optimization_time, jit_emission_time)
SELECT node_id, sample_id, taken_at, g, 10, 5, true, CASE n WHEN 1 THEN sample_id - 1 END, 'o' || g, 1, 1000, n, n * m(g, 8), 1 + n * m(g, 3), 1 + n * m(g, 2), n * m(g, 9), n * m(g, 9), n * m(g, 4),
       n * (m(g, 6) + 50 + m(g, 9)), n * (m(g, 6) + 50 - m(g, 9)), 0, n * m(g, 5), n * (m(g, 7) + 50 + m(g, 9)), n * (m(g, 7) + 50 - m(g, 9)), n * (m(g, 7) + 50 + m(g, 10)), n * (m(g, 7) + 50 - m(g, 10)) FROM tick, object
