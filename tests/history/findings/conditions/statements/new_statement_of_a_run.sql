-- new_statement of 2
-- conditions: statements/new_statement.sql 35
-- query: UPDATE orders SET n = n + $1, label = $2::text WHERE id = $3
-- script: UPDATE orders SET n = n + 10,  label = :label::text WHERE id = :id;
-- is_sql: true
-- dbid: 5
-- text_of: 2
-- run_of: 7001
-- starts: 30.5
-- ends: 50
-- run_node: node_id
-- origin: NULL
INSERT INTO pgperf.nodes (node_id, name, database_oid) VALUES ('00000000-0000-0000-0000-0000000000bb', 'another', 5);
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, spec, stored_status, started_at, ended_at, origin_node_id, origin_run_id)
SELECT {run_node}, 7001, 'run', 'script', 'app', 1, '{}', 'finished', taken_at + {starts} * {ms} * interval '1 ms', taken_at + {ends} * {ms} * interval '1 ms', {origin}, NULL FROM tick WHERE m = 0;
INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql)
SELECT {run_node}, {run_of}, 0, 'script', 0, '{script}', {is_sql} FROM tick WHERE m = 30;
INSERT INTO pgperf.statement_texts (node_id, queryid, dbid, taken_at, query)
SELECT node_id, {text_of}, {dbid}, taken_at, '{query}' FROM tick WHERE m = 31;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, left_out, dealloc)
SELECT node_id, sample_id, taken_at, 0, 0, 0, true, 0, 0 FROM tick;
INSERT INTO pgperf.statement_history (node_id, sample_id, taken_at, queryid, userid, dbid, toplevel, before_sample_id, min_exec_time, max_exec_time, calls, total_exec_time, exec_time_squares)
SELECT node_id, sample_id, taken_at, 1, 10, 5, true, NULLIF(sample_id - 1, 879), 1, 1000, m + 120, 300 * (m + 120), 0 FROM tick
UNION ALL SELECT node_id, sample_id, taken_at, 2, 10, 5, true, CASE WHEN m > 31 THEN sample_id - 1 END, 1, 1000, m - 30, 2000 * (m - 30) / 30.0, 0 FROM tick WHERE m > 30;

-- rows
-- another statement than the run's | | script = UPDATE orders SET n = n - :n WHERE id = :id => note, at=31 since=30
-- that of its script | | => silent | query = UPDATE orders SET n = n + $1, label = $2::text WHERE key = $3 => note
-- constants, parameters and variables are alike | | query = SELECT $1, $2 ; script = SELECT ''it''''s'',   5.25 => silent | query = SELECT a1 ; script = SELECT a2 => note | query = SELECT f(:x) ; script = SELECT f(7); => silent
-- at the time at which it appeared | 10m 1h 1d | starts = 31 => silent | starts = 31.5 => note | starts = 1; ends = 30 => silent | starts = 1; ends = 29.5 => note | ends = NULL => silent
-- of this run, and this text | | run_of = 7002 => note | text_of = 3 => note | dbid = 6 => note
-- a statement, no other command | | is_sql = false => note
-- of this node | | run_node = '00000000-0000-0000-0000-0000000000bb'::uuid => note
-- not one that was imported | | origin = '00000000-0000-0000-0000-0000000000bb'::uuid => note
