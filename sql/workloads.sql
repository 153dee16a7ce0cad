-- Several scripts with weights, and workloads that are stored under a name.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA workloads_test;
SET search_path = workloads_test;
CREATE TABLE done (script text, n bigint, v text);

-- Several scripts.
SELECT pgperf.start_run(clients => 2, transactions_per_client => 50, random_seed => 7,
    scripts => ARRAY['INSERT INTO done (script) VALUES (''one'');', 'INSERT INTO done (script) VALUES (''two'');',
        'INSERT INTO done (script) VALUES (''never'');'],
    weights => '{1,3,0}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, spec ->> 'transaction_type' AS transaction_type FROM pgperf.runs WHERE run_id = :run_id;
SELECT script_no, script, statement, calls = (SELECT count(*) FROM done d WHERE s.statement LIKE '%''' || d.script || '''%') AS counted, calls > 0 AS ran
  FROM pgperf.run_statements s WHERE run_id = :run_id ORDER BY script_no;
SELECT line FROM pgperf.report(:run_id) AS line WHERE line LIKE 'SQL script%' OR line LIKE ' - weight:%' OR line LIKE 'transaction type%';
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
TRUNCATE done;

-- The built-in workloads.
SELECT name, kind, description, jsonb_array_length(scripts) AS scripts, scripts -> 0 ->> 'weight' AS weight,
       variables, settings, role, created_at
  FROM pgperf.workloads WHERE kind = 'built-in' ORDER BY name;

-- A stored workload.
SELECT pgperf.create_workload('note', script => 'INSERT INTO done VALUES (''note'', :n, current_setting(''work_mem''));',
    variables => '{"n": 5}', settings => '{"work_mem": "3MB"}', description => 'one note');
SELECT name, kind, description, scripts, variables, settings, role = current_user AS mine, created_at IS NOT NULL AS dated
  FROM pgperf.workloads WHERE kind = 'stored';
SELECT pgperf.start_run('note', transactions_per_client => 1, random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
-- Values of the call come before those of the workload.
SELECT pgperf.start_run('note', transactions_per_client => 1, random_seed => 1, variables => '{"n": 6}', settings => '{"WORK_MEM": "5MB"}') AS run2_id \gset
CALL pgperf.wait_run(:run2_id, timeout => '60 s');
SELECT * FROM done ORDER BY n;
-- Replacing and dropping a workload changes none of its runs: neither the scripts that ran, nor the call that repeats the run.
SELECT pgperf.create_workload('note', script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('note', scripts => ARRAY['INSERT INTO done VALUES (''a'');', 'INSERT INTO done VALUES (''b'');'],
    weights => '{2,6}', replace => true);
SELECT workload, spec -> 'scripts' -> 0 ->> 'text' AS text, spec -> 'variables' AS variables FROM pgperf.runs WHERE run_id = :run_id;
SELECT line FROM pgperf.report(:run_id) AS line WHERE line LIKE 'transaction type%';
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
TRUNCATE done;
-- In a mix, the scripts of a workload share its weight.
SELECT pgperf.create_workload('other', script => 'INSERT INTO done VALUES (''c'');');
SELECT pgperf.start_run('other@1, note@3', clients => 2, transactions_per_client => 100, random_seed => 3) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, scripts ->> 'name' AS name, scripts ->> 'weight' AS weight
  FROM pgperf.runs, jsonb_array_elements(spec -> 'scripts') AS scripts WHERE run_id = :run_id;
SELECT script, count(*) BETWEEN 1 AND 140 AS ran FROM done GROUP BY script ORDER BY script;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
-- The same run again, by that call.
CREATE TABLE before AS SELECT script, count(*) AS count FROM done GROUP BY script;
TRUNCATE done;
SELECT rtrim(pgperf.report_json(:run_id) ->> 'call', ';') AS again \gset
:again AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT bool_and(b.count = (SELECT count(*) FROM done d WHERE d.script = b.script)) AS same_counts FROM before b;
SELECT pgperf.drop_workload('other'), pgperf.drop_workload('note'), pgperf.drop_workload('note') AS again;
SELECT workload FROM pgperf.runs WHERE run_id = :run_id;

-- Two workloads that disagree about a variable or a setting are refused, unless the call decides.
SELECT pgperf.create_workload('x', script => 'SELECT :v;', variables => '{"v": 1}', settings => '{"work_mem": "1MB"}');
SELECT pgperf.create_workload('y', script => 'SELECT :v;', variables => '{"v": 2}', settings => '{"work_mem": "1MB"}');
SELECT pgperf.start_run('x, y');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('x, y', variables => '{"v": 3}', transactions_per_client => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, spec -> 'variables' AS variables, spec -> 'settings' AS settings FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.start_run('nope');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('x@2147483647, z');
SELECT pgperf.create_workload('z', scripts => '{SELECT 1;,SELECT 2;}');
SELECT pgperf.start_run('x@2147483647, z');
\echo :LAST_ERROR_SQLSTATE

-- Workloads that cannot be stored.
SELECT pgperf.create_workload(NULL, script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('tpcb-like', script => 'SELECT 1;');
SELECT pgperf.create_workload('a,b', script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('a@b', script => 'SELECT 1;');
SELECT pgperf.create_workload(' a', script => 'SELECT 1;');
SELECT pgperf.create_workload('', script => 'SELECT 1;');
SELECT pgperf.create_workload('a');
SELECT pgperf.create_workload('a', script => 'SELECT 1;', scripts => '{SELECT 2;}');
SELECT pgperf.create_workload('a', script => 'SELECT 1;', weights => '{1}');
SELECT pgperf.create_workload('a', script => E'\\set x 1 +');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('a', scripts => ARRAY['SELECT 1;', 'SELEC 2;']);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('a', script => 'SELECT 1;', variables => '{"a-b": 1}');
SELECT pgperf.create_workload('a', script => 'SELECT 1;', settings => '{"shared_buffers": "1GB"}');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) AS none FROM pgperf.workloads WHERE name = 'a';

-- A workload belongs to its role: others may run it, but neither replace nor drop it.
CREATE ROLE regress_pgperf_author LOGIN;
CREATE ROLE regress_pgperf_reader LOGIN;
CREATE ROLE regress_pgperf_coauthor IN ROLE regress_pgperf_author;
SET ROLE regress_pgperf_author;
SELECT pgperf.create_workload('w', script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.drop_workload('x');
SELECT count(*) FROM pgperf.workloads;
RESET ROLE;
GRANT EXECUTE ON FUNCTION pgperf.create_workload, pgperf.drop_workload, pgperf.start_run
    TO regress_pgperf_author, regress_pgperf_reader;
SET ROLE regress_pgperf_author;
SELECT pgperf.create_workload('w', script => 'SELECT 1;');
SET ROLE regress_pgperf_reader;
SELECT pgperf.create_workload('w', script => 'SELECT 2;', replace => true);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.drop_workload('w');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('w', transactions_per_client => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SET ROLE regress_pgperf_coauthor;
SELECT pgperf.create_workload('w', script => 'SELECT 3;', replace => true);
RESET ROLE;
SELECT role, scripts -> 0 ->> 'text' AS text FROM pgperf.workloads WHERE name = 'w';
SET ROLE regress_pgperf_coauthor;
SELECT pgperf.drop_workload('w');
RESET ROLE;
SELECT pgperf.drop_workload(name) FROM pgperf.workloads WHERE kind = 'stored';
DROP OWNED BY regress_pgperf_author, regress_pgperf_reader;
DROP ROLE regress_pgperf_coauthor, regress_pgperf_author, regress_pgperf_reader;
DROP SCHEMA workloads_test CASCADE;
