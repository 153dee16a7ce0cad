-- A month of history as the default cadences and retention leave it: seven days of every sample, before that one of each hour; a restart
-- three days ago. Counters grow with the time e. {tables}: tables that are there, with an index each.
SELECT pgperf.local_node();
SELECT count(*) FROM pgperf_internal.make_partitions(1, NULL, -8);
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes, complete)
SELECT pgperf.local_node(), row_number() OVER (ORDER BY t, c), t, 4711 + (t > now() - interval '3 days')::int, c, 3, 2, 10, 100, 4000,
       (SELECT jsonb_object_agg(n, jsonb_build_object('status', 'ok', 'rows', 1, 'elapsed_ms', round((10 * random())::numeric, 3))) FROM unnest(names) n), true
FROM (SELECT t + o AS t, c, names
      FROM (VALUES (interval '10 s', interval '1 ms', array['wal','database','checkpoints','waits','sessions','host','replication']),
                   ('1 min', '5 ms', array['wraparound','archiver','slru','wait_profile','statements','plans','buffers']),
                   ('5 min', '9 ms', array['tables','tablespaces','hit_curve']), ('10 min', '13 ms', array['settings','bloat','sequences'])) k(c, o, names),
           LATERAL (SELECT t FROM generate_series(date_trunc('hour', now()) - interval '7 days', date_trunc('hour', now()), c) t
                    UNION ALL SELECT t FROM generate_series(date_trunc('hour', now()) - interval '31 days',
                        date_trunc('hour', now()) - interval '7 days' - interval '1 hour', '1 hour') t) g) x;
CREATE TEMP TABLE t AS SELECT s.node_id, s.sample_id, s.taken_at, (extract(epoch FROM s.taken_at - now() + interval '40 days'))::bigint AS e, s.outcomes FROM pgperf.samples s;
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, size_bytes, numbackends, xact_commit, xact_rollback, blks_read, blks_hit, tup_returned, tup_fetched, tup_inserted, tup_updated, tup_deleted, temp_files, temp_bytes, deadlocks, session_time, active_time, idle_in_transaction_time, sessions, sessions_abandoned, sessions_fatal, sessions_killed, conflicts, databases_mark)
SELECT node_id, sample_id, taken_at, n, 1e9::bigint + e * 101 * {tables}, 20, e * 500, e, e * 20, e * 3000, e * 9000, e * 3000, e * 100, e * 200, e * 50, e / 100, e * 1000, e / 10000, e * 1000, e * 400, e * 50, e / 10, 0, 0, 0, 0, CASE WHEN n is NULL THEN 1 END
FROM t, (VALUES (current_database()::text), (NULL)) d(n) WHERE outcomes ? 'database';
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync, next_xid, xact_commit, redo_lsn, checkpoint_began_at)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + e * 200000, '0/0'::pg_lsn + e * 200000, e * 2000, e * 10, e * 198000, 0, e * 300, e * 290, (e * 300)::text::xid8, e * 500, '0/0'::pg_lsn + e * 199000, taken_at - interval '1 min' FROM t WHERE outcomes ? 'wal';
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT node_id, sample_id, taken_at, '0/0', '0/1', r, 'X', 1000, 80000, 8000, 50 FROM t, unnest('{Heap,Heap2,Btree,XLOG,Transaction,Standby}'::text[]) r WHERE outcomes ? 'slru';
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, write_time, sync_time, buffers_written, buffers_clean, maxwritten_clean, buffers_backend, buffers_backend_fsync, buffers_alloc)
SELECT node_id, sample_id, taken_at, e % 300 < 100, '0/0', '0/0', taken_at, e / 300, e / 5000, e * 300, e, e * 30, e * 3, 0, e * 5, 0, e * 10 FROM t WHERE outcomes ? 'checkpoints';
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, load_1, memory_total_bytes, memory_available_bytes, memory_cached_bytes, memory_dirty_bytes, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, cpu_iowait_ms, cpu_irq_ms, cpu_softirq_ms, cpu_steal_ms, context_switches)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 8, 2, 64e9::bigint, 30e9::bigint, 20e9::bigint, 1e8::bigint, e * 2000, 0, e * 500, e * 5400, e * 100, 0, 0, 0, e * 5000 FROM t WHERE outcomes ? 'host';
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, read_ticks, write_ios, write_merges, write_sectors, write_ticks, io_ticks, time_in_queue, flush_ios, flush_ticks)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 'sd' || d, CASE d WHEN 'a' THEN 'data' ELSE 'wal' END, 0, 0, e * 20, 0, e * 320, e * 10, e * 200, 0, e * 3200, e * 100, e * 300, e * 120, e * 5, e * 2 FROM t, unnest('{a,b}'::text[]) d WHERE outcomes ? 'host';
-- Sessions of the last hours alone: a queue for a lock in one of them.
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, query_id, longest_statement_s, longest_transaction_s, looks, seen, most, database_name, role_name, application_name, backend_type, state, wait_event_type, wait_event)
SELECT node_id, sample_id, taken_at, q, 0.5 * q, q, 10, 5 + (sample_id + coalesce(q, 0)) % 7, 2, 'shop', r, a, 'client backend', s, w, ev
FROM t, (VALUES (7, 'clerk', 'desk', 'active', 'IO', 'DataFileRead'), (7, 'clerk', 'desk', 'active', NULL, NULL), (8, 'clerk', 'web', 'active', 'Lock', 'transactionid'),
                (NULL, 'batch', 'nightly', 'idle in transaction', 'Client', 'ClientRead')) g(q, r, a, s, w, ev)
