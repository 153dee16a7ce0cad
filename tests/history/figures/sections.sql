-- Samples around and in a window of 40 minutes, {from} to {to}, and what each history has of them. A counter named k + m * 101 counts 101 for each n; of
-- the second object of a kind (x = 3) it counts three times as much. From the last sample before the window (n = 0) to the last one in it (n = 5)
-- it counts five times as much; n = 1 and 2 lie so close together that one stands for both. z falls and y rises over the window, and both are further out around it.
CREATE TEMP TABLE tick AS
SELECT '{node}'::uuid AS node_id, 3000 + 10 * row_number() OVER (ORDER BY t.n) AS sample_id, '{from}'::timestamptz + t.at_s * interval '1 s' AS taken_at,
       t.n::bigint, t.n::bigint + 7 AS m, t.z::bigint, t.y::bigint, 1000000::bigint AS k
FROM (VALUES (-2, -1920, 97, 2), (0, -480, 89, 3), (1, 602, 83, 5), (2, 608, 53, 7), (5, 2400, 31, 11), (11, 3240, 101, 1)) t(n, at_s, z, y);
CREATE TEMP TABLE two AS SELECT x::bigint FROM (VALUES (1), (3)) t(x);

INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, complete, outcomes)
SELECT t.node_id, t.sample_id, t.taken_at, 1, 1, 1, 1, 1, true, (SELECT jsonb_object_agg(c.name, '{"status": "ok"}'::jsonb) FROM pgperf.collectors c) FROM tick t;

-- The size is not measured by every sample: not by the last one.
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, databases_mark, size_bytes, numbackends, xact_commit, xact_rollback, blks_read,
    blks_hit, tup_returned, tup_fetched, tup_inserted, tup_updated, tup_deleted, temp_files, temp_bytes, deadlocks, checksum_failures, blk_read_time,
    blk_write_time, session_time, active_time, idle_in_transaction_time, sessions, sessions_abandoned, sessions_fatal, sessions_killed,
    parallel_workers_to_launch, parallel_workers_launched, conflicts, confl_tablespace, confl_lock)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'app' END, 1, CASE WHEN n <> 5 THEN x * 1000 * y END, x * z, k + m * x * 101, k + m * x * 103, k + m * x * 157, k + m * x * 151, k + m * x * 997,
       k + m * x * 149, k + m * x * 131, k + m * x * 137, k + m * x * 139, k + m * x * 163, k + m * x * 167, k + m * x * 173, k + m * x * 181, k + m * x * 991,
       k + m * x * 983, k + m * x * 977, k + m * x * 100003, k + m * x * 200003, k + m * x * 107, k + m * x * 109, k + m * x * 113, k + m * x * 127,
       k + m * x * 191, k + m * x * 193, k + m * x * 179, k + m * x * 971, k + m * x * 967 FROM tick, two;

-- Statements: 11 and 12 in all samples, 13 nested, 14 new in the window, 15 there before it only. Of all together (queryid 0) some are left out at last.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, y, CASE n WHEN 5 THEN 19 WHEN 11 THEN 23 ELSE 0 END, k + m * 197 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, role_name, database_name, min_exec_time,
    max_exec_time, plans, total_plan_time, calls, total_exec_time, exec_time_squares, rows, shared_blks_hit, shared_blks_read, shared_blks_dirtied, shared_blks_written,
    temp_blks_read, temp_blks_written, shared_blk_read_time, shared_blk_write_time, wal_records, wal_fpi, wal_bytes, jit_generation_time, jit_inlining_time,
    jit_optimization_time, jit_emission_time, exec_user_time, exec_system_time, exec_reads, exec_writes)
SELECT node_id, sample_id, taken_at, 10 + CASE x WHEN 1 THEN 1 ELSE 2 END, 10, 5, true, CASE WHEN n > -2 THEN sample_id - 10 END, 'anna', CASE x WHEN 1 THEN 'app' ELSE 'second' END, 1,
       1000, k + m * x * 239, k + m * x * 2011, k + m * x * 211, k + m * x * 10007, k + m * x * 941, k + m * x * 223, k + m * x * 227, k + m * x * 229, k + m * x * 937, k + m * x * 929,
       k + m * x * 7, k + m * x * 11, k + m * x * 1013, k + m * x * 919, k + m * x * 911, k + m * x * 907, k + m * x * 233, k + m * x * 13, k + m * x * 17,
       k + m * x * 19, k + m * x * 23, k + m * x * 1201, k + m * x * 1213, k + m * x * 1217, k + m * x * 1223 FROM tick, two;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, role_name, database_name, min_exec_time,
    max_exec_time, plans, total_plan_time, calls, total_exec_time, rows, shared_blks_hit, shared_blks_read, temp_blks_read, temp_blks_written, shared_blk_read_time,
    wal_bytes, jit_generation_time, jit_inlining_time, jit_optimization_time, jit_emission_time, exec_user_time, exec_system_time, exec_reads)
