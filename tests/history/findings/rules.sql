-- Rows of the history, of minutes m, from an hour before the window to its end (m = 60). Each case begins with its rule and two values of {x}: one at
-- which the rule speaks, and one just short of it, at which no rule does. The values are separated by " | ". Behind " in " stands the length of the
-- window, an hour if there is none: a minute m is always a sixtieth of it.

-- new_statement: 1001 | 999
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 300 * (m + 60), 90000 * (m + 60) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, {x} * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- new_statement: 10001 | 9999
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 190000 * (m + 60) / 60.0, 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, {x} * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- new_statement: :other + 1 | :id
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, spec, stored_status, started_at, ended_at)
SELECT node_id, 7001, 'run', 'script', 'app', 1, '{}', 'finished', taken_at + interval '50 s', taken_at + interval '20 minutes' FROM tick WHERE m = 30;
INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql)
SELECT node_id, 7001, 0, 'script', 0, 'UPDATE orders SET n = n + 10,  label = :label::text WHERE id = {x};', true FROM tick WHERE m = 30;
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, 2, 5, taken_at, 'UPDATE orders SET n = n + $1, label = $2::text WHERE id = $3' FROM tick WHERE m = 31;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 300 * (m + 60), 90000 * (m + 60) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, 2000 * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- slower_statement: 201 | 199
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (60 + LEAST(m, 0)) + {x} * GREATEST(m, 0),
       10000 * (60 + LEAST(m, 0)) + {x} ^ 2 * GREATEST(m, 0) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (m + 60), 10000 * (m + 60) FROM tick;

-- temp_files: 1073741880 | 1073741760
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, temp_files, temp_bytes)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, GREATEST(m, 0), GREATEST(m, 0) * {x} / 60 FROM tick;

-- wal_jump: 34 | 32
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + l, '0/0'::pg_lsn + l, '1000'
FROM tick, LATERAL (SELECT 1048576.0 * (m + 60 + CASE WHEN m >= 30 THEN {x} - 1 ELSE 0 END) AS l) x;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, wal_bytes)
SELECT node_id, sample_id, taken_at, 3, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, m + 60, m + 60, CASE WHEN m >= 30 THEN {x} * 1048576 ELSE 0 END FROM tick;

-- evicted_statements: 6 | 5
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 5000, 0, LEAST({x}, GREATEST(m, 0) / 10) FROM tick;

-- new_statement: 5264 | 5263
-- The share of the time, where a second is less.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100000 * (m + 60) / 60.0, 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, {x} * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- new_statement: 1001 | 999 in 10 minutes
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 300 * (m + 60), 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, {x} * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- new_statement: 1001 | 999 in 1 day
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 300 * (m + 60), 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, {x} * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- slower_statement: 201 | 199 in 10 minutes
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (60 + LEAST(m, 0)) + {x} * GREATEST(m, 0),
       10000 * (60 + LEAST(m, 0)) + {x} ^ 2 * GREATEST(m, 0) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (m + 60), 10000 * (m + 60) FROM tick;

-- slower_statement: 201 | 199 in 1 day
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (60 + LEAST(m, 0)) + {x} * GREATEST(m, 0),
       10000 * (60 + LEAST(m, 0)) + {x} ^ 2 * GREATEST(m, 0) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (m + 60), 10000 * (m + 60) FROM tick;

-- slower_statement: 20 | 19
-- Calls in the window.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, 60 + LEAST(m, 0) + LEAST(GREATEST(m, 0), {x}),
       100 * (60 + LEAST(m, 0)) + 400 * LEAST(GREATEST(m, 0), {x}), 10000 * (60 + LEAST(m, 0)) + 160000 * LEAST(GREATEST(m, 0), {x}) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (m + 60), 10000 * (m + 60) FROM tick;

-- slower_statement: 266 | 268
-- The other one slowed down, too, to {x} ms: 400 ms is half as much again as that.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, m + 60, 100 * (60 + LEAST(m, 0)) + 400 * GREATEST(m, 0),
       10000 * (60 + LEAST(m, 0)) + 160000 * GREATEST(m, 0) FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, (m + 60) / 10, 100 * ((60 + LEAST(m, 0)) / 10) + {x} * (GREATEST(m, 0) / 10),
       10000 * ((60 + LEAST(m, 0)) / 10) + {x} ^ 2 * (GREATEST(m, 0) / 10) FROM tick;