WHERE outcomes ? 'sessions' AND taken_at > now() - interval '6 hours';
INSERT INTO pgperf.connection_history (node_id, sample_id, taken_at, looks, seen, most, most_together, database_name, role_name, application_name)
SELECT node_id, sample_id, taken_at, 10, 10 * c + sample_id % 5, c + 1, 72, 'shop', r, a
FROM t, (VALUES (20, 'clerk', 'desk'), (50, 'clerk', 'web'), (1, 'batch', 'nightly')) g(c, r, a) WHERE outcomes ? 'sessions' AND taken_at > now() - interval '6 hours';
INSERT INTO pgperf.blocking_history (node_id, sample_id, taken_at, waiting_since, session_start, transaction_start, statement_start, waited_s, query_id, head_pid, pid, depth, victims, looks, seen,
    blocked_by, database_name, role_name, application_name, backend_type, state, wait_event_type, wait_event, lock_type, lock_mode, schema_name, relation_name, statement)
SELECT node_id, sample_id, taken_at, CASE WHEN d > 0 THEN s.began + d * interval '3 s' END, s.began - interval '1 day', s.began - interval '1 min', s.began - interval '50 s',
       CASE WHEN d > 0 THEN EXTRACT(epoch FROM taken_at - s.began) - 3 * d END, 7, 4711, 4711 + d, d, 3 - d, 10, 10, CASE WHEN d > 0 THEN ARRAY[4710 + d] END, 'shop', r, a, 'client backend', st, NULL, NULL,
       'relation', m, 'shop', 'orders', q
FROM t, (SELECT date_trunc('hour', now()) - interval '1 hour' + interval '25 min' AS began) s,
     (VALUES (0, 'clerk', 'desk', 'idle in transaction', 'RowExclusiveLock', 'UPDATE shop.orders SET state = ? WHERE id = ?'), (1, 'dba', 'psql', 'active', 'AccessExclusiveLock', 'ALTER TABLE shop.orders ADD COLUMN note text'),
             (2, 'clerk', 'web', 'active', 'AccessShareLock', 'SELECT * FROM shop.orders WHERE id = $1')) g(d, r, a, st, m, q)