SELECT node_id, sample_id, taken_at, 13, 10, 5, false, CASE WHEN n > -2 THEN sample_id - 10 END, 'anna', 'app', 1, 1000, 0, 0, k + m * 241, k + m * 20011, k + m * 251, k + m * 257, k + m * 263,
       k + m * 29, k + m * 31, k, k + m * 269, 0, 0, 0, 0, k + m * 1229, k + m * 1231, k + m * 1237 FROM tick
UNION ALL
SELECT node_id, sample_id, taken_at, 14, 10, 5, true, CASE WHEN n > 2 THEN sample_id - 10 END, 'anna', 'app', 1, 1000, 0, 0, n * 199, n * 401, n * 271, n * 277, n * 3, n * 5, n * 2, 0, n * 281,
       0, 0, 0, 0, n * 1249, n * 1259, n * 1277 FROM tick WHERE n >= 2
UNION ALL
SELECT node_id, sample_id, taken_at, 15, 10, 5, true, CASE WHEN n > -2 THEN sample_id - 10 END, 'anna', 'app', 1, 1000, 0, 0, k + m * 283, k + m * 293, k, k, k, k, k, k, k, 0, 0, 0, 0, k, k, k
FROM tick WHERE n <= 0;
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, q, 5, taken_at, 'SELECT ' || q FROM tick, generate_series(11, 15) q WHERE n = 0;

-- The plan of one changes in the window, and again after it; the other one has none.
INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, role_name, database_name, cause, plan_hash, reason, total_cost, calls, mean_exec_time, blocks_per_call)
SELECT t.node_id, t.sample_id, t.taken_at, p.queryid, 10, 5, 'anna', p.database, p.cause, p.hash, p.reason, p.cost, p.calls, p.mean, p.blocks
FROM tick t JOIN (VALUES (-2, 11, 'app', 'top', 1, NULL, 11, 3, 5, 7), (0, 11, 'app', 'again', 1, NULL, 13, 17, 7, 11), (2, 11, 'app', 'changed', 2, NULL, 29, 31, 19, 23), (11, 11, 'app', 'changed', 1, NULL, 47, 53, 59, 61),
                         (1, 12, 'second', 'top', NULL, 'no such table', NULL, 43, 37, 41)) p(n, queryid, database, cause, hash, reason, cost, calls, mean, blocks) USING (n);
INSERT INTO pgperf.plan_texts (node_id, plan_hash, taken_at, plan)
SELECT node_id, p.hash, taken_at, p.plan FROM tick, (VALUES (1, 'Index Scan using i on t'), (2, 'Seq Scan on t')) p(hash, plan) WHERE n = 0;

-- Who waits for a worker to end is left out; clients of a run are another source.
-- The sampler looked ten times before each sample. What waits for a client or for a worker's end does not work.
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, database_name, role_name, application_name, backend_type, state, wait_event_type, wait_event,
    query_id, seen, most, longest_statement_s, longest_transaction_s)
SELECT t.node_id, t.sample_id, t.taken_at, 10, 'app', s.role, s.application, s.backend_type, s.state, s.type, s.event, s.query,
       CASE s.seen WHEN 'y' THEN t.y WHEN '2 y' THEN 2 * t.y WHEN 'z' THEN t.z ELSE s.seen::bigint END, s.most, s.statement, s.transaction
FROM tick t, (VALUES
    ('clerk', 'desk', 'client backend', 'active', 'IO', 'DataFileRead', 11, 'y', 3, 5.5, NULL), ('clerk', 'desk', 'client backend', 'active', NULL, NULL, 11, '2 y', 2, 4.5, NULL),
    ('boss', 'web', 'client backend', 'active', 'Lock', 'relation', 12, '4', 2, 7.5, 40), ('boss', 'web', 'client backend', 'idle in transaction', 'Client', 'ClientRead', 12, 'z', 1, NULL, 50),
    (NULL, '', 'autovacuum worker', 'active', NULL, NULL, NULL, '1', 1, 9.5, 9.5), ('boss', 'web', 'client backend', 'active', 'Client', 'ClientRead', 12, '1000', 9, 1, 1),
    ('boss', 'web', 'client backend', 'active', 'IPC', 'BgWorkerShutdown', 12, '1000', 9, 1, 1)) s(role, application, backend_type, state, type, event, query, seen, most, statement, transaction);