-- temp_files: 178956980 | 178956950 in 10 minutes
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, temp_files, temp_bytes)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, GREATEST(m, 0), GREATEST(m, 0) * {x} / 60 FROM tick;

-- temp_files: 25769803800 | 25769803740 in 1 day
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, temp_files, temp_bytes)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, GREATEST(m, 0), GREATEST(m, 0) * {x} / 60 FROM tick;

-- evicted_statements: 1 | 0 in 10 minutes
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 5000, 0, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- evicted_statements: 144 | 143 in 1 day
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, statements, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 5000, 0, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- sequential_scans: 48 | 47 in 1 day
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, reltuples, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 1e8, 1000, LEAST({x}, GREATEST(m, 0)), LEAST({x}, GREATEST(m, 0)) * 1000 FROM tick WHERE m % 5 = 0;

-- horizon_held: 600 | 599 in 10 minutes
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (1000 + m)::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, 'app', 'active', taken_at - {x} * interval '1 s', 1000, false FROM tick WHERE m = 30;

-- horizon_held: 600 | 599 in 1 day
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (1000 + m)::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, 'app', 'active', taken_at - {x} * interval '1 s', 1000, false FROM tick WHERE m = 30;

-- gap: 34 | 33 in 10 minutes
DELETE FROM pgperf.samples s USING tick t WHERE s.sample_id = t.sample_id AND t.m BETWEEN 30 AND {x};

-- gap: 34 | 33 in 1 day
DELETE FROM pgperf.samples s USING tick t WHERE s.sample_id = t.sample_id AND t.m BETWEEN 30 AND {x};

-- connections: 90 | 89 in 10 minutes
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'idle', 'Client', 'ClientRead', 1, {x} FROM tick WHERE m = 30;

-- connections: 90 | 89 in 1 day
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'idle', 'Client', 'ClientRead', 1, {x} FROM tick WHERE m = 30;

-- bulk_delete: 10000 | 9999
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, n_live_tup, n_dead_tup, n_tup_del)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', CASE WHEN m >= 30 THEN 90000 ELSE 100000 END, 0, CASE WHEN m >= 30 THEN {x} ELSE 0 END
FROM tick WHERE m % 5 = 0;

-- unused_index: 8388608 | 8388607
CREATE TABLE orders (id int, label text);
CREATE INDEX orders_label ON orders (label);
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, idx_scan, n_tup_ins)
SELECT node_id, sample_id, taken_at, 'orders_label'::regclass, 'public', 'orders_label', 'index', 'orders', {x}, 7, NULL FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 'orders'::regclass, 'public', 'orders', 'table', NULL, 1e9, 7, m + 60 FROM tick WHERE m % 5 = 0;

-- unused_index: 7 | 8
CREATE TABLE orders (id int, label text);
CREATE INDEX orders_label ON orders (label);
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, size_bytes, idx_scan, n_tup_ins)
SELECT node_id, sample_id, taken_at, 'orders_label'::regclass, 'public', 'orders_label', 'index', 'orders', 1e8, CASE WHEN m < 0 THEN 7 ELSE {x} END, NULL FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 'orders'::regclass, 'public', 'orders', 'table', NULL, 1e9, 7, m + 60 FROM tick WHERE m % 5 = 0;

-- duplicate_index: 1024 | 1023
CREATE TABLE orders (id int, label text);
CREATE INDEX orders_label ON orders (label);
CREATE INDEX orders_label_id ON orders (label, id);
UPDATE pg_class SET relpages = {x} WHERE oid = 'orders_label'::regclass;

-- sequential_scans: 67108864 | 67108863
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, reltuples, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', {x}, 1000, (m + 60) / 5, (m + 60) / 5 * 1000 FROM tick WHERE m % 5 = 0;

-- sequential_scans: 5 | 4
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, size_bytes, reltuples, seq_scan, seq_tup_read)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 1e8, 1000, LEAST({x}, GREATEST(m, 0) / 5), LEAST({x}, GREATEST(m, 0) / 5) * 1000 FROM tick WHERE m % 5 = 0;

-- few_hot_updates: 14999 | 15000
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, table_name, n_live_tup, n_tup_upd, n_tup_hot_upd)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', NULL, 50000, CASE WHEN m >= 30 THEN 50000 ELSE 0 END, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 90001 + i, 'public', 'index_' || i, 'index', 'orders', NULL, NULL, NULL FROM tick, generate_series(1, 2) i WHERE m % 5 = 0;