WHERE outcomes ? 'sessions' AND taken_at > s.began + interval '10 s' AND taken_at <= s.began + interval '70 s';
INSERT INTO pgperf.sequence_history (node_id, sample_id, taken_at, sequence_oid, last_value, limit_value, increment, used_percent, schema_name, sequence_name, table_name, column_name, column_type)
SELECT node_id, sample_id, taken_at, 600, 1900000000 + e, 2147483647, 1, 88.5, 'shop', 'orders_id_seq', 'shop.orders', 'id', 'integer'
FROM t WHERE outcomes ? 'sequences' AND taken_at > now() - interval '6 hours';
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', st, ty, ev, 1, 1 + (sample_id + length(coalesce(ev, ''))) % 3 FROM t,
 (VALUES ('active', NULL, NULL), ('active', 'IO', 'DataFileRead'), ('active', 'Lock', 'transactionid'), ('active', 'LWLock', 'WALWrite'), ('idle', 'Client', 'ClientRead'), ('idle in transaction', 'Client', 'ClientRead')) w(st, ty, ev) WHERE outcomes ? 'waits';
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, next_xid, frozen_xid_age, next_multixid, multixact_age, freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT node_id, sample_id, taken_at, d, CASE WHEN r > 0 THEN 'public' END, CASE WHEN r > 0 THEN 'table_' || r END, (e * 300)::text::xid8, (e * 300) % 190000000, e, e % 1000000, 200000000, 1600000000, 400000000, 1600000000
FROM t, (SELECT current_database()::text, r FROM generate_series(0, 10) r UNION ALL SELECT 'postgres', 0) x(d, r) WHERE outcomes ? 'wraparound';
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, name, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', current_database(), 1000 + sample_id, 'app', 'app', 'active', taken_at - interval '1 s', 300, FALSE FROM t WHERE outcomes ? 'wraparound';
INSERT INTO pgperf.slru_history (node_id, sample_id, taken_at, name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates)
SELECT node_id, sample_id, taken_at, n, e / 100, e * 50, e / 50, e / 60, 0, e / 300, 0 FROM t, unnest('{CommitTs,MultiXactMember,MultiXactOffset,Notify,Serial,Subtrans,Xact,other}'::text[]) n WHERE outcomes ? 'slru';
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_archived_wal, last_archived_time, ready_files, oldest_ready_s, current_lsn, behind_bytes)
SELECT node_id, sample_id, taken_at, 'on', e / 100, 0, '000000010000000000000001', taken_at, e % 3, e % 3, '0/0', 1e6 FROM t WHERE outcomes ? 'archiver';
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, k, n, e * 1000, '8:' || k, 1e12, 5e11 - e * 1000 FROM t, (VALUES ('tablespace', 'pg_default'), ('tablespace', 'pg_global'), ('tablespace', 'fast'), ('WAL', 'pg_wal')) x(k, n) WHERE outcomes ? 'tablespaces';
INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned)
SELECT node_id, sample_id, taken_at, current_database(), 'public', 'table_' || r, 'table', 'main', u, 10 * u + r, 1, 0 FROM t, generate_series(1, 60) r, generate_series(0, 5) u WHERE outcomes ? 'buffers';
INSERT INTO pgperf.buffer_counter_history (node_id, sample_id, taken_at, blks_hit, blks_read, buffers_alloc, databases_mark)
SELECT node_id, sample_id, taken_at, e * 3000, e * 20, e * 10, 1 FROM t WHERE outcomes ? 'buffers';
INSERT INTO pgperf.statement_texts SELECT DISTINCT node_id, q, 5, now(), 'SELECT ' || q || ' ' || repeat('column, ', 100) FROM (SELECT node_id FROM t LIMIT 1) x, generate_series(1, 100) q;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, role_name, database_name, statements, left_out, dealloc, min_exec_time, max_exec_time, plans, total_plan_time, calls, total_exec_time, rows, shared_blks_hit, shared_blks_read, temp_blks_read, temp_blks_written, wal_bytes, shared_blk_read_time, jit_generation_time, jit_inlining_time, jit_optimization_time, jit_emission_time)
SELECT node_id, sample_id, taken_at, q, 10, 5, TRUE, lag(sample_id) OVER (PARTITION BY q ORDER BY sample_id), 'app', current_database(), 100, 0, 0, 0.1, 100, 0, 0, e * q / 10, e * q * 1.5, e * q, e * q * 3, e * q, e, e, e * q * 100, e, 0, 0, 0, 0
FROM t, generate_series(0, 80) q WHERE outcomes ? 'statements';
-- The plan of one changed in the last hour but one, together with the queue for a lock.
INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, role_name, database_name, cause, plan_hash, relations, total_cost, plan_rows, since, calls, mean_exec_time, blocks_per_call)
SELECT t.node_id, t.sample_id, t.taken_at, q, 10, 5, 'app', current_database(), CASE WHEN p.changed THEN 'changed' ELSE 'top' END, CASE WHEN p.changed THEN 81 ELSE q END, 'shop.orders', 10 * q, q, t.taken_at - interval '1 min', 6 * q,
       CASE WHEN p.changed THEN 150 ELSE 15 END, CASE WHEN p.changed THEN 400 ELSE 40 END
