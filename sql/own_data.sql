-- Workloads of one's own with data sets: what create_workload, init, check and start_run make of them.
-- The loads and runs of several workers are in tests/families/own.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA own_data_test;
SET search_path = own_data_test;

SELECT pgperf.create_workload('mine', options => '{"rows": 10, "share": 0.5, "word": "it''s", "full": false}',
    setup_sql => 'CREATE TABLE t (id int PRIMARY KEY, word text);',
    load_sql => 'INSERT INTO t SELECT i, :''word'' FROM generate_series(:part, :rows * :scale, :parts) AS i;',
    script => E'\\set id random(1, :rows * :scale)\nSELECT :''word'', :full, :share FROM t WHERE id = :id;',
    check_sql => 'SELECT ''rows'', count(*) = :rows * :scale, count(*)::text FROM t',
    metrics_sql => 'SELECT ''rows_of_t'', count(*) FROM t');
SELECT kind, options, setup_sql, load_sql, check_sql, metrics_sql FROM pgperf.workloads WHERE name = 'mine';
SELECT bool_and(num_nulls(options, setup_sql, load_sql, check_sql, metrics_sql) = 5) AS built_in FROM pgperf.workloads WHERE kind = 'built-in';

-- Nothing is loaded yet.
SELECT pgperf.start_run('mine');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('mine', schema => 'own_data_test');
SELECT * FROM pgperf."check"('mine');
-- Options that it does not have, or with wrong values.
SELECT pgperf.start_load('mine', options => '{"row": 1}');
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY terse
SELECT pgperf.start_load('mine', options => '{"rows": 1.5}');
SELECT pgperf.start_load('mine', options => '{"rows": "1"}');
SELECT pgperf.start_load('mine', options => '{"word": 1}');
SELECT pgperf.start_load('mine', options => '{"full": "no"}');
SELECT pgperf.start_load('mine', scale => 0);
SELECT pgperf.start_load('mine', jobs => 0);
\set VERBOSITY default
SELECT pgperf.start_load('mine', fillfactor => 50);
SELECT pgperf.start_load('mine', schema => 'nowhere');
\echo :LAST_ERROR_SQLSTATE

SELECT pgperf.start_load('mine', scale => 2, jobs => 2, options => '{"rows": 5, "share": null}', label => 'first') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT data_set, scale, relation_names, options, relations = ARRAY['t'::regclass::oid] AS known FROM pgperf.data_sets WHERE schema_name = 'own_data_test';
SELECT workload, kind, spec #> '{load,own}' ->> 'name' AS own, spec -> 'transaction_type' AS type FROM pgperf.runs WHERE run_id = :run_id;
SELECT statement, rows FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY command_no;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
SELECT * FROM pgperf."check"('mine');
SELECT * FROM pgperf."check"('mine', schema => 'own_data_test');

