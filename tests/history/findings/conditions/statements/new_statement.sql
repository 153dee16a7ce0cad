-- new_statement of 2
-- conditions: statements/new_statement.sql 35, statements/source.sql 66
-- total: 1000
-- appears: 30
-- rest: 18000
-- query: UPDATE orders SET n = 1
-- rest_query: SELECT a
-- known_from: -120
-- sampled: true
-- left_out: 0
-- evictions: 0
-- toplevel: true
-- known: false
-- stats_since: NULL
-- calls: m - {appears}
-- A statement of this many ms in all, one call a sample, beside one that has always been there.
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, q, 5, taken_at, CASE q WHEN 2 THEN '{query}' ELSE '{rest_query}' END FROM tick, generate_series(1, 2) q WHERE m = 31;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, {left_out}, {evictions} FROM tick WHERE m >= {known_from} AND ({sampled});
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, stats_since)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, CASE WHEN m > {known_from} THEN sample_id - 1 END, 1, 1000, m + 120, {rest} * (m + 120) / 60.0, 0, NULL::timestamptz FROM tick WHERE m >= {known_from} AND ({sampled})
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, {toplevel}, CASE WHEN m > {appears} + 1 THEN sample_id - 1 END, 1, 1000, {calls}, {total} * (m - {appears}) / (60.0 - {appears}), 0, {stats_since} FROM tick WHERE m > {appears};

-- rows
-- a second | 10m 1h 1d | => note, weight=5 kind=statement & at=31 since=30 until=60: first seen between & : 30 calls, 33.33 ms each, 5 % of the time of all statements: UPDATE orders | total = 999; rest = 9000 => silent
-- 5 % of the time | 10m 1h 1d | total = 1001; rest = 19019 => note | total = 1001; rest = 19020 => silent
-- a warning from 25 % on | | total = 5000; rest = 15000 => warning, weight=125 | total = 5000; rest = 15001 => note
-- in the window | 10m 1h 1d | appears = 0 => note, at=1 since=0 | appears = 59 => note
-- or shortly before | 1h | appears = 0; rest = 9000; sampled = m NOT BETWEEN -9 AND 0 => note, at=1 since=-10 | appears = 0; rest = 9000; sampled = m NOT BETWEEN -10 AND 0 => silent | appears = -1 => silent
-- no statement of pgperf's own | | query = SELECT pgperf.check => silent | query = SELECT PgPerf => silent | query = SELECT pg_catalog.to_jsonb(q) FROM (SELECT 1) q => silent | query = SELECT to_jsonb(q) FROM (SELECT 1) q => note
-- nor does their time count | | rest = 900000; rest_query = SELECT pgperf.snapshot() => warning, 100 %
-- a history that knows statements of before | 1h | known_from = 1 => note | known_from = 2 => silent | known_from = -1 => note
-- a history that knows statements of before | 1d | known_from = 0 => note | known_from = 1 => silent
-- statements that are not in a function | | toplevel = false => silent
-- surely new: every sample had all statements | | left_out = 1 => silent | evictions = CASE WHEN m > 30 THEN 1 ELSE 0 END => silent | evictions = CASE WHEN m > 29 THEN 1 ELSE 0 END => note | evictions = CASE WHEN m > 31 THEN 1 ELSE 0 END => note | left_out = CASE WHEN m = 20 THEN 1 ELSE 0 END => silent | left_out = CASE WHEN m = 40 THEN 1 ELSE 0 END => note
-- or the server says so | | left_out = 1; stats_since = (SELECT x.taken_at + interval '1 s' FROM tick x WHERE x.m = 30) => note | left_out = 1; stats_since = (SELECT x.taken_at - interval '1 s' FROM tick x WHERE x.m = 30) => silent
-- with calls | | calls = 0 => silent
-- no command that was given once or twice | | query = ALTER TABLE orders ADD n int; appears = 58 => silent | query = ALTER TABLE orders ADD n int; appears = 57 => note | query = create INDEX ON orders (n); appears = 59 => silent | query = UPDATE vacuum SET n = 1; appears = 59 => note | query = VACUUM; appears = 58 => silent | query = Altered; appears = 59 => note
-- nor a pause | | query = SELECT pg_sleep($1) => silent | query = select pg_catalog.pg_sleep_for($1) => silent | query = SELECT a, pg_sleep($1) => note