FROM t, generate_series(78, 80) q, (SELECT date_trunc('hour', now()) - interval '1 hour' + interval '25 min' AS at) s,
     LATERAL (SELECT q = 80 AND t.taken_at > s.at AS changed) p
WHERE t.outcomes ? 'plans' AND (t.taken_at > date_trunc('day', t.taken_at) AND t.taken_at < date_trunc('day', t.taken_at) + interval '1 min' OR t.taken_at > s.at - interval '2 hours' AND t.taken_at <= s.at - interval '119 min' OR p.changed AND t.taken_at <= s.at + interval '1 min');
INSERT INTO pgperf.plan_texts (node_id, plan_hash, taken_at, plan)
SELECT node_id, h, now(), CASE h WHEN 81 THEN E'Aggregate\n  Seq Scan on shop.orders\n      Filter: ((orders.customer = $1) AND (orders.state <> ?::text))'
    ELSE E'Aggregate\n  Bitmap Heap Scan on shop.orders\n      Recheck Cond: (orders.customer = $1)\n      Filter: (orders.state <> ?::text)\n    Bitmap Index Scan using orders_customer_idx\n        Index Cond: (orders.customer = $1)' END
FROM (SELECT node_id FROM t LIMIT 1) x, generate_series(78, 81) h;
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT node_id, sample_id, taken_at, 'work_mem', sample_id::text, 'configuration file', FALSE FROM t WHERE outcomes ? 'settings' AND sample_id % 500 = 0;
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'table_' || ((sample_id / 40 * 20 + r) % 20000), 'table', 'sampled', 1e7, 100, 1e6 + r, 10, 1 FROM t, generate_series(1, 20) r WHERE outcomes ? 'bloat';
-- 20,000 tables with an index each: once a day all of them, 200 with every sample.
CREATE TEMP TABLE st AS SELECT *, row_number() OVER (ORDER BY sample_id) AS no FROM t WHERE outcomes ? 'tables';
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, before_sample_id, schema_name, relation_name, relation_kind, table_name, size_bytes, n_live_tup, n_dead_tup, seq_scan, seq_tup_read, idx_scan, idx_tup_read, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, vacuum_count, autovacuum_count, analyze_count, autoanalyze_count, blks_read, blks_hit)
SELECT node_id, sample_id, taken_at, 20000 + r, sample_id - 1, 'public', CASE WHEN r % 2 = 0 THEN 'table_' || r ELSE 'index_' || r END, CASE WHEN r % 2 = 0 THEN 'table' ELSE 'index' END, CASE WHEN r % 2 = 1 THEN 'table_' || (r - 1) END,
 e * (1 + r % 100), e, e % 1000, e / 1000, e, e * (1 + r % 100), e, e, e, e, e / 2, 0, e / 10000, 0, e / 10000, e, e * 10
FROM st, LATERAL (SELECT r FROM generate_series(1, 400) r UNION ALL SELECT r FROM generate_series(401, 2 * {tables}) r WHERE (no % 24 = 0 AND taken_at < now() - interval '7 days' OR no % 288 < 20 AND r % 20 = no % 288)) x(r);
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, relations, left_out, last_oid) SELECT node_id, sample_id, taken_at, 0, 40000, 0, 60000 FROM st;
