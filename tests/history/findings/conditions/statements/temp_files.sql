-- temp_files of database {n}
-- conditions: statements/temp_files.sql 25
-- about: counters
-- database: 'database {n}'
-- bytes: GREATEST(m, 0) * 1073741824 / 60
-- files: GREATEST(m, 0)
-- during: m >= -60
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, temp_files, temp_bytes)
SELECT node_id, sample_id, taken_at, {database}, 0, 0, 0, 0, {files}, {bytes} FROM tick WHERE {during};

-- rows
-- 1 GB an hour | 1h | => note, weight=10 kind=database & at=60 since=0 until=60: 60 temporary files, 1024 MB together { | bytes = GREATEST(m, 0) * 1073741823 / 60 => silent
-- 1 GB an hour | 10m | bytes = GREATEST(m, 0) * 178956971 / 60 => note | bytes = GREATEST(m, 0) * 178956970 / 60 => silent
-- 1 GB an hour | 1d | bytes = GREATEST(m, 0) * 25769803776 / 60 => note | bytes = GREATEST(m, 0) * 25769803775 / 60 => silent
-- 128 MB at least | 5m | bytes = GREATEST(m, 0) * 134217728 / 60 => note | bytes = GREATEST(m, 0) * 134217727 / 60 => silent
-- a warning from 10 GB an hour on | 1h | bytes = GREATEST(m, 0) * 10737418240 / 60 => warning, weight=199 | bytes = GREATEST(m, 0) * 10737418239 / 60 => note
-- a warning from 10 GB an hour on | 1d | bytes = GREATEST(m, 0) * 257698037760 / 60 => warning | bytes = GREATEST(m, 0) * 257698037759 / 60 => note
-- in the window | 10m 1h | bytes = CASE WHEN m >= 0 THEN 1e10 ELSE 0 END => silent | bytes = CASE WHEN m >= 1 THEN 1073741824 ELSE 0 END => note, at=1 since=0 until=1 | bytes = CASE WHEN m >= 60 THEN 1073741824 ELSE 0 END => note
-- since the sample before | 1h | during = m IN (-59, 30); bytes = CASE WHEN m > 0 THEN 1073741824 ELSE 0 END => note | during = m IN (-60, 30); bytes = CASE WHEN m > 0 THEN 1073741824 ELSE 0 END => silent
-- since the sample before | 2d | during = m IN (-29, 30); bytes = CASE WHEN m > 0 THEN 1e11 ELSE 0 END => note | during = m IN (-30, 30); bytes = CASE WHEN m > 0 THEN 1e11 ELSE 0 END => silent
-- when most of it was written | | bytes = GREATEST(m, 0) * 1000 + CASE WHEN m >= 33 THEN 2000000000 WHEN m >= 31 THEN 1000000000 ELSE 0 END => note, at=33 since=30 until=33
-- of a database | | database = NULL => silent
-- counters that began again | | bytes = CASE WHEN m < 20 THEN 9e9 WHEN m < 40 THEN 0 ELSE 1073741824 END => note, 1024 MB