INSERT INTO pgperf.connection_history (node_id, sample_id, taken_at, looks, database_name, role_name, application_name, seen, most)
SELECT t.node_id, t.sample_id, t.taken_at, 10, 'app', c.role, c.application, CASE c.seen WHEN 'z' THEN t.z ELSE c.seen::bigint END, CASE WHEN t.n = 2 THEN c.most ELSE c.most / 2 END
FROM tick t, (VALUES ('clerk', 'desk', 'z', 13), ('boss', 'web', '20', 2), ('idle', 'idler', '31', 6)) c(role, application, seen, most);
-- A head in all samples of the window, behind which one waits in the first two, and another one behind that in the last.
INSERT INTO pgperf.blocking_history (node_id, sample_id, taken_at, session_start, transaction_start, waiting_since, waited_s, head_pid, pid, depth, victims, looks, seen,
    database_name, role_name, application_name, backend_type, state, lock_type, lock_mode, schema_name, relation_name, statement)
SELECT t.node_id, t.sample_id, t.taken_at, '{from}'::timestamptz - interval '1 day', '{from}'::timestamptz + interval '500 s', '{from}'::timestamptz + b.since * interval '1 s',
       EXTRACT(epoch FROM t.taken_at - '{from}'::timestamptz) - b.since, 71, b.pid, b.depth, CASE WHEN b.depth = 0 AND t.n = 5 THEN 2 WHEN b.depth = 0 THEN 1 ELSE 0 END, 10, 10,
       'app', b.role, b.application, 'client backend', b.state, 'relation', b.mode, 'public', 'orders', b.statement
FROM tick t, (VALUES (71, 0, NULL, 'clerk', 'desk', 'idle in transaction', 'RowExclusiveLock', 'UPDATE orders', '{1,2,5}'::int[]),
                     (72, 1, 595, 'dba', 'psql', 'active', 'AccessExclusiveLock', 'ALTER TABLE orders', '{1,2}'), (73, 2, 2390, 'web', 'shop', 'active', 'AccessShareLock', 'SELECT', '{5}'))
     b(pid, depth, since, role, application, state, mode, statement, samples)
WHERE t.n = ANY (b.samples);
INSERT INTO pgperf.sequence_history (node_id, sample_id, taken_at, sequence_oid, last_value, limit_value, increment, used_percent, schema_name, sequence_name, table_name, column_name, column_type)
SELECT t.node_id, t.sample_id, t.taken_at, 600, t.k + t.m * 1009, 2000000000, 1, 47.5, 'shop', 'numbers', 'shop.orders', 'id', 'integer' FROM tick t;
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT t.node_id, t.sample_id, t.taken_at, w.source, w.backend_type, w.state, w.type, w.event, 1,
       CASE w.seen WHEN 'y' THEN t.y WHEN '3 y' THEN 3 * t.y WHEN 'z' THEN t.z ELSE w.seen::bigint END
FROM tick t, (VALUES
    ('activity', 'client backend', 'active', 'IO', 'DataFileRead', 'y'), ('activity', 'parallel worker', 'active', 'IO', 'DataFileRead', '1'),
    ('activity', 'client backend', 'active', NULL, NULL, '3 y'), ('activity', 'client backend', 'active', 'Lock', 'relation', '2'),
    ('activity', 'client backend', 'active', 'LWLock', 'WALWrite', '8'), ('activity', 'client backend', 'active', 'Timeout', 'PgSleep', '4'),
    ('activity', 'client backend', 'active', 'IPC', 'BgWorkerShutdown', '1000'), ('activity', 'client backend', 'idle', 'Client', 'ClientRead', 'z'),
    ('activity', 'client backend', 'active', 'Client', 'ClientRead', '9'), ('activity', 'walsender', 'active', 'Client', 'ClientRead', '2000'),
    ('run clients', 'client backend', 'active', 'IO', 'DataFileRead', '3000'), ('run clients', 'client backend', 'active', NULL, NULL, '1000')) w(source, backend_type, state, type, event, seen);
-- One event comes up in the window. After it the profile begins again.
INSERT INTO pgperf.wait_profile_history (node_id, sample_id, taken_at, wait_event_type, wait_event, in_statement, period_ms, samples)
SELECT t.node_id, t.sample_id, t.taken_at, w.type, w.event, w.inside, 20, t.k * CASE t.n WHEN 11 THEN 0 ELSE 1 END + t.m * w.a
FROM tick t, (VALUES ('IO', 'DataFileRead', true, 1103), ('Timeout', 'PgSleep', true, 1109), ('Timeout', 'CheckpointWriteDelay', false, 50021), (NULL, NULL, true, 1117),
    ('Client', 'ClientRead', false, 50021), ('Extension', 'Extension', false, 50021), ('LWLock', 'WALWrite', false, 1129)) w(type, event, inside, a)
