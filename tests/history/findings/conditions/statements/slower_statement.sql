-- slower_statement of 1
-- conditions: statements/slower_statement.sql 66, statements/source.sql 66
-- also: new_statement
-- before: 100
-- now: 200
-- spread_before: 0
-- spread: 0
-- calls_before: LEAST(m, 0) + 60
-- calls: GREATEST(m, 0)
-- other_before: 100
-- other: 100
-- other_calls: m + 60
-- other_query: SELECT b
-- query: SELECT a
-- known_from: -60
-- toplevel: true
-- blocks_before: 0
-- blocks: 0
-- hash_before: NULL
-- hash: NULL
-- read_before: -30
-- read: 2
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, q, 5, taken_at, CASE q WHEN 1 THEN '{query}' ELSE '{other_query}' END FROM tick, generate_series(1, 2) q WHERE m = 31;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick WHERE m >= -60;
-- Calls of before and of the window, in ms: the squares are those of a mean with this spread.
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares, shared_blks_hit, shared_blks_read)
SELECT node_id, sample_id, taken_at, 1, 10, 5, {toplevel}, CASE WHEN m > {known_from} THEN sample_id - 1 END, 1, 1000, b + c, {before} * b + {now} * c, ({before} ^ 2 + {spread_before} ^ 2) * b + ({now} ^ 2 + {spread} ^ 2) * c, {blocks_before} * b, {blocks} * c
FROM tick, LATERAL (SELECT {calls_before} AS b, {calls} AS c) x WHERE m >= {known_from}
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, NULLIF(sample_id - 1, 939), 1, 1000, c, CASE WHEN m <= 0 THEN c * {other_before} ELSE d * {other_before} + (c - d) * {other} END, 0, 0, 0
FROM tick, LATERAL (SELECT {other_calls} AS c, 60 AS d) x WHERE m >= -60;
-- Its plans: that of before and another one.
INSERT INTO pgperf.plan_history (node_id, sample_id, taken_at, queryid, userid, dbid, cause, plan_hash, relations)
SELECT node_id, sample_id, taken_at, 1, 10, 5, 'top', CASE m WHEN {read} THEN {hash} ELSE {hash_before} END::bigint, 'shop.t' FROM tick WHERE m IN ({read_before}, {read});
INSERT INTO pgperf.plan_texts (node_id, plan_hash, taken_at, plan) SELECT node_id, h, taken_at, 'plan ' || h FROM tick, generate_series(1, 2) h WHERE m = -60;

-- rows
-- twice as long | 10m 1h 1d | => warning, weight=133 kind=statement & at=60 since=1 until=60: 200.00 ms a call, 2.0 times the 100.00 ms of before; that took 33 % of the time of all statements; it began between & : SELECT a & "time_percent": 33.3 | now = 199.9 => silent
-- beyond three standard errors | | now = 300; spread = 516 => warning | now = 300; spread = 517 => silent | now = 300; spread_before = 516 => warning | now = 300; spread_before = 517 => silent | now = 300; spread = 365; spread_before = 365 => warning | now = 300; spread = 366; spread_before = 366 => silent
-- twenty calls in the window | | now = 400; calls = LEAST(GREATEST(m, 0), 20) => warning, weight=143 | now = 400; calls = LEAST(GREATEST(m, 0), 19) => silent
-- twenty calls before | | calls_before = CASE WHEN m >= 0 THEN 20 ELSE (m + 60) / 3 END => warning | calls_before = CASE WHEN m >= 0 THEN 19 ELSE (m + 60) / 4 END => silent
-- half as much again as the others | | other = 133 => warning | other = 134 => silent
-- less than a second lost is not felt | | before = 1; now = 17.7; other_before = 1; other = 1 => warning | before = 1; now = 17.6; other_before = 1; other = 1 => silent
-- nor less than 5 % of the time | | other_before = 2000; other = 1800 => note | other_before = 2000; other = 1800.1 => silent
-- a warning from 25 % on | | other_before = 200; other = 200 => warning, weight=125 | other_before = 200.1; other = 200.1 => note, weight=25
-- no statement of pgperf's own | | query = SELECT pgperf.x() => silent
-- whose time does not count | | other_before = 90000; other = 90000; other_query = CALL pgperf.y() => warning
-- not in a function | | toplevel = false => silent
-- a statement that was there before | | known_from = 1 => silent
-- where it began | | now = 400; calls = GREATEST(m - 29, 0) => warning, since=30 & it began between | now = 400; calls = CASE WHEN m > 29 THEN m ELSE 0 END => warning, since=30
-- a part of the calls at first | | before = 1; now = 400; calls_before = LEAST(m, 29) + 60 + 9 * LEAST(GREATEST(m - 29, 0), 11); calls = LEAST(GREATEST(m - 29, 0), 11) + 10 * GREATEST(m - 40, 0) => warning, since=30
-- after one long call | | before = 1; now = 400; calls_before = LEAST(m, 29) + 60; calls = CASE WHEN m >= -30 THEN 1 ELSE 0 END + GREATEST(m - 29, 0) => warning, since=30
-- with so many blocks | | blocks_before = 10; blocks = 35 => warning, of before, with 3.5 times the blocks; that took & "blocks_per_call": 35.0 | blocks = 35 => warning, of before; that took
-- another plan | | hash_before = 1; hash = 2 => warning, with another plan: SELECT a & "plan": "plan 2" & "plan_before": "plan 1" & "plan_changed": true & fix=ANALYZE shop.t; | hash_before = 2; hash = 2 => warning, with the same plan: SELECT a & "plan_changed": false & fix=none
-- of which one was read at its beginning | | hash_before = 1; hash = 2; read_before = 0 => warning, with another plan: | hash_before = 1; hash = 2; read_before = 1 => warning, with another plan:
-- nothing is known without one of them | | hash_before = 1 => warning, fix=none | hash = 2 => warning, fix=none | hash_before = 1; hash = 2; read = 61 => warning, fix=none
