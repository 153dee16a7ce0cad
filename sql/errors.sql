-- Bad input is refused with SQLSTATE and hint, before anything is stored or started.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA errors_test;
SET search_path = errors_test;
CREATE ROLE regress_pgperf_nologin NOLOGIN;
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load TO regress_pgperf_nologin;
GRANT USAGE, CREATE ON SCHEMA errors_test TO regress_pgperf_nologin;
SELECT count(*) AS runs_before FROM pgperf.runs \gset

-- The workload.
SELECT pgperf.start_run('nosuch');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('s');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('tpcb-like@1, select-only@x');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('tpcb-like@0');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('tpcb-like', script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('tpcb-like', scripts => '{SELECT 1;}');
SELECT pgperf.start_run(script => 'SELECT 1;', scripts => '{SELECT 1;}');
SELECT pgperf.start_run(scripts => '{}');
SELECT pgperf.start_run(scripts => '{SELECT 1;,NULL}');
SELECT pgperf.start_run(scripts => array_fill('SELECT 1;'::text, '{129}'));
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(weights => '{1}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(scripts => '{SELECT 1;,SELECT 2;}', weights => '{1}');
SELECT pgperf.start_run(scripts => '{SELECT 1;,SELECT 2;}', weights => '{0,0}');
SELECT pgperf.start_run(scripts => '{SELECT 1;,SELECT 2;}', weights => '{1,-1}');
SELECT pgperf.start_run(scripts => '{SELECT 1;,SELECT 2;}', weights => '{1,NULL}');
SELECT pgperf.start_run(scripts => '{SELECT 1;,SELEC 2;}');
\echo :LAST_ERROR_SQLSTATE

-- Its tables do not exist in the given schema, or on the search_path.
SELECT pgperf.start_run();
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run('select-only', schema => 'errors_test');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM pgperf.check();
\echo :LAST_ERROR_SQLSTATE

-- Scripts that do not parse: the message has line and column, in pgbench's words.
SELECT pgperf.start_run(script => E'SELECT 1;\n\\set x 1 +\nSELECT :x;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\set x random(1, 2, 3, 4, 5)');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\set x nofunc(1)');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\nope');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\if 1\nSELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\sleep');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\gset');
SELECT pgperf.start_run(script => E'SELECT 1;\n\\gset a b');
SELECT pgperf.start_run(script => E'SELECT 1;\n\\startpipeline x');
SELECT pgperf.start_run(script => '');
\echo :LAST_ERROR_SQLSTATE
-- And SQL that does not parse.
SELECT pgperf.start_run(script => E'SELECT 1;\nSELEC 2;');
\echo :LAST_ERROR_SQLSTATE

-- Commands that have no meaning in a script that runs inside the server.
SELECT pgperf.start_run(script => E'\\shell id');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'SELECT 1;\n\\setshell x id');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'COPY pg_catalog.pg_class TO STDOUT;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'SELECT :x + ;\nSELECT 1 \\; COPY some_table FROM STDIN;', query_mode => 'simple');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'LISTEN channel;', query_mode => 'extended');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'UNLISTEN *;', query_mode => 'simple');
\echo :LAST_ERROR_SQLSTATE
-- Combined statements cannot be prepared.
SELECT pgperf.start_run(script => E'SELECT 1 \\; SELECT 2;');
\echo :LAST_ERROR_SQLSTATE

-- A variable that would not be a parameter, and a parameter that is no variable.
SELECT pgperf.start_run(script => E'\\set x 1\nSELECT :x,\n  '':x'';');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'DO $do$ BEGIN PERFORM :client_id; END $do$;', query_mode => 'extended');
SELECT pgperf.start_run(script => 'SELECT :scale, $2;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => E'\\pool p SELECT '':scale''\nSELECT 1;', query_mode => 'simple');
SELECT pgperf.create_workload('quoted', script => 'SELECT '':scale'';');

-- Numbers and intervals.
SELECT pgperf.start_run(script => 'SELECT 1;', clients => 0);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', clients => -1);
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '10 s', transactions_per_client => 10);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 0);
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '-1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', rate => -1);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', rate => 0);
SELECT pgperf.start_run(script => 'SELECT 1;', rate => 'NaN'::float8);
SELECT pgperf.start_run(script => 'SELECT 1;', latency_limit => '-1 ms');
SELECT pgperf.start_run(script => 'SELECT 1;', max_tries => -1);
SELECT pgperf.start_run(script => 'SELECT 1;', max_tries => 0, transactions_per_client => 1);
SELECT pgperf.start_run(script => 'SELECT 1;', warmup => '-1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', sample_interval => '1 ms');
SELECT pgperf.start_run(script => 'SELECT 1;', scale => 0);
SELECT pgperf.start_run(script => 'SELECT 1;', query_mode => 'parsed');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', result_mode => 'keep');