UNION ALL
SELECT node_id, sample_id, taken_at, 'Lock', 'tuple', true, 20, 5003 FROM tick WHERE n = 5;

CREATE TABLE public.alpha (id integer PRIMARY KEY, t text, u text);
CREATE INDEX alpha_unused ON public.alpha (t);
CREATE INDEX alpha_wide ON public.alpha (t, u);
CREATE INDEX alpha_broken ON public.alpha (u);
CREATE TABLE public.zeta (id integer);
CREATE INDEX zeta_idx ON public.zeta (id);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'alpha_broken'::regclass;
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, relations, left_out, last_oid)
SELECT node_id, sample_id, taken_at, 0, 6, 0, 4294967000 FROM tick;
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, relpages, reltuples, n_live_tup,
    n_dead_tup, last_vacuum, last_autovacuum, last_analyze, seq_scan, seq_tup_read, idx_scan, idx_tup_read, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_del,
    n_tup_hot_upd, vacuum_count, autovacuum_count, analyze_count, autoanalyze_count, blks_read, blks_hit)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'alpha'::regclass::oid ELSE 900001 END, CASE x WHEN 1 THEN 'public' ELSE 'other' END, CASE x WHEN 1 THEN 'alpha' ELSE 'beta' END,
       CASE x WHEN 1 THEN 'table' ELSE 'materialized view' END, k * 2 + n * x * 1009, 887, 883, x * 1000 * y, x * z, taken_at - interval '100 s', taken_at - x * interval '50 s', taken_at,
       k + m * x * 307, k + m * x * 311, k + m * x * 313, k + m * x * 881, k + m * x * 877, k + m * x * 317, k + m * x * 331, k + m * x * 337, k + m * x * 101, k + m * x * 2, k + m * x * 3,
       k + m * x * 5, k + m * x * 7, k + m * x * 347, k + m * x * 349 FROM tick, two
UNION ALL
-- pgperf's own are left out.
SELECT node_id, sample_id, taken_at, 900002, 'pgperf', 'samples', 'table', k * 2 + n * 50021, 1, 1, 1, 50021, taken_at, taken_at, taken_at, k + m * 50021, k + m * 50021, k + m * 50021,
       k + m * 50021, k, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k + m * 50021, k FROM tick
UNION ALL
-- One to which nothing happens, and two that are scanned, of 1 MB and of a byte less.
SELECT node_id, sample_id, taken_at, r.oid, 'public', r.name, 'table', r.size, 1, 1, 1, 0, NULL, NULL, NULL, k + m * r.scans, k + m * r.scans, k, k, k, k, k, k, k, k, k, k, k, k, k
FROM tick, (VALUES (900003, 'still', 3000000, 0), (900004, 'limit', 1048576, 1), (900005, 'below', 1048575, 1)) r(oid, name, size, scans);
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, idx_scan, idx_tup_read, blks_read, blks_hit)
SELECT t.node_id, t.sample_id, t.taken_at, i.name::regclass, 'public', i.name, 'index', split_part(i.name, '_', 1), i.size + t.n * i.growth, t.k + t.m * i.scans, t.k + t.m * i.entries, t.k + t.m * i.read, t.k + t.m * i.hit
FROM tick t, (VALUES ('alpha_pkey', 3000000, 11, 353, 359, 367, 373), ('alpha_unused', 5000000, 0, 0, 0, 0, 1), ('alpha_wide', 6000000, 0, 379, 383, 0, 1),
    ('alpha_broken', 7000000, 0, 389, 397, 0, 1), ('zeta_idx', 8000000, 0, 2003, 2011, 0, 1)) i(name, size, growth, scans, entries, read, hit);

-- What a vacuum has frozen in the last sample of the window; one that is older, but no longer exists.
UPDATE pgperf.relation_history h SET frozen_xid = (CASE h.relation_name WHEN 'beta' THEN t.k - 2000 ELSE t.k + CASE WHEN t.n < 5 THEN -1000 ELSE 5000 END END)::text::xid8
FROM tick t WHERE t.node_id = h.node_id AND t.sample_id = h.sample_id AND h.relation_name IN ('alpha', 'beta', 'samples');

-- Bloat: of one before and in the window, of one before it only, of one without any.
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, live_percent, dead_bytes, dead_percent,
    free_bytes, free_percent, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'alpha', 'table', 'exact', 9000 + y, 1, 2, 3, y + 0.25, 4, y + 0.5, 400 * y, y, y + 0.75 FROM tick WHERE n IN (-2, 0, 1, 5, 11)