-- autovacuum_behind: 10000 | 9999
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, reltuples, n_live_tup, n_dead_tup)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 10000, 10000, {x} FROM tick WHERE m % 5 = 0;

-- autovacuum_behind: 10001 | 9998
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT node_id, sample_id, taken_at, n, '0', 'configuration file', false FROM tick, unnest('{autovacuum_vacuum_threshold,autovacuum_vacuum_scale_factor}'::text[]) n WHERE m = -30;
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, reltuples, n_live_tup, n_dead_tup)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 10000, 10000, {x} FROM tick WHERE m % 5 = 0;

-- autovacuum_behind: 0 | 60
-- A vacuum by hand between two samples counts.
INSERT INTO pgperf.relation_history (node_id, sample_id, taken_at, relation_oid, schema_name, relation_name, relation_kind, reltuples, n_live_tup, n_dead_tup, vacuum_count, autovacuum_count)
SELECT node_id, sample_id, taken_at, 90001, 'public', 'orders', 'table', 10000, 10000, 10000, CASE WHEN m >= {x} THEN 1 ELSE 0 END, 0 FROM tick WHERE m % 5 = 0;

-- table_bloat: 31 | 30.9
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'orders', 'table', 'sampled', 100000000, 100, p * 1000000, p, 1 FROM tick, LATERAL (SELECT CASE WHEN m > 0 THEN {x} ELSE 5 END AS p) x WHERE m IN (-30, 30);

-- index_bloat: 41 | 40.9
INSERT INTO pgperf.bloat_history (node_id, sample_id, taken_at, schema_name, relation_name, relation_kind, method, size_bytes, pages_read, bloat_bytes, bloat_percent, error_margin_percent)
SELECT node_id, sample_id, taken_at, 'public', 'orders_label', 'index', 'sampled', 100000000, 100, p * 1000000, p, 1 FROM tick, LATERAL (SELECT CASE WHEN m > 0 THEN {x} ELSE 5 END AS p) x WHERE m IN (-30, 30);

-- horizon_held: 600 | 599
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (1000 + m)::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, 'app', 'active', taken_at - {x} * interval '1 s', 1000, false FROM tick WHERE m = 30;

-- horizon_held: 1000 | 999
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (1000 + m)::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, 'app', 'active', taken_at - interval '1 hour', {x}, false FROM tick WHERE m = 30;

-- idle_in_transaction: 300 | 299
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid)
SELECT node_id, sample_id, taken_at, 'app', (1000 + m)::text::xid8, 1 FROM tick;
INSERT INTO pgperf.horizon_history (node_id, sample_id, taken_at, holder_kind, database_name, pid, role_name, state, since, age, catalogs_only)
SELECT node_id, sample_id, taken_at, 'backend', 'app', 4711, 'app', 'idle in transaction', taken_at - {x} * interval '1 s', 1000, false FROM tick WHERE m = 30;

-- wraparound: 300000000 | 299999999
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid, frozen_xid_age, freeze_max_age, failsafe_age)
SELECT node_id, sample_id, taken_at, 'app', '500000000', 1, {x}, 200000000, 1600000000 FROM tick;

-- wraparound: 1600000000 | 1599999999
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, next_multixid, frozen_xid_age, freeze_max_age, failsafe_age)
SELECT node_id, sample_id, taken_at, 'app', '500000000', 1, {x}, 1500000000, 1600000000 FROM tick;

-- setting_changed: 8192 | 4096
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, unit, source, pending_restart)
SELECT node_id, sample_id, taken_at, 'work_mem', CASE WHEN m > 0 THEN '{x}' ELSE '4096' END, 'kB', 'configuration file', false FROM tick WHERE m IN (-30, 30);

-- requested_checkpoints: 3 | 2
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', taken_at, 0, LEAST({x}, m / 10 - 1) FROM tick WHERE m % 10 = 0 AND m > 0;
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, next_xid)
SELECT node_id, sample_id, taken_at, '0/0'::pg_lsn + m * 20000000.0, '0/0', '1000' FROM tick WHERE m > 0;

-- page_images: 1073741824 | 1073741823
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', taken_at, 0, 0 FROM tick WHERE m % 4 = 0 AND m > 0;
INSERT INTO pgperf.wal_rmgr_history (node_id, sample_id, taken_at, start_lsn, end_lsn, resource_manager, record_type, records, record_bytes, fpi_bytes, sampled_percent)
SELECT node_id, sample_id, taken_at, '0/0', '0/1', 'Heap', 'INSERT', 1, 1000, {x}, 100 FROM tick WHERE m = 30;

