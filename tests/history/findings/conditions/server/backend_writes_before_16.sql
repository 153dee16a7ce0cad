-- backend_writes of shared_buffers
-- conditions: server/backend_writes.sql 24
-- about: counters
-- sessions: CASE WHEN m >= 30 THEN 131072 ELSE 0 END
-- checkpoints: 0
-- cleaned: 0
-- reset: NULL
INSERT INTO pgperf.checkpoint_history (node_id, sample_id, taken_at, in_progress, redo_lsn, checkpoint_lsn, checkpoint_time, num_timed, num_requested, buffers_written, buffers_clean, buffers_backend, stats_reset)
SELECT node_id, sample_id, taken_at, false, '0/0', '0/0', '2026-01-01', 0, 0, {checkpoints}, {cleaned}, {sessions}, {reset} FROM tick;

-- rows
-- 1 GB an hour | 1h | => note, weight=99 & at=30 since=0 & sessions wrote 1024 MB of 1024 MB | sessions = CASE WHEN m >= 30 THEN 131071 ELSE 0 END => silent
-- 1 GB an hour | 10m | sessions = CASE WHEN m >= 30 THEN 21846 ELSE 0 END => note | sessions = CASE WHEN m >= 30 THEN 21845 ELSE 0 END => silent
-- half of all pages | | checkpoints = CASE WHEN m >= 30 THEN 131072 ELSE 0 END => note, 50 % | checkpoints = CASE WHEN m >= 30 THEN 131073 ELSE 0 END => silent | cleaned = CASE WHEN m >= 30 THEN 131072 ELSE 0 END => note | cleaned = CASE WHEN m >= 30 THEN 131073 ELSE 0 END => silent
-- in the window | | sessions = CASE WHEN m >= 1 THEN 131072 ELSE 0 END => silent | sessions = CASE WHEN m >= 2 THEN 131072 ELSE 0 END => note
-- counters that began again | | reset = CASE WHEN m >= 30 THEN timestamptz '2026-01-01' END => silent
-- counted by the server | | sessions = NULL; checkpoints = CASE WHEN m >= 30 THEN 131072 ELSE 0 END => silent
