-- rollbacks of database {n}
-- conditions: server/rollbacks.sql 23
-- about: counters
-- before_c: 0
-- before_r: 0
-- c: 1900
-- r: 100
-- begins: 30
-- older: 0
-- older_at: -60
-- during: m >= -60
-- steady: 0
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read)
SELECT node_id, sample_id, taken_at, 'database {n}', {steady} * (m + 120) + CASE WHEN m >= -30 THEN {before_c} ELSE 0 END + CASE WHEN m >= {begins} THEN {c} ELSE 0 END,
       CASE WHEN m >= {older_at} THEN {older} ELSE 0 END + CASE WHEN m >= -30 THEN {before_r} ELSE 0 END + CASE WHEN m >= {begins} THEN {r} ELSE 0 END, 0, 0 FROM tick WHERE {during};

-- rows
-- 5 % of the transactions | 10m 1h 1d | => note, weight=5 kind=database & since=29 until=30: 100 of 2,000 transactions were rolled back between & , 5.0 %; at other times, there were no transactions | c = 19001; r = 1000 => silent | c = 19000; r = 1000 => note, 1,000 of 20,000
-- a hundred | | c = 1000 => note | c = 1000; r = 99 => silent
-- twice the share of before | 10m 1h 1d | before_c = 975; before_r = 25 => note, 5.0 %; at other times, 2.5 % | before_c = 974; before_r = 26 => silent
-- samples of other times | | during = m >= -1 => note | during = m >= 0 => note | during = m IN (29, 30) => silent
-- before: as long as the window | 10m 1h 1d | during = true; older = 5000; older_at = -59 => note, there were no transactions | during = true; older = 5000; older_at = -58 => silent
-- before: a day | 2d | older = 5000; older_at = -29 => note, there were no transactions | older = 5000; older_at = -28 => silent
-- a warning from 20 % on | | c = 400 => warning, weight=120 | c = 401 => note
-- in the window | 10m 1h 1d | begins = 1 => note | begins = 0 => silent | begins = 60 => note
-- a surge among many others | 10m 1h 1d | steady = 10000; r = 700 => note, since=29 until=30 & 700 of 12,600 & 5.6 %; at other times, 0.0 % | steady = 10000; r = 600 => silent