-- Warm-up, and the statements before and after the clients.
SELECT pgperf.start_run(script => 'SELECT 1;', warmup_workload => 'select-only');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', warmup_workload => 'nope', warmup => '1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', warmup_workload => 'select-only', warmup => '1 s');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', before_sql => 'SELECT 1; SELEC 2;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', after_sql => 'COPY pg_catalog.pg_class TO STDOUT');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', vacuum => 'full');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', vacuum => 'standard');
\echo :LAST_ERROR_SQLSTATE

-- Variables and settings.
SELECT pgperf.start_run(script => 'SELECT 1;', variables => '[1]');
SELECT pgperf.start_run(script => 'SELECT 1;', variables => '{"a-b": 1}');
SELECT pgperf.start_run(script => 'SELECT 1;', variables => '{"a": null}');
SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{"shared_buffers": "1GB"}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{"work_mem": "a lot"}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{"work_memory": "1MB"}');
\echo :LAST_ERROR_SQLSTATE

-- Limits.
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '["wal"]');
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"disk": "5%"}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"wal": "much"}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"wal": "-1GB"}');
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"free_disk": "100%"}');
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"errors": 0}');
SELECT pgperf.start_run(script => 'SELECT 1;', limits => '{"xid_age": 4000000000}');
\echo :LAST_ERROR_SQLSTATE

-- Worker slots. The number of free ones differs, so only the shape of the message is checked.
DO $$
DECLARE
    state text; message text; detail text; hint text;
BEGIN
    PERFORM pgperf.start_run(script => 'SELECT 1;', clients => 100000);
EXCEPTION WHEN configuration_limit_exceeded THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RAISE WARNING '% % / % / %', state, regexp_replace(message, '\d+ of \d+', 'N of N'),
        regexp_replace(detail, '\d+', 'N'), regexp_replace(hint, '\d+', 'N');
END
$$;

-- Loads.
CALL pgperf.init('nosuch');
\echo :LAST_ERROR_SQLSTATE
CALL pgperf.init(scale => 0);
\echo :LAST_ERROR_SQLSTATE
CALL pgperf.init(fillfactor => 5);
CALL pgperf.init(steps => 'dtx');
\echo :LAST_ERROR_SQLSTATE
CALL pgperf.init(steps => '');
CALL pgperf.init(schema => 'no such schema');
\echo :LAST_ERROR_SQLSTATE
-- A table that pgperf did not create stays as it is.
CREATE TABLE pgbench_tellers AS SELECT 1 AS mine;
CALL pgperf.init();
\echo :LAST_ERROR_SQLSTATE
CALL pgperf.init(steps => 'g');
\echo :LAST_ERROR_SQLSTATE
SELECT mine FROM pgbench_tellers;
CREATE TABLE pgbench_branches AS SELECT 1 AS bid;
CREATE TABLE pgbench_accounts AS SELECT 1 AS aid;
CREATE TABLE pgbench_history AS SELECT 1 AS mine;
SELECT pgperf.start_run(vacuum => 'standard');
\echo :LAST_ERROR_SQLSTATE
SELECT mine FROM pgbench_history;
DROP TABLE pgbench_tellers, pgbench_branches, pgbench_accounts, pgbench_history;

-- Runs that do not exist.
SELECT pgperf.stop_run(987654321);
\echo :LAST_ERROR_SQLSTATE
CALL pgperf.wait_run(987654321);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.run_status(987654321);
SELECT pgperf.report(987654321);
SELECT pgperf.delete_run(987654321);

-- A role that cannot log in.
SET ROLE regress_pgperf_nologin;
SELECT pgperf.start_run(script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_load();
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

-- No procedure waits inside a transaction, and nothing is left of a run that was started there.
BEGIN;
CALL pgperf.wait_run();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
CALL pgperf.run(script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
CALL pgperf.init();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
CREATE FUNCTION waits() RETURNS text LANGUAGE plpgsql AS
    'DECLARE status text; BEGIN CALL pgperf.wait_run(status => status); RETURN status; END';
SELECT waits();
\echo :LAST_ERROR_SQLSTATE
BEGIN READ ONLY;
SELECT pgperf.start_run(script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
SELECT pgperf.start_run(script => 'SELECT 1;') IS NOT NULL AS started;
PREPARE TRANSACTION 'errors_test';
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

SELECT count(*) = :runs_before AS nothing_stored FROM pgperf.runs;
REVOKE ALL ON FUNCTION pgperf.start_run, pgperf.start_load FROM regress_pgperf_nologin;
DROP SCHEMA errors_test CASCADE;
DROP ROLE regress_pgperf_nologin;
