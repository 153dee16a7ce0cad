-- Eleven samples, a minute apart; number 0 is before the window. Counters grow with the square of the number.
SELECT pgperf.local_node();
SELECT count(*) FROM pgperf_internal.make_partitions(1, NULL, -2);
CREATE TEMP TABLE t AS
SELECT pgperf.local_node() AS node_id, n AS sample_id, date_trunc('minute', now()) + (n - 10) * interval '1 min' - interval '30 s' AS taken_at
FROM generate_series(0, 10) n;
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, elapsed_ms, rows, pages, wal_bytes, complete, outcomes)
SELECT node_id, sample_id, taken_at, 1, 1, 1, 1, 1, true,
       (SELECT jsonb_object_agg(c, '{"status": "ok", "rows": 1, "elapsed_ms": 1}'::jsonb)
        FROM unnest('{database,wal,sessions,waits,statements,wraparound,replication}'::text[]) c)
FROM t;
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, size_bytes, xact_commit, xact_rollback, blks_read, blks_hit, databases_mark, deadlocks)
SELECT node_id, sample_id, taken_at, d, f * (1000000 + 8192 * sample_id * sample_id), f * 6000 * sample_id * sample_id, 0,
       f * (1000 * sample_id + 10 * sample_id * sample_id), f * 90000 * sample_id, CASE WHEN d IS NULL THEN 1 END, f * sample_id
FROM t, (VALUES (current_database()::text, 1), (NULL, 3)) x(d, f);
INSERT INTO pgperf.wal_history (node_id, sample_id, taken_at, insert_lsn, flush_lsn, wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync, next_xid, xact_commit,
    redo_lsn, checkpoint_began_at)
SELECT node_id, sample_id, taken_at, '0/1000000'::pg_lsn + 100000 * sample_id * sample_id, '0/0', 0, 0, 0, 0, 0, 0, '1000', 0, '0/0', taken_at FROM t;
-- No look has come before the window; sample 7 looked half as often.
INSERT INTO pgperf.session_history (node_id, sample_id, taken_at, looks, seen, most, database_name, state, wait_event_type, wait_event)
SELECT node_id, sample_id, taken_at, CASE WHEN sample_id = 7 THEN 30 ELSE 60 END, s + sample_id * f, 1, 'app', st, ty, ev
FROM t, (VALUES ('active', NULL, NULL, 60, 5), ('active', 'IO', 'DataFileRead', 30, 3), ('active', 'Client', 'ClientRead', 7, 0),
         ('idle in transaction', 'Client', 'ClientRead', 20, 0)) x(st, ty, ev, s, f)
WHERE sample_id > 0;
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT node_id, sample_id, taken_at, so, 'client backend', st, ty, ev, 1, s + sample_id % 3
FROM t, (VALUES ('activity', 'active', NULL, NULL, 2), ('activity', 'active', 'Lock', 'tuple', 1), ('activity', 'active', 'Client', 'ClientRead', 9),
         ('activity', 'idle in transaction', 'Client', 'ClientRead', 4), ('run clients', 'active', NULL, NULL, 50)) x(so, st, ty, ev, s);
-- Statement 11 has most time, 12 the longest mean, 13 is a part of another one.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, database_name, statements, left_out, dealloc,
    calls, total_exec_time, rows, shared_blks_hit, shared_blks_read, temp_blks_read, temp_blks_written, wal_bytes, min_exec_time, max_exec_time)
SELECT node_id, sample_id, taken_at, q, 10, 5, q <> 13, NULLIF(sample_id, 0) - 1, 'app', 3, 0, 0,
       1000 + c * sample_id, 5000 + m * sample_id * sample_id, 0, 0, 0, 0, 0, 0, 0.1, 1000
FROM t, (VALUES (11, 40, 30), (12, 1, 20), (13, 40, 90)) x(q, c, m);
INSERT INTO pgperf.statement_texts SELECT pgperf.local_node(), q, 5, now(), s FROM (VALUES (11, E'SELECT\n  most'), (12, 'SELECT slow'), (13, 'SELECT nested')) x(q, s);
INSERT INTO pgperf.wraparound_history (node_id, sample_id, taken_at, database_name, next_xid, frozen_xid_age, next_multixid, multixact_age, horizon_age)
SELECT node_id, sample_id, taken_at, d, '1000', 100, 1, 1, a + 100 * (sample_id % 6) FROM t, (VALUES ('app', 700), ('other', 50)) x(d, a);
INSERT INTO pgperf.replication_history (node_id, sample_id, taken_at, kind, name, replay_lag_bytes, retained_bytes)
SELECT node_id, sample_id, taken_at, k, m, l * (sample_id % 6), 9000000 FROM t, (VALUES ('standby', 'near', 1000), ('standby', 'far', 70000), ('slot', 'kept', NULL)) x(k, m, l)
WHERE sample_id > 0;