-- backend_writes: 131072 | 131071
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, buffers_written, buffers_clean, buffers_backend)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', '2026-01-01', 0, 0, 0, 0, CASE WHEN m >= 30 THEN 1000 + {x} ELSE 1000 END FROM tick;

-- backend_writes: 199998 | 199997
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, buffers_written, buffers_clean, buffers_backend)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', '2026-01-01', 0, 0, m + 100 + CASE WHEN m >= 30 THEN 99939 ELSE 0 END, CASE WHEN m >= 40 THEN 100000 ELSE 0 END, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- backend_writes: client backend | checkpointer
INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, op_bytes, writes)
SELECT node_id, sample_id, taken_at, '{x}', 'relation', 'normal', 8192, CASE WHEN m >= 30 THEN 140000 ELSE 0 END FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 'client backend', 'relation', 'bulkwrite', 8192, CASE WHEN m >= 30 THEN 100000 ELSE 0 END FROM tick;

-- archive_failures: 29 | 31
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_failed_wal, last_failed_time, last_archived_time, ready_files, oldest_ready_s)
SELECT node_id, sample_id, taken_at, 'on', 1, 1, '000000010000000000000001', taken_at - {x} * interval '1 minute', taken_at - interval '1 minute', 0, NULL FROM tick WHERE m = 30;

-- archive_behind: 600 | 599
INSERT INTO pgperf.archiver_history (node_id, sample_id, taken_at, archive_mode, archived_count, failed_count, last_archived_time, ready_files, oldest_ready_s, behind_bytes)
SELECT node_id, sample_id, taken_at, 'on', 1, 0, taken_at, 40, {x}, 1e9 FROM tick WHERE m = 60;

-- file_system_full: 4900000000 | 5100000000
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'pg_default', 1e9, '8:1', 100000000000, {x} FROM tick WHERE m % 5 = 0;

-- file_system_full: 0.99 | 1.01
-- 100 MB a minute for two hours: the forecast reaches 840 minutes.
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'pg_default', 1e9, '8:1', 1e12, 840 * {x} * 1e8 + (60 - m) * 1e8 FROM tick WHERE m % 5 = 0;

-- file_system_full: 0.49 | 0.99
-- The same in the last hour alone: the lower rate, that of two hours, counts.
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'pg_default', 1e9, '8:1', 1e12, 840 * {x} * 1e8 + LEAST(60 - m, 60) * 1e8 FROM tick WHERE m % 5 = 0;

-- lock_waits: 30 | 29
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', NULL, NULL, 1, 1 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', 'Lock', 'transactionid', 1, 1 FROM tick WHERE m BETWEEN 1 AND {x};

-- lock_waits: 5 | 4
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', NULL, NULL, 1, 1 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'active', 'Lock', 'relation', 1, {x} FROM tick WHERE m BETWEEN 1 AND 3;

-- connections: 90 | 89
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'idle', 'Client', 'ClientRead', 1, {x} FROM tick WHERE m = 30;

-- connections: 90 | 89
-- What was raised, and waits for a restart, is not in force.
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT node_id, sample_id, taken_at, 'max_connections', CASE m WHEN -50 THEN '100' ELSE '1000' END, 'configuration file', m > -50 FROM tick WHERE m IN (-50, -40);
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, 'activity', 'client backend', 'idle', 'Client', 'ClientRead', 1, {x} FROM tick WHERE m = 30;

-- deadlocks: 1 | 0
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, deadlocks)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- rollbacks: 100 | 99
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read)
SELECT node_id, sample_id, taken_at, 'app', CASE WHEN m >= 30 THEN 1900 ELSE 0 END, CASE WHEN m >= 30 THEN {x} ELSE 0 END, 0, 0 FROM tick;

-- hit_ratio_drop: 131100 | 131040
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, (m + 60) * 20000, GREATEST(m, 0) * {x} / 60 FROM tick;

-- checksum_failures: 1 | 0
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, checksum_failures)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- checksum_failures: 3 | 2
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, databases_mark, xact_commit, xact_rollback, blks_hit, blks_read, checksum_failures)
SELECT node_id, sample_id, taken_at, NULL, 7, 0, 0, 0, 0, CASE WHEN m >= 30 THEN {x} ELSE 2 END FROM tick;