-- A run has the options of the load, then its own; variables of the call come before both.
SELECT pgperf.start_run('mine', transactions_per_client => 2, random_seed => 1, options => '{"share": 0.25}', variables => '{"full": true}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, scale, spec -> 'variables' AS variables FROM pgperf.runs WHERE run_id = :run_id;
SELECT metric, value, unit, direction, category FROM pgperf.run_metrics WHERE run_id = :run_id AND metric ~ '^rows_';
SELECT line FROM pgperf.report(:run_id) AS line WHERE line ~ 'rows_of_t|transaction type';
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
-- That call does the same without the stored workload.
SELECT rtrim(pgperf.report_json(:run_id) ->> 'call', ';') AS again \gset
:again AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, scale, spec -> 'variables' AS variables FROM pgperf.runs WHERE run_id = :run_id;
-- Its tables may be vacuumed before a run, but never truncated.
SELECT pgperf.start_run('mine', transactions_per_client => 1, vacuum => 'standard', scale => 7) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT spec -> 'vacuum_sql' AS vacuum, scale FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.start_run('mine', options => '{"row": 1}');
SELECT pgperf.start_run('mine', options => '{"rows": true}');

-- Two workloads with the same option.
SELECT pgperf.create_workload('other', script => 'SELECT :rows;', options => '{"rows": 7}');
SELECT pgperf.start_run('mine, other');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('other, mine', transactions_per_client => 1, options => '{"rows": 4}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, scale, spec #> '{variables,rows}' AS rows FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.start_load('other');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM pgperf."check"('other');
\echo :LAST_ERROR_SQLSTATE

-- A data set that is not completely loaded, and one of which a part is gone.
UPDATE pgperf.data_sets SET scale = 0 WHERE schema_name = 'own_data_test';
SELECT pgperf.start_run('mine');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM pgperf."check"('mine');
ALTER TABLE t RENAME TO kept;
SELECT pgperf.start_run('mine');
\echo :LAST_ERROR_SQLSTATE
-- A load leaves alone what was renamed.
SELECT pgperf.start_load('mine') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT (SELECT count(*) FROM kept) AS kept, (SELECT count(*) FROM t) AS new;

-- Conditions in other forms.
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', check_sql => 'VALUES (''a'', true), (''b'', NULL), (''c'', false); -- that''s all');
SELECT * FROM pgperf."check"('other');
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', check_sql => 'SELECT 1');
SELECT * FROM pgperf."check"('other');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', check_sql => 'SELECT ''a'', 7');
SELECT * FROM pgperf."check"('other');
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', check_sql => 'SELECT ''a'', id > 0 FROM no_table');
-- The server of 19 also tells the place in pgperf's query.
\set VERBOSITY sqlstate
SELECT * FROM pgperf."check"('other');
\set VERBOSITY default
\echo :LAST_ERROR_MESSAGE
-- The settings of the session are as before.
SHOW search_path;
SHOW transaction_read_only;

-- Loads that fail while they run.
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', setup_sql => 'CREATE TABLE pg_temp.x ()');
SELECT pgperf.start_load('other') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, sqlstate, error FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', setup_sql => 'CREATE TABLE x (a int)', load_sql => 'INSERT INTO x VALUES (:nothing)');
SELECT pgperf.create_workload('other', replace => true, script => 'SELECT 1;', setup_sql => 'CREATE TABLE x (a int)', load_sql => 'INSERT INTO x VALUES (''a'')');
SELECT pgperf.start_load('other') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, sqlstate, error FROM pgperf.runs WHERE run_id = :run_id;
SELECT scale, relation_names FROM pgperf.data_sets WHERE data_set = 'other';

-- Definitions that are refused.
\set VERBOSITY terse
SELECT pgperf.create_workload('no', script => 'SELECT 1;', load_sql => 'SELECT 1');
SELECT pgperf.create_workload('sysbench', script => 'SELECT 1;', setup_sql => 'CREATE TABLE x ()');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => ' ');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => E'CREATE TABLE x ();\n\nCREATE TABEL y ()');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => 'CREATE TABLE x (); COMMIT');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => E'CREATE TABLE x ();\n\\set a 1');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => 'COPY x FROM STDIN');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => 'CREATE TABLE x ()', load_sql => 'SELECT :rows');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', check_sql => 'DELETE FROM t');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', check_sql => 'SELECT 1; SELECT 2');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', check_sql => 'SELECT 1) AS x; DROP TABLE t; --');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', metrics_sql => 'SELECT :part');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', metrics_sql => E'SELECT 1 AS a \\gset');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '[1]');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '{"a b": 1}');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '{"client_id": 1}');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '{"scale": 1}');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '{"a": null}');
SELECT pgperf.create_workload('no', script => 'SELECT 1;', options => '{"a": 1}', variables => '{"a": 2}');
\set VERBOSITY default
SELECT pgperf.create_workload('no', script => 'SELECT 1;', setup_sql => 'CREATE TABLE x ()', load_sql => 'SELECT :rows');
SELECT count(*) AS none FROM pgperf.workloads WHERE name = 'no';

SELECT pgperf.drop_workload('mine'), pgperf.drop_workload('other');
DROP SCHEMA own_data_test CASCADE;
SELECT count(*) > 0 AS deleted FROM (SELECT pgperf.delete_run(run_id) FROM pgperf.runs
    WHERE kind = 'load' AND spec #>> '{load,options,schema}' = 'own_data_test') AS d;
DELETE FROM pgperf.data_sets WHERE schema_name = 'own_data_test';
