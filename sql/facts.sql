-- The stored facts of a run besides its speed: the settings of its clients, its environment, the activity meanwhile.
SET client_min_messages = warning;
CREATE ROLE regress_pgperf_facts LOGIN;
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.start_load TO regress_pgperf_facts;
CREATE SCHEMA facts_test AUTHORIZATION regress_pgperf_facts;
SET ROLE regress_pgperf_facts;
SET search_path = facts_test;
SELECT pgperf.start_load() AS load_id \gset
CALL pgperf.wait_run(:load_id, timeout => '60 s');
RESET ROLE;
-- The sessions of the run are read-only; facts about them are stored all the same.
ALTER ROLE regress_pgperf_facts SET work_mem = '5MB';
ALTER ROLE regress_pgperf_facts SET default_transaction_read_only = on;
SET ROLE regress_pgperf_facts;
SELECT pgperf.start_run(script => 'SELECT count(*) FROM pgbench_accounts;', transactions_per_client => 3,
    settings => '{"Random_Page_Cost": "1.5", "jit": "on"}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
RESET ROLE;
-- Since PostgreSQL 19 jit is off by default.
SELECT name, setting, unit, source, CASE WHEN name = 'jit' AND current_setting('server_version_num')::int >= 190000 AND default_setting = 'off' THEN 'on' ELSE default_setting END AS default_setting FROM pgperf.run_settings
 WHERE run_id = :run_id AND name IN ('work_mem', 'default_transaction_read_only', 'random_page_cost', 'search_path', 'jit',
                                     'application_name', 'seq_page_cost', 'block_size') ORDER BY name;
-- The facts that every machine has. If a value is missing, there is a reason.
SELECT category, count(*) > 0 AS known, bool_and(value IS NOT NULL OR note IS NOT NULL) AS explained
  FROM pgperf.run_environment WHERE run_id = :run_id AND category <> 'device' GROUP BY category ORDER BY category;
SELECT category, name, value IS NOT NULL AS known FROM pgperf.run_environment
 WHERE run_id = :run_id AND name IN ('version', 'configure', 'data_checksums', 'pgperf', 'kernel', 'clock_source', 'model', 'cpus',
                                     'total', 'data.type', 'data.mount_options', 'wal.type') ORDER BY category, name;
SELECT value = pg_catalog.current_setting('block_size') AS block_size FROM pgperf.run_environment
 WHERE run_id = :run_id AND category = 'server' AND name = 'block_size';
-- A run that wrote nothing.
SELECT metric, value, unit, direction, category FROM pgperf.run_metrics
 WHERE run_id = :run_id AND metric IN ('deadlocks', 'temp_bytes', 'table_growth_bytes', 'index_growth_bytes', 'rollbacks')
 ORDER BY metric;
SELECT bool_and(value BETWEEN 0 AND 100) AS percents, count(*) > 1 AS several FROM pgperf.run_metrics
 WHERE run_id = :run_id AND unit = 'percent' AND category IN ('host', 'database');
SELECT count(*) = 4 AS all_there FROM pgperf.run_metrics
 WHERE run_id = :run_id AND metric IN ('wal_bytes', 'xids', 'checkpoints_timed', 'autovacuum_count') AND value IS NOT NULL;
SELECT schema_name, relation_name, relation_kind, start_size_bytes = end_size_bytes AS same_size, end_live_tuples,
       start_tuple_percent > 80 AS packed, n_tup_ins, n_tup_upd, n_tup_del
  FROM pgperf.run_relations WHERE run_id = :run_id AND relation_name = 'pgbench_accounts';
-- A load: its tables did not exist before.
SELECT relation_name, relation_kind, table_name, start_size_bytes, end_size_bytes > 0 AS filled, n_tup_ins
  FROM pgperf.run_relations WHERE run_id = :load_id AND relation_name LIKE 'pgbench_accounts%' ORDER BY 1;
SELECT metric, value > 0 AS grew FROM pgperf.run_metrics
 WHERE run_id = :load_id AND metric IN ('table_growth_bytes', 'index_growth_bytes', 'wal_bytes') ORDER BY 1;
-- Neither the catalogs nor pgperf's own relations are stored.
SELECT DISTINCT schema_name FROM pgperf.run_relations WHERE run_id IN (:run_id, :load_id) AND schema_name <> 'pg_toast';
-- Only the requested collectors are sampled, and only their facts are known.
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, collectors => '{database}') AS bare_id \gset
CALL pgperf.wait_run(:bare_id, timeout => '60 s');
SELECT DISTINCT category FROM pgperf.run_metrics WHERE run_id = :bare_id ORDER BY 1;
-- The facts are deleted with their run.
SELECT pgperf.delete_run(id) FROM unnest(ARRAY[:run_id, :load_id, :bare_id]) AS id;
SELECT (SELECT count(*) FROM pgperf.run_settings WHERE run_id IN (:run_id, :load_id, :bare_id)) AS settings,
       (SELECT count(*) FROM pgperf.run_environment WHERE run_id IN (:run_id, :load_id, :bare_id)) AS environment,
       (SELECT count(*) FROM pgperf.run_metrics WHERE run_id IN (:run_id, :load_id, :bare_id)) AS metrics,
       (SELECT count(*) FROM pgperf.run_relations WHERE run_id IN (:run_id, :load_id, :bare_id)) AS relations;
REVOKE ALL ON FUNCTION pgperf.start_run, pgperf.start_load FROM regress_pgperf_facts;
DROP SCHEMA facts_test CASCADE;
DROP ROLE regress_pgperf_facts;
