-- The privileges of roles. The GRANTs are those of docs/privileges.md.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_pgperf_tester LOGIN;
CREATE ROLE regress_pgperf_other LOGIN;
CREATE ROLE regress_pgperf_monitor IN ROLE pg_monitor;
CREATE ROLE regress_pgperf_colleague IN ROLE regress_pgperf_tester;
CREATE SCHEMA privileges_test AUTHORIZATION regress_pgperf_tester;
CREATE TABLE privileges_test.forbidden AS SELECT 1 AS secret;

-- Without a grant nobody starts anything, takes samples or looks into the tables.
SET ROLE regress_pgperf_tester;
SET search_path = privileges_test;
SELECT pgperf.start_run(script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_load();
CALL pgperf.run(script => 'SELECT 1;');
CALL pgperf.init();
CALL pgperf.quickstart();
SELECT pgperf.snapshot();
SELECT pgperf.new_node();
SELECT pgperf.create_workload('w', script => 'SELECT 1;');
SELECT pgperf.drop_workload('w');
SELECT pgperf.set_baseline('b', 1);
SELECT count(*) FROM pgperf.runs;
SELECT count(*) FROM pgperf.run_summary;
RESET ROLE;
-- Everything that can start load or write is closed to PUBLIC; functions that are open check by themselves.
SELECT p.proname AS open_to_public FROM pg_depend d
  JOIN pg_proc p ON p.oid = d.objid JOIN pg_extension e ON e.oid = d.refobjid
 WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND e.extname = 'pgperf'
   AND has_function_privilege('regress_pgperf_other', p.oid, 'EXECUTE')
 GROUP BY 1 ORDER BY 1;
SELECT c.relname AS open_to_public FROM pg_depend d
  JOIN pg_class c ON c.oid = d.objid JOIN pg_extension e ON e.oid = d.refobjid
 WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'e' AND e.extname = 'pgperf' AND c.relkind IN ('r', 'p', 'v')
   AND has_table_privilege('regress_pgperf_other', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
 ORDER BY 1;
-- Members of pg_monitor read everything and write nothing.
SELECT c.relname AS hidden_from_pg_monitor FROM pg_depend d
  JOIN pg_class c ON c.oid = d.objid JOIN pg_extension e ON e.oid = d.refobjid
 WHERE d.classid = 'pg_class'::regclass AND d.deptype = 'e' AND e.extname = 'pgperf' AND c.relkind IN ('r', 'p', 'v')
   AND (NOT has_table_privilege('regress_pgperf_monitor', c.oid, 'SELECT')
        OR has_table_privilege('regress_pgperf_monitor', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
 ORDER BY 1;

-- A role that may run: its own tables, its own runs.
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load TO regress_pgperf_tester;
GRANT EXECUTE ON PROCEDURE pgperf.run, pgperf.init, pgperf.quickstart TO regress_pgperf_tester;
SET ROLE regress_pgperf_tester;
SELECT pgperf.start_load() AS load_id \gset
CALL pgperf.wait_run(:load_id, timeout => '60 s');
SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'privileges_test' AND tablename LIKE 'pgbench%';
SELECT bool_and(passed) AS passed FROM pgperf.check();
SELECT pgperf.start_run(clients => 2, transactions_per_client => 10) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT line FROM pgperf.report(:run_id) AS line WHERE line LIKE 'number of transactions actually%';
SELECT pgperf.run_status(:run_id);
-- The workload has this role's privileges and no more.
SELECT pgperf.start_run(script => 'SELECT secret FROM forbidden;', transactions_per_client => 1) AS denied_id \gset
CALL pgperf.wait_run(:denied_id, timeout => '60 s');
SELECT line FROM pgperf.report(:denied_id) AS line WHERE line LIKE '%permission denied%';
SELECT pgperf.start_run(script => 'SELECT 1;', settings => '{"log_statement": "none"}');
\echo :LAST_ERROR_SQLSTATE
-- Nor may it become another role, even where the session that starts the run might.
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, settings => '{"role": "pg_monitor"}') AS role_id,
       pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, settings => '{"session_authorization": "regress_pgperf_other"}') AS user_id \gset
CALL pgperf.wait_run(:role_id, timeout => '60 s');
CALL pgperf.wait_run(:user_id, timeout => '60 s');
-- A schema in which it may not create tables; tables that it may not read.
SELECT pgperf.start_load(schema => 'pgperf');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
CREATE SCHEMA privileges_locked;
CREATE TABLE privileges_locked.pgbench_branches (bid int);
SET ROLE regress_pgperf_tester;
SELECT pgperf.start_run('select-only', schema => 'privileges_locked');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
DROP SCHEMA privileges_locked CASCADE;

-- A run belongs to its role: others neither see nor touch it, pg_monitor sees it, members of the role may do everything.
SET ROLE regress_pgperf_tester;
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h') AS run_id \gset
RESET ROLE;
-- The run_id differs from test to test: only the SQLSTATE is shown.
\set VERBOSITY sqlstate
SET ROLE regress_pgperf_other;
SELECT pgperf.run_status(:run_id);
CALL pgperf.wait_run(:run_id);
SELECT pgperf.report(:run_id);
SELECT pgperf.stop_run(:run_id);
SELECT pgperf.stop_all();
SELECT pgperf.delete_run(:denied_id);
SET ROLE regress_pgperf_monitor;
SELECT pgperf.run_status(:run_id) IN ('waiting', 'preparing', 'running') AS visible;
SELECT count(*) > 0 AS has_report FROM pgperf.report(:denied_id);
SELECT workload, role FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.stop_run(:run_id);
SELECT pgperf.delete_run(:denied_id);
SELECT error FROM pgperf.runs WHERE run_id IN (:role_id, :user_id) ORDER BY run_id;
SELECT collector, status FROM pgperf.snapshot('{wal,wraparound}');
UPDATE pgperf_internal.stored_runs SET label = 'mine';
UPDATE pgperf.collectors SET enabled = false;
SET ROLE regress_pgperf_colleague;
SELECT pgperf.stop_run(:run_id);
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT pgperf.delete_run(:denied_id);
RESET ROLE;
\set VERBOSITY default

-- Clients connect as their role: it needs CONNECT, as a client would.
REVOKE CONNECT ON DATABASE :"DBNAME" FROM PUBLIC;
SET ROLE regress_pgperf_tester;
SELECT pgperf.start_run(script => 'SELECT 1;');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT CONNECT ON DATABASE :"DBNAME" TO PUBLIC;

-- Started in a SECURITY DEFINER function, the workload has the definer's privileges.
CREATE FUNCTION privileges_test.start_as_tester() RETURNS bigint LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$SELECT pgperf.start_run(script => 'INSERT INTO privileges_test.who SELECT current_user, session_user;', transactions_per_client => 1)$$;
CREATE TABLE privileges_test.who (role name, logged_in_as name);
ALTER FUNCTION privileges_test.start_as_tester OWNER TO regress_pgperf_tester;
ALTER TABLE privileges_test.who OWNER TO regress_pgperf_tester;
GRANT USAGE ON SCHEMA privileges_test TO regress_pgperf_other;
SET ROLE regress_pgperf_other;
SELECT privileges_test.start_as_tester() AS run_id \gset
RESET ROLE;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
TABLE privileges_test.who;
SELECT role FROM pgperf.runs WHERE run_id = :run_id;

SELECT bool_and(pgperf.delete_run(run_id)) AS all_deleted FROM pgperf.runs WHERE run_id >= :load_id;
DELETE FROM pgperf.data_sets WHERE schema_name = 'privileges_test';
DROP OWNED BY regress_pgperf_tester, regress_pgperf_other CASCADE;
DROP ROLE regress_pgperf_colleague, regress_pgperf_monitor, regress_pgperf_other, regress_pgperf_tester;