UNION ALL
SELECT node_id, sample_id, taken_at, 'public', 'alpha_pkey', 'index', 'exact', 8000 + y, 1, 2, 3, y + 0.125, 4, y + 0.375, 100 * y, y + 20, y + 0.625 FROM tick WHERE n = 0
UNION ALL
SELECT node_id, sample_id, taken_at, 'public', 'tight', 'table', 'exact', 8000 + y, 1, 2, 3, 4, 5, 6, 0, 0, 0 FROM tick
UNION ALL
-- Measured less than a day before the window, and more.
SELECT '{node}', 1, '{from}'::timestamptz - h.hours * interval '1 hour', 'public', h.name, 'table', 'exact', 7001, 1, 2, 3, 4, 5, 6, 199, 8, 9 FROM (VALUES ('aged', 23), ('ancient', 25)) h(name, hours);

-- Held for long, by two transactions of one session one after the other, and for a minute; for a second less, before the window only, and by nobody any more.
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, pid, name, role_name, database_name, state, since, age, catalogs_only)
SELECT t.node_id, t.sample_id, t.taken_at, h.kind, h.pid, h.name, h.role, h.database, h.state, '{from}'::timestamptz + h.since * interval '1 s', h.age + t.n, false
FROM tick t, (VALUES ('backend', 77, 'report', 'anna', 'app', 'idle in transaction', -600, 2000, 2), ('backend', 77, 'report', 'anna', 'app', 'active', 700, 200, 11),
    ('prepared transaction', NULL, 'gid', 'bert', 'app', NULL, 2340, 300, 11), ('prepared transaction', NULL, 'gid 2', 'bert', 'app', NULL, 2340, 310, 11),
    ('backend', 78, 'short', 'anna', 'app', 'active', 2341, 3000, 11), ('backend', 79, 'before', 'anna', 'app', 'active', -3000, 4000, 0),
    ('replication slot', NULL, 'slot', NULL, NULL, NULL, NULL, 100, 11), ('replication slot', NULL, 'young', NULL, NULL, NULL, NULL, -5, 11))
    h(kind, pid, name, role, database, state, since, age, last)
WHERE t.n <= h.last AND (h.since IS NULL OR '{from}'::timestamptz + h.since * interval '1 s' < t.taken_at);

INSERT INTO pgperf.buffer_usage_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, relation_kind, fork, usage_count, buffers, dirty, pinned)
SELECT t.node_id, t.sample_id, t.taken_at, b.database, b.schema, b.relation, b.kind, b.fork, b.usage, b.buffers * (10 + t.n), b.dirty * (10 + t.n), 1
FROM tick t, (VALUES ('app', 'public', 'alpha', 'table', 'main', 0, 1, 0), ('app', 'public', 'alpha', 'table', 'vm', 0, 2, 1), ('app', 'public', 'alpha', 'table', 'main', 1, 2, 1),
    ('app', 'public', 'alpha', 'table', 'fsm', 1, 3, 1), ('app', 'public', 'alpha', 'table', 'fsm', 3, 5, 2), ('app', 'public', 'alpha', 'table', 'main', 3, 6, 2),
    ('app', 'public', 'alpha_pkey', 'index', 'main', 2, 3, 1), ('app', 'public', 'alpha_pkey', 'index', 'fsm', 2, 4, 2), ('app', 'public', 'alpha_pkey', 'index', 'main', 4, 6, 2),
    ('app', 'public', 'alpha_pkey', 'index', 'fsm', 4, 7, 4), ('second', NULL, NULL, NULL, 'main', 5, 8, 3), ('second', NULL, NULL, NULL, 'fsm', 5, 9, 5),
    (NULL, NULL, NULL, NULL, NULL, NULL, 19, 0)) b(database, schema, relation, kind, fork, usage, buffers, dirty);
INSERT INTO pgperf.buffer_counter_history (node_id, sample_id, taken_at, blks_hit, blks_read, buffers_checkpoint, buffers_clean, maxwritten_clean, buffers_backend, buffers_alloc, evictions, databases_mark)
SELECT node_id, sample_id, taken_at, k + m * 863, k + m * 401, k + m * 859, k + m * 857, k + m * 853, k + m * 839, k + m * 409, k + m * 419, 1 FROM tick;
INSERT INTO pgperf.hit_curve_history (node_id, sample_id, taken_at, run_id, shared_buffers_bytes, times, hit_percent, low, high, seconds, blks_hit, blks_read)
-- An estimate without bounds is one where nothing had to leave. Of 100 n accesses 30, 20 and 450 were hits. Each row stands for 10 n seconds.
SELECT node_id, sample_id, taken_at, NULL::bigint, 134217728, 1, 50 + y, NULL::float8, NULL::float8, 10 * abs(n), CASE n WHEN 1 THEN 30 WHEN 2 THEN 20 ELSE 450 END,
       CASE n WHEN 1 THEN 70 WHEN 2 THEN 180 ELSE 50 END FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, NULL, 268435456, 2, 60 + y, CASE WHEN n < 5 THEN 57 + y END, CASE WHEN n < 5 THEN 64 + y END, 10 * abs(n), CASE n WHEN 1 THEN 30 WHEN 2 THEN 20 ELSE 450 END,
       CASE n WHEN 1 THEN 70 WHEN 2 THEN 180 ELSE 50 END FROM tick
