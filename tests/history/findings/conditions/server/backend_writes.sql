-- backend_writes of shared_buffers
-- conditions: server/backend_writes.sql 24
-- about: counters
-- writes: CASE WHEN m >= 30 THEN 131072 ELSE 0 END
-- op_bytes: 8192
-- bytes: NULL::bigint
-- type: client backend
-- object: relation
-- context: normal
-- reset: NULL::timestamptz
-- others: 0
-- buffers: NULL::bigint
-- Others: the checkpointer. Buffers: the statistics of before PostgreSQL 16.
INSERT INTO pgperf.io_history (node_id, sample_id, taken_at, backend_type, object, context, op_bytes, writes, write_bytes, stats_reset)
SELECT node_id, sample_id, taken_at, '{type}', '{object}', '{context}', {op_bytes}, {writes}, {bytes}, {reset} FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 'checkpointer', 'relation', 'normal', 8192, CASE WHEN m >= 40 THEN {others} ELSE 0 END, NULL, NULL FROM tick;
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, buffers_written, buffers_clean, buffers_backend)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', '2026-01-01', 0, 0, 0, 0, CASE WHEN m >= 30 THEN {buffers} END FROM tick;

-- rows
-- 1 GB an hour | 1h | => note, weight=99 kind=server & at=30 since=0 until=30: sessions wrote 1024 MB of 1024 MB of pages themselves, 100 % | writes = CASE WHEN m >= 30 THEN 131071 ELSE 0 END => silent
-- 1 GB an hour | 10m | writes = CASE WHEN m >= 30 THEN 21846 ELSE 0 END => note | writes = CASE WHEN m >= 30 THEN 21845 ELSE 0 END => silent
-- 1 GB an hour | 1d | writes = CASE WHEN m >= 30 THEN 3145728 ELSE 0 END => note | writes = CASE WHEN m >= 30 THEN 3145727 ELSE 0 END => silent
-- at least that of seven and a half minutes | 5m | writes = CASE WHEN m >= 30 THEN 16384 ELSE 0 END => note | writes = CASE WHEN m >= 30 THEN 16383 ELSE 0 END => silent
-- half of all pages | | others = 131072 => note, 50 % | others = 131073 => silent
-- of sessions | | type = background worker => note | type = autovacuum worker => silent | type = checkpointer => silent
-- through shared buffers | | context = vacuum => silent | context = bulkwrite => silent | object = temp relation => silent
-- as bytes | | bytes = CASE WHEN m >= 30 THEN 1073741824 ELSE 0 END; writes = NULL; op_bytes = NULL => note | bytes = CASE WHEN m >= 30 THEN 1073741823 ELSE 0 END => silent
-- in the window | 10m 1h | writes = CASE WHEN m >= 1 THEN 131072 ELSE 0 END => silent | writes = CASE WHEN m >= 2 THEN 131072 ELSE 0 END => note, at=2 | writes = CASE WHEN m >= 0 THEN 131072 ELSE 0 END => silent
-- counters that began again | | reset = CASE WHEN m >= 30 THEN timestamptz '2026-01-01' END => silent | reset = CASE WHEN m >= 30 THEN timestamptz '2026-01-01' END; writes = 200000 - CASE WHEN m < 30 THEN 0 WHEN m < 40 THEN 200000 ELSE 68928 END => note, at=40
-- a counter that fell | | writes = CASE WHEN m < 20 THEN 900000 WHEN m < 30 THEN 0 ELSE 131072 END => note, 1024 MB of 1024 MB
-- of two statistics the better one | | buffers = CASE WHEN m >= 40 THEN 9000000 ELSE 0 END; writes = CASE WHEN m >= 30 THEN 131071 ELSE 0 END => silent
