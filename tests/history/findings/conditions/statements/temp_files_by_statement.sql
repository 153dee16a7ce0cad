-- temp_files of {as}
-- conditions: statements/temp_files.sql 25
-- as: 2
-- query: SELECT sort
-- blocks: CASE WHEN m > 0 THEN 1000 ELSE 0 END
-- others: 0
-- database: app
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, temp_files, temp_bytes)
SELECT node_id, sample_id, taken_at, 'app', 0, 0, 0, 0, GREATEST(m, 0), GREATEST(m, 0) * 1073741824 / 60 FROM tick WHERE m >= -60;
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, q, 5, taken_at, CASE q WHEN 2 THEN '{query}' ELSE 'SELECT hash' END FROM tick, generate_series(2, 3) q WHERE m = 30;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, database_name, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, temp_blks_written)
SELECT node_id, sample_id, taken_at, 2, 10, 5, '{database}', true, NULLIF(sample_id - 1, 879), 1, 1, CASE WHEN m > 0 THEN 121 ELSE 120 END, 1, 1, {blocks} FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 3, 10, 5, 'app', true, NULLIF(sample_id - 1, 879), 1, 1, m + 120, m + 120, 1, CASE WHEN m > 0 THEN {others} ELSE 0 END FROM tick;

-- rows
-- the statement that writes most | 10m 1h | => note, kind=statement & ; most by 1 call, which wrote 8000 kB: SELECT sort { & "queryid": 2, & "time_percent": 0.0 | others = 999 => note | as = 3; others = 1001 => note, ; most by 60 calls, which wrote 8008 kB: SELECT hash & "time_percent": 100.0
-- which is not pgperf's own | | query = SELECT pgperf.sort; as = 3; others = 1 => note, SELECT hash | query = SELECT PGPERF; as = app => note, kind=database
-- in the window | | blocks = 1000; as = app => note, kind=database & 1024 MB together {
-- of this database | | database = other; as = app => note, kind=database