-- A run's, one where nothing was accessed, one of which nothing can be said.
UNION ALL SELECT node_id, sample_id, taken_at, 1, 134217728, 1, 1, 1, 1, 1000, 1000, 1000 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, NULL, 134217728, 1, 1, NULL, NULL, 1000, 0, 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, NULL, 268435456, 2, NULL, NULL, NULL, 1000, 1000, 1000 FROM tick;

INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync, wal_write_time_ms,
    wal_sync_time_ms, next_xid, xact_commit, redo_lsn, rmgr_start_lsn, rmgr_end_lsn, rmgr_sampled_percent)
SELECT node_id, sample_id, taken_at, '1/0'::pg_lsn + n * 10009, '1/0'::pg_lsn + n * 829, k + m * 421, k + m * 431, 100 * k + m * 10000019, k + m * 433, k + m * 439, k + m * 443, k + m * 1019,
       k + m * 1021, (k + m * 449)::text::xid8, k + m * 827, '1/0',
       '1/0'::pg_lsn, '1/0'::pg_lsn + COALESCE(NULLIF(abs(n), 0), 3) * 1000, CASE n WHEN 5 THEN 50 ELSE 100 END FROM tick;
-- All was read, but for the last range, of which it was half.
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT t.node_id, t.sample_id, t.taken_at, '0/0', '0/1', r.manager, r.type, COALESCE(NULLIF(abs(t.n), 0), 3) * r.records, COALESCE(NULLIF(abs(t.n), 0), 3) * r.bytes, COALESCE(NULLIF(abs(t.n), 0), 3) * r.images, CASE t.n WHEN 5 THEN 50 ELSE 100 END
FROM tick t, (VALUES ('Heap', 'INSERT', 457, 100003, 200003), ('Heap', 'UPDATE', 461, 300007, 400009), ('Btree', 'INSERT_LEAF', 463, 500009, 60007)) r(manager, type, records, bytes, images);
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_archived_wal, last_archived_time, last_failed_wal,
    last_failed_time, ready_files, oldest_ready_s, behind_bytes)
SELECT node_id, sample_id, taken_at, 'on', k + m * 467, k + m * 479, 'file ' || 20 - n, taken_at - interval '10 s', 'lost ' || n, taken_at - interval '20 s', z, z + 0.5, 1000 * y FROM tick;
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, num_done, restartpoints_timed,
    restartpoints_req, restartpoints_done, write_time, sync_time, buffers_written, slru_written, buffers_clean, maxwritten_clean, buffers_backend, buffers_backend_fsync, buffers_alloc)
SELECT node_id, sample_id, taken_at, n = 2, '0/0', '0/0', taken_at, k + m * 3, k + m * 5, k + m * 487, k + m * 823, k + m * 821, k + m * 491, k + m * 1031, k + m * 1033, k + m * 499, k + m * 503,
       k + m * 509, k + m * 521, k + m * 523, k + m * 541, k + m * 811 FROM tick;

-- Ages at the end are those of the last complete sample.
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, schema_name, relation_name, next_xid, frozen_xid_age, next_multixid, multixact_age, horizon_age,
    freeze_max_age, failsafe_age, multixact_freeze_max_age, multixact_failsafe_age)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'app' ELSE 'second' END, NULL, NULL, (k + m * 547)::text::xid8, x * 10000 * y, k + m * 557, x * 1000 * z, x * y, 200000000, 1600000000, 400000000, 1700000000
FROM tick, two
UNION ALL
SELECT node_id, sample_id, taken_at, 'app', r.schema, r.name, (k + m * 547)::text::xid8, r.age * y, k, r.age * z, NULL, NULL, NULL, NULL, NULL
FROM tick, (VALUES ('public', 'alpha', 7000), ('public', 'beta', 5000), ('pg_catalog', 'pg_class', 9000), ('pgperf', 'samples', 9001)) r(schema, name, age);

-- A slot in all samples, two standbys of one name in some, a subscription.
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, client, active, state, sync_state, sent_lag_bytes, write_lag_bytes, flush_lag_bytes, replay_lag_bytes,
    write_lag_ms, flush_lag_ms, replay_lag_ms, instance)