-- standby_lag: 1073741824 | 1073741823
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, replay_lag_bytes)
SELECT node_id, sample_id, taken_at, 'standby', 'second', {x} FROM tick WHERE m BETWEEN 1 AND 3;

-- standby_lag: 3 | 2
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, replay_lag_ms)
SELECT node_id, sample_id, taken_at, 'standby', 'second', 60000 FROM tick WHERE m BETWEEN 1 AND {x};

-- slot_holds_wal: 1073741824 | 1073741823
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, retained_bytes, wal_status)
SELECT node_id, sample_id, taken_at, 'slot', 'forgotten', false, {x}, 'extended' FROM tick WHERE m BETWEEN 1 AND 6;

-- slot_holds_wal: lost | reserved
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, active, retained_bytes, wal_status)
SELECT node_id, sample_id, taken_at, 'slot', 'forgotten', false, NULL, '{x}' FROM tick WHERE m BETWEEN 1 AND 6;

-- subscription_errors: 1 | 0
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, apply_error_count, sync_error_count)
SELECT node_id, sample_id, taken_at, 'subscription', 'central', CASE WHEN m >= 30 THEN {x} ELSE 0 END, 0 FROM tick;

-- subscription_errors: 5 | -5
-- Errors before the window are not of it.
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, apply_error_count, sync_error_count)
SELECT node_id, sample_id, taken_at, 'subscription', 'central', CASE WHEN m >= {x} THEN 3 ELSE 0 END, 0 FROM tick;

-- cpu_saturated: 5999 | 6001
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 1, (m + 60) * (60000 - {x}), 0, 0, (m + 60) * {x} FROM tick;

-- device_saturated: 54100 | 53900
INSERT INTO pgperf.device_history (node_id, sample_id, taken_at, boot_id, device, holds, level, read_ios, read_ticks, write_ios, write_ticks, io_ticks, time_in_queue)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 'sda', 'data', 0, n * 1000, n * 30000, 0, 0, n * {x}, n * 150000 FROM tick, LATERAL (SELECT m + 60 AS n) x;

-- swapping: 25600 | 25599
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, swap_in_pages, swap_out_pages)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 1, 0, 0, 0, (m + 60) * 60000, CASE WHEN m >= 30 THEN {x} ELSE 0 END, (m + 60) * 1000 FROM tick;

-- oom_kills: 1 | 0
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, oom_kills)
SELECT node_id, sample_id, taken_at, '00000000-0000-0000-0000-000000000001', 1, 0, 0, 0, (m + 60) * 60000, CASE WHEN m >= 30 THEN {x} ELSE 0 END FROM tick;

-- no_samples: 0 | 5
DELETE FROM pgperf.samples s USING tick t WHERE s.sample_id = t.sample_id AND ({x} = 0 OR t.m % 5 <> 0);

-- gap: 34 | 33
DELETE FROM pgperf.samples s USING tick t WHERE s.sample_id = t.sample_id AND t.m BETWEEN 30 AND {x};

-- restart: 1 | 0
UPDATE pgperf.samples s SET epoch = s.epoch + {x} FROM tick t WHERE s.sample_id = t.sample_id AND t.m >= 30;

-- restart: 2 | 1
UPDATE pgperf.samples s SET epoch = CASE WHEN t.m >= 30 THEN {x} ELSE 1 END,
    counting = jsonb_build_object('server', CASE WHEN t.m >= 30 THEN '{x}' ELSE '1' END, 'wal', '3', 'background_writer', '3', 'database', '4')
FROM tick t WHERE s.sample_id = t.sample_id;

-- statistics_reset: 2 | 1
UPDATE pgperf.samples s SET epoch = CASE WHEN t.m >= 30 THEN {x} ELSE 1 END,
    counting = jsonb_build_object('server', '5', 'wal', '3', 'background_writer', '3', 'database', CASE WHEN t.m >= 30 THEN '{x}' ELSE '1' END)
FROM tick t WHERE s.sample_id = t.sample_id;

-- collector_failed: failed | skipped
UPDATE pgperf.samples s SET outcomes = '{"host": {"status": "{x}", "reason": "a reason"}}' FROM tick t WHERE s.sample_id = t.sample_id AND t.m = 30;

-- observer: 1190 | 1170
UPDATE pgperf.samples SET cpu_ms = {x};
