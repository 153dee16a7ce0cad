-- file_system_full of pg_default, pg_wal
-- conditions: storage/file_system_full.sql 19, storage/source.sql 14
-- free: 4999999999
-- wal_free: 4999999998
-- wal_at: true
INSERT INTO pgperf.tablespace_history (node_id, sample_id, taken_at, kind, name, size_bytes, file_system, file_system_bytes, free_bytes)
SELECT node_id, sample_id, taken_at, 'tablespace', 'pg_default', 1e9, '8:1', 1e11, {free} FROM tick WHERE m % 5 = 0
UNION ALL SELECT node_id, sample_id, taken_at, 'WAL', 'pg_wal', 1e9, '8:1', 1e11 - 1, {wal_free} FROM tick WHERE m % 5 = 0 AND {wal_at};

-- rows
-- both are read a moment apart: the lower room counts | | => critical, "free_bytes": 4999999998, & "total_bytes": 100000000000 | free = 4999999990; wal_free = 6000000000 => critical, "free_bytes": 4999999990 | free = 5000000000; wal_free = 5000000000 => silent