SELECT node_id, sample_id, taken_at, 'standby', 'west', CASE x WHEN 1 THEN '10.0.0.1' ELSE '10.0.0.2' END, true, 'streaming ' || n, CASE n WHEN 5 THEN 'sync ' ELSE 'async ' END || x, 809, 797, 787, x * 100 * z, 773, 769, x * (z + 0.5), 1
FROM tick, two WHERE x = 1 OR n <> 1;
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, wal_status, retained_bytes, safe_wal_size, xmin_age, catalog_xmin_age, spill_bytes, stream_bytes, total_bytes)
SELECT node_id, sample_id, taken_at, 'slot', CASE x WHEN 1 THEN 'kept' ELSE 'decoded' END, CASE x WHEN 1 THEN n > 2 ELSE true END, CASE n WHEN 5 THEN 'extended' ELSE 'reserved' END, x * 1000 * z,
       x * 2000 * y, CASE x WHEN 1 THEN z ELSE 1 END, CASE x WHEN 1 THEN 1 ELSE 3 * z END, CASE x WHEN 3 THEN k + GREATEST(n, 1) * 563 END, k + m * 761, k + m * 757 FROM tick, two;
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, apply_error_count, sync_error_count)
SELECT node_id, sample_id, taken_at, 'subscription', 'feed', false, k + GREATEST(n, 1) * 569, k + m * 751 FROM tick;

INSERT INTO pgperf.slru_history (node_id, sample_id, taken_at, name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'Xact' ELSE 'Subtrans' END, k + m * x * 587, k + m * (4 - x) * 571, k + m * x * 577, k + m * x * 593, k + m * x * 599, k + m * x * 743, k + m * x * 601 FROM tick, two
UNION ALL
-- One that is only looked at.
SELECT node_id, sample_id, taken_at, 'Notify', k, k, k, k, k + n, k + n, k + n FROM tick;
INSERT INTO pgperf.lock_history (node_id, sample_id, taken_at, lock_type, waits, wait_time, fastpath_exceeded)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'relation' ELSE 'tuple' END, k + m * x * 1061, k + m * x * 1063, k + m * (x % 3) * 1069 FROM tick, two
UNION ALL
SELECT node_id, sample_id, taken_at, 'advisory', k, k, k FROM tick;
INSERT INTO pgperf.autovacuum_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, score, xid_score, mxid_score, vacuum_score, vacuum_insert_score,
    analyze_score, do_vacuum, do_analyze, for_wraparound)
SELECT node_id, sample_id, taken_at, 7000 + x, 'public', 'due_' || x, x * z, 0.5, 0.25, CASE x WHEN 1 THEN z ELSE 1 END, 0, CASE x WHEN 3 THEN 3 * z ELSE 0 END, x = 1, n = 5, false FROM tick, two
UNION ALL
-- One that was taken before the end.
SELECT node_id, sample_id, taken_at, 7009, 'public', 'taken', 9, 9, 0, 0, 0, 0, true, false, false FROM tick WHERE n < 5
UNION ALL
SELECT node_id, sample_id, taken_at, 7010, 'public', 'old', 2, 2, 0, 2, 0, 0, true, false, true FROM tick WHERE n > 0;
-- Until PostgreSQL 17 with the size of an operation, from 18 on with bytes.
INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, op_bytes, reads, read_bytes, read_time, writes, write_bytes, write_time, writebacks, writeback_time,
    extends, extend_bytes, extend_time, hits, evictions, reuses, fsyncs, fsync_time)
SELECT node_id, sample_id, taken_at, CASE x WHEN 1 THEN 'client backend' ELSE 'checkpointer' END, 'relation', CASE x WHEN 1 THEN 'normal' ELSE 'bulkwrite' END, CASE x WHEN 1 THEN 4096 END, k + m * x * 607,
       CASE x WHEN 3 THEN k + m * 613 END, k + m * x * 1039, k + m * x * 617, CASE x WHEN 3 THEN k + m * 619 END, k + m * x * 1049, k + m * x * 739, k + m * x * 733, k + m * x * 631,
       CASE x WHEN 3 THEN k + m * 641 END, k + m * x * 727, k + m * x * 643, k + m * x * 647, k + m * x * 653, k + m * x * 659, k + m * x * 1051 FROM tick, two
UNION ALL
-- One that had counted nothing before, and lacks some counts; one that has done nothing since.
SELECT node_id, sample_id, taken_at, 'walwriter', 'relation', 'normal', 4096, n * 11, NULL, n * 13, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, n * 17, n * 19, n * 23, n * 29, n * 31 FROM tick WHERE n >= 2
UNION ALL
SELECT node_id, sample_id, taken_at, 'autovacuum worker', 'relation', 'vacuum', 4096, k, NULL, k, k, NULL, k, k, k, k, NULL, k, k + n, k, k, k, k FROM tick;

INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, location, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT t.node_id, t.sample_id, t.taken_at, s.kind, s.name, s.location, s.size * CASE t.n WHEN 0 THEN 17 ELSE t.z END, s.fs, s.total, s.free * t.z
FROM tick t, (VALUES ('tablespace', 'pg_default', NULL, 100, 'fs1', 100000, 200), ('tablespace', 'fast', '/mnt/fast', 300, 'fs2', 900000, 700), ('WAL', 'a_wal', '/mnt/wal', 500, 'fs1', 100000, 200))
    s(kind, name, location, size, fs, total, free);

INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, load_1, load_5, load_15, processes_running, processes_blocked, memory_total_bytes, memory_free_bytes,
    memory_available_bytes, memory_cached_bytes, memory_dirty_bytes, memory_writeback_bytes, huge_pages_total, huge_pages_free, swap_total_bytes, swap_free_bytes, server_processes,
    server_private_bytes, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, cpu_iowait_ms, cpu_irq_ms, cpu_softirq_ms, cpu_steal_ms, context_switches, forks, swap_in_pages, swap_out_pages,
    major_faults, oom_kills)
SELECT node_id, sample_id, taken_at, '{node}', 8, z + 0.5, z + 200, z + 300, z + 400, 2 * z, 9000003, y, 1000 * y, 3000 * y, 5000 * z, 1, 2, 3, 700001, 100 * y, 3 * z, 7000 * z, k + n * n * 661,
       k + m * 673, k + m * 677, k + m * 5003, k + m * 683, k + m * 691, k + m * 701, k + m * 709, k + m * 719, k + m * 1, k + m * 1061, k + m * 1063, k + m * 1069, k + m * 1087 FROM tick;
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, read_ticks, write_ios, write_merges, write_sectors,
    write_ticks, io_ticks, time_in_queue, discard_ios, flush_ios, flush_ticks)
SELECT node_id, sample_id, taken_at, '{node}', CASE x WHEN 1 THEN 'sda' ELSE 'sdb' END, CASE x WHEN 1 THEN 'data' ELSE 'wal' END, x - 1, 1, k + m * x * 67, k + m * x, k + m * x * 71, k + m * x * 1091, k + m * x * 73,
       k + m * x, k + m * x * 79, k + m * x * 1093, k + m * x * 1097, k + m * x * 1103, k, k + m * x * 41, k + m * x * 1109 FROM tick, two;

-- Another sample of the devices, between two checkpoints: neighbours are compared.
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, in_flight, read_ios, read_merges, read_sectors, read_ticks, write_ios, write_merges, write_sectors,
    write_ticks, io_ticks, time_in_queue, discard_ios, flush_ios, flush_ticks)
SELECT node_id, sample_id + 5, '{from}'::timestamptz + interval '1200 s', '{node}', CASE x WHEN 1 THEN 'sda' ELSE 'sdb' END, CASE x WHEN 1 THEN 'data' ELSE 'wal' END, x - 1, 1, k + 10 * x * 67, k + 10 * x, k + 10 * x * 71,
       k + 10 * x * 1091, k + 10 * x * 73, k + 10 * x, k + 10 * x * 79, k + 10 * x * 1093, k + 10 * x * 1097, k + 10 * x * 1103, k, k + 10 * x * 41, k + 10 * x * 1109 FROM tick, two WHERE n = 2;
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time)
SELECT node_id, sample_id + 5, '{from}'::timestamptz + interval '1200 s', false, '0/0', '0/0', taken_at FROM tick WHERE n = 2;

-- Of the first sample all are stored, then changes.
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, database_name, role_name, value, unit, source, pending_restart)
SELECT t.node_id, t.sample_id, t.taken_at, s.name, s.database, s.role, s.value, s.unit, s.source, s.pending
FROM tick t JOIN (VALUES
    (-2, 'work_mem', NULL, NULL, '4096', 'kB', 'default', false), (-2, 'jit', NULL, NULL, 'on', NULL, 'default', false), (0, 'work_mem', NULL, NULL, '5120', 'kB', 'configuration file', false),
    (0, 'work_mem', 'app', NULL, '1024', 'kB', 'database', false), (0, 'work_mem', NULL, 'anna', '2048', 'kB', 'user', false),
    (2, 'work_mem', NULL, NULL, '6144', 'kB', 'configuration file', false), (2, 'max_connections', NULL, NULL, '300', NULL, 'configuration file', true),
    (5, 'work_mem', 'app', 'anna', '7168', 'kB', 'database user', false), (5, 'jit', NULL, NULL, NULL, NULL, 'removed', false), (11, 'jit', NULL, NULL, 'off', NULL, 'session', false))
    s(n, name, database, role, value, unit, source, pending) ON s.n = t.n;
