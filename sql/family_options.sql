-- The argument options: options of workload families by name. The families of tests are in tests/families.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA family_options_test;
SET search_path = family_options_test;

-- Of a load: pgbench's are also arguments.
SELECT pgperf.start_load(options => '[8]');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_load(options => '"fillfactor"');
SELECT pgperf.start_load(options => '{"fillfactor": 80}', fillfactor => 80);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_load(options => '{"scale": 2}');
SELECT pgperf.start_load(options => '{"tables": 8}');
\echo :LAST_ERROR_SQLSTATE
-- The hint is the same for all options.
\set VERBOSITY terse
SELECT pgperf.start_load(options => '{"tables": null}');
SELECT pgperf.start_load(options => '{"fillfactor": 9}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_load(options => '{"fillfactor": 90.5}');
SELECT pgperf.start_load(options => '{"fillfactor": "90"}');
SELECT pgperf.start_load(options => '{"unlogged": 1}');
SELECT pgperf.start_load(options => '{"steps": ["d", "t"]}');
SELECT pgperf.start_load(options => '{"partitions": 100000000000}');
SELECT pgperf.start_load(options => '{"partitions": 1e400}');
SELECT pgperf.start_load(options => '{"tablespace": "nowhere"}');
SELECT pgperf.start_load(fillfactor => 9);
SELECT pgperf.start_load(scale => 0);
\set VERBOSITY default

-- Given in both ways, each once; an argument with its default counts as not given. The call in a report has what was given.
SELECT pgperf.start_load(options => '{"fillfactor": 90.0, "steps": "dtgp", "tablespace": null}', unlogged => true, label => 'it''s') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT relname, relpersistence, reloptions FROM pg_class WHERE oid = 'pgbench_accounts'::regclass;
SELECT data_set, scale, options FROM pgperf.data_sets WHERE schema_name = 'family_options_test';
SELECT jsonb_pretty(spec #> '{load,options}') AS options, spec -> 'call' AS call FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
-- Rows anew, in the same tables.
SELECT pgperf.start_load(scale => 2, steps => 'g') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT scale, options ->> 'fillfactor' AS fillfactor, options ->> 'unlogged' AS unlogged
FROM pgperf.data_sets WHERE schema_name = 'family_options_test';

-- Of a run: pgbench's workloads have none.
SELECT pgperf.start_run(options => '8');
SELECT pgperf.start_run(options => '{"fillfactor": 80}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('tpcb-like@1, select-only@3', options => '{"range_size": 80}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(options => '{"scale": 1}');
SELECT pgperf.start_run(script => 'SELECT 1;', options => '{"range_size": 80}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.create_workload('of mine', script => 'SELECT 1;');
SELECT pgperf.start_run('of mine', options => '{"range_size": 80}');
SELECT pgperf.start_run('of mine', warmup => '1 s', warmup_workload => 'select-only', options => '{"fillfactor": 80}');
-- None are no error.
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, random_seed => 1, options => '{}') AS of_scripts \gset
CALL pgperf.wait_run(:of_scripts, timeout => '60 s');
SELECT pgperf.report_json(:of_scripts) ->> 'call' AS call;
SELECT pgperf.delete_run(:of_scripts);
SELECT pgperf.drop_workload('of mine');

-- Of a sweep: those of its loads, too.
SELECT pgperf.start_sweep(clients => '{1}', options => '{"fillfactor": 80}');
\set VERBOSITY terse
SELECT pgperf.start_sweep(clients => '{1}', scales => '{1}', options => '{"fillfactor": 5}');
\set VERBOSITY default
SELECT pgperf.start_sweep(clients => '{1}', scales => '{1}', fillfactors => '{70}', options => '{"fillfactor": 80}');
SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}', scales => '{1}', options => '{"range_size": 80}');
SELECT pgperf.start_sweep(clients => '{1}', scales => '{1}', init_options => '{"options": {}}');
SELECT pgperf.start_sweep('select-only', clients => '{1}', repetitions => 1, scales => '{1}', partitions => '{0,2}', transactions_per_client => 1,
    collectors => '{}', options => '{"fillfactor": 80}') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT point_no, arguments -> 'options' AS of_run, load FROM pgperf_internal.stored_sweep_points WHERE sweep_id = :sweep_id ORDER BY point_no;
SELECT options ->> 'fillfactor' AS fillfactor FROM pgperf.data_sets WHERE schema_name = 'family_options_test';
SELECT pgperf.delete_sweep(:sweep_id, runs => true);

-- A data set that is not completely loaded.
SELECT pgperf.start_load(steps => 'dt') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT scale, options ->> 'steps' AS steps FROM pgperf.data_sets WHERE schema_name = 'family_options_test';
SELECT pgperf.start_run();
SELECT * FROM pgperf."check"();

DROP SCHEMA family_options_test CASCADE;
SELECT count(*) > 0 AS deleted FROM (SELECT pgperf.delete_run(run_id) FROM pgperf.runs
    WHERE kind = 'load' AND spec #>> '{load,options,schema}' = 'family_options_test') AS d;
DELETE FROM pgperf.data_sets WHERE schema_name = 'family_options_test';

-- The answers of queries by two plans.
CREATE SCHEMA answers_test;
SELECT pgperf.start_load('tpch-like', scale => 0.01, schema => 'answers_test') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '120 s');
SELECT count(*) AS answers, bool_and(passed) AS passed FROM pgperf.check('tpch-like', schema => 'answers_test', full => true)
    WHERE check_name LIKE 'the answer of %';
SELECT count(*) AS answers FROM pgperf.check('tpch-like', schema => 'answers_test') WHERE check_name LIKE 'the answer of %';
SELECT current_setting('enable_hashjoin') AS enable_hashjoin;
SELECT pgperf.delete_run(:run_id);
DROP SCHEMA answers_test CASCADE;
DELETE FROM pgperf.data_sets WHERE schema_name = 'answers_test';
