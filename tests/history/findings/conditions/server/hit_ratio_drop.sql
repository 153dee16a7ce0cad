-- hit_ratio_drop of database {n}
-- conditions: server/hit_ratio_drop.sql 11
-- about: counters
-- hits: (m + 60) * 20000
-- reads: GREATEST(m, 0) * 131072 / 60
-- during: m >= -60
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read)
SELECT node_id, sample_id, taken_at, 'database {n}', 0, 0, {hits}, {reads} FROM tick WHERE {during};

-- rows
-- 1 GB an hour | 1h | => note, weight=10 kind=database & since=0 until=60: 90.2 % of the blocks were found in shared buffers, before it was 100.0 %; 1024 MB were read | reads = GREATEST(m, 0) * 131071 / 60 => silent
-- 1 GB an hour | 10m | hits = (m + 60) * 3000; reads = GREATEST(m, 0) * 21846 / 60 => note | hits = (m + 60) * 3000; reads = GREATEST(m, 0) * 21845 / 60 => silent
-- 1 GB an hour | 1d | hits = (m + 60) * 400000; reads = GREATEST(m, 0) * 3145728 / 60 => note | hits = (m + 60) * 400000; reads = GREATEST(m, 0) * 3145727 / 60 => silent
-- more than before | 1h | reads = CASE WHEN m <= 0 THEN (m + 60) * 200 ELSE 12000 + m * 143072 / 60 END => note, before it was 99.0 % | reads = CASE WHEN m <= 0 THEN (m + 60) * 200 ELSE 12000 + m * 143071 / 60 END => silent
-- an hour of before is as long as one of the window | 1h | during = m >= -30; reads = CASE WHEN m <= 0 THEN (m + 30) * 200 ELSE 6000 + m * 143072 / 60 END => note | during = m >= -30; reads = CASE WHEN m <= 0 THEN (m + 30) * 200 ELSE 6000 + m * 143071 / 60 END => silent
-- 5 points less | 1h | hits = (m + 60) * 3800000 / 60; reads = GREATEST(m, 0) * 200000 / 60 => note, 95.0 % | hits = (m + 60) * 3800060 / 60; reads = GREATEST(m, 0) * 200000 / 60 => silent
-- than before | 1h | reads = (m + 60) * 131072 / 60 => silent
-- a warning from 20 points on | 1h | reads = GREATEST(m, 0) * 5000 => warning, weight=120 | reads = GREATEST(m, 0) * 5000 - CASE WHEN m = 60 THEN 1 ELSE 0 END => note
-- samples of before | 1h | during = m >= -1 => note | during = m >= 0 => silent
-- that read something | 1h | hits = GREATEST(m, 0) * 20000 => silent
