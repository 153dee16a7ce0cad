-- Loads: a background worker does the same as pgbench -i. CALL pgperf.init prints progress, which differs from run
-- to run; start_load and wait_run do the same without it.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA init_test;
SET search_path = init_test;

SELECT pgperf.start_load(label => 'init_test') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT (SELECT count(*) FROM pgbench_branches) AS branches, (SELECT count(*) FROM pgbench_tellers) AS tellers,
       (SELECT count(*) FROM pgbench_accounts) AS accounts, (SELECT count(*) FROM pgbench_history) AS history;
SELECT min(aid), max(aid), count(DISTINCT aid) AS aids, count(DISTINCT bid) AS bids, sum(abalance) AS balance,
       min(length(filler)) AS filler
FROM pgbench_accounts;
SELECT relname, relkind, relpersistence, reloptions FROM pg_class
WHERE relnamespace = 'init_test'::regnamespace AND relkind = 'r' ORDER BY 1;
-- Without NOT NULL, which is a constraint from 18 on.
SELECT conrelid::regclass AS relation, contype, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE connamespace = 'init_test'::regnamespace AND contype <> 'n' ORDER BY 1, 2, 3;
-- pgbench's columns.
SELECT attrelid::regclass AS relation, string_agg(format('%s %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS columns
FROM pg_attribute WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'init_test'::regnamespace AND relkind = 'r')
GROUP BY 1 ORDER BY 1;
-- The tables are analyzed.
SELECT reltuples FROM pg_class WHERE oid = 'pgbench_accounts'::regclass;
-- The tables belong to the role that loaded them.
SELECT DISTINCT relowner::regrole = current_user::regrole AS mine FROM pg_class WHERE relnamespace = 'init_test'::regnamespace;
SELECT check_name, passed FROM pgperf.check('tpcb-like') ORDER BY 1;

-- The load is a run, with its steps as statements.
SELECT kind, label, workload, clients, scale, random_seed, status, error FROM pgperf.runs WHERE run_id = :run_id;
SELECT command_no, statement, calls, failed, rows FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY command_no;
SELECT transactions, duration_s > 0 AS has_duration, failed, wal_bytes > 1000000 AS wrote_wal FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
-- And the tables are registered as pgperf's.
SELECT schema_name, data_set, scale, relations::regclass[] AS relations
FROM pgperf.data_sets WHERE schema_name = 'init_test';

-- check notices sums and counts that are wrong.
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = 7;
SELECT check_name, passed FROM pgperf.check() WHERE NOT passed ORDER BY 1;
DELETE FROM pgbench_tellers WHERE tid = 10;
SELECT check_name, passed FROM pgperf.check('simple-update', schema => 'init_test') WHERE NOT passed ORDER BY 1;

-- pgperf may replace the tables that it created. Options of pgbench -i; rows made by statements (G); spaces between steps.
SELECT pgperf.start_load('select-only', scale => 2, steps => 'd t G p', fillfactor => 80, foreign_keys => true, unlogged => true) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT (SELECT count(*) FROM pgbench_branches) AS branches, (SELECT count(*) FROM pgbench_tellers) AS tellers,
       (SELECT count(*) FROM pgbench_accounts) AS accounts, (SELECT count(*) FROM pgbench_history) AS history;
SELECT relname, relpersistence, reloptions FROM pg_class
WHERE relnamespace = 'init_test'::regnamespace AND relkind = 'r' ORDER BY 1;
SELECT conrelid::regclass AS relation, contype, pg_get_constraintdef(oid) AS definition FROM pg_constraint
WHERE connamespace = 'init_test'::regnamespace AND contype <> 'n' ORDER BY 1, 2, 3;
SELECT bool_and(passed) AS passed FROM pgperf.check();
SELECT statement FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY command_no;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
SELECT scale FROM pgperf.data_sets WHERE schema_name = 'init_test';

-- Partitions by range or by hash, filled by several workers.
SELECT pgperf.start_load(partitions => 3, jobs => 2) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT c.relname, c.relkind, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_class c
WHERE relnamespace = 'init_test'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1;
SELECT tableoid::regclass AS partition, count(*), min(aid), max(aid) FROM pgbench_accounts GROUP BY 1 ORDER BY 1;
SELECT clients FROM pgperf.runs WHERE run_id = :run_id;
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
SELECT pgperf.start_load(partitions => 2, partition_method => 'hash', steps => 'dtg') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT tableoid::regclass AS partition, count(*) FROM pgbench_accounts GROUP BY 1 ORDER BY 1;
SELECT bool_and(passed) AS passed FROM pgperf.check();
SELECT pgperf.start_load(partition_method => 'hash');
SELECT pgperf.start_load(partitions => 2, partition_method => 'list');
SELECT pgperf.start_load(jobs => 0);
SELECT pgperf.start_load() AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');

-- Single steps: first the rows again, into the existing tables; then the tables are dropped, and there is nothing to vacuum.
SELECT pgperf.start_load(scale => 1, steps => 'g') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT (SELECT count(*) FROM pgbench_branches) AS branches, (SELECT count(*) FROM pgbench_accounts) AS accounts;
SELECT pgperf.start_load(steps => 'd') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT count(*) AS tables_left FROM pg_class WHERE relnamespace = 'init_test'::regnamespace;
SELECT pgperf.start_load(steps => 'v') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT sqlstate, error FROM pgperf.runs WHERE run_id = :run_id;

-- A table that somebody else created is dropped only with replace.
CREATE TABLE pgbench_history AS SELECT 1 AS mine;
SELECT pgperf.start_load();
SELECT pgperf.start_load(replace => true) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT bool_and(passed) AS passed FROM pgperf.check();
-- A table that was created by hand in place of one of pgperf's is not pgperf's.
DROP TABLE pgbench_history;
CREATE TABLE pgbench_history AS SELECT 1 AS mine;
SELECT pgperf.start_load();

-- A load that fails says so, and CALL pgperf.init raises its error.
CREATE VIEW refers AS SELECT FROM pgbench_accounts;
DROP TABLE pgbench_history;
SELECT pgperf.start_load() AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT sqlstate, error FROM pgperf.runs WHERE run_id = :run_id;
-- The message names the run.
\set VERBOSITY sqlstate
SELECT pgperf_internal.require_finished(:run_id);
\set VERBOSITY default
DROP VIEW refers;

-- Not among the extension's own tables.
CALL pgperf.init(schema => 'pgperf');

-- Rolled back: nothing is loaded.
BEGIN;
SELECT pgperf.start_load(replace => true) AS run_id \gset
ROLLBACK;
SELECT count(*) AS runs FROM pgperf.runs WHERE run_id = :run_id;

DROP SCHEMA init_test CASCADE;
SELECT count(*) AS deleted FROM (SELECT pgperf.delete_run(run_id) FROM pgperf.runs WHERE kind = 'load' AND spec #>> '{load,options,schema}' = 'init_test') AS d;
DELETE FROM pgperf.data_sets WHERE schema_name = 'init_test';
