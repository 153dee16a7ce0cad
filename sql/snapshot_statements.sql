-- Statements from pg_stat_statements: those that were called, and their time since the previous sample.
SET client_min_messages = warning;
CREATE TABLE called (id int);
INSERT INTO called VALUES (1);
SELECT min(sample_id) AS first FROM pgperf.snapshot('{statements}') \gset
SELECT count(*) FROM pgperf.statement_history WHERE sample_id = :first AND queryid = 0;
SELECT id AS statement_of_this_test FROM called WHERE id = 1;
SELECT id AS statement_of_this_test FROM called WHERE id = 2;
SELECT min(sample_id) AS second FROM pgperf.snapshot('{statements}') \gset
SELECT id AS statement_of_this_test FROM called WHERE id = 3;
SELECT min(sample_id) AS third FROM pgperf.snapshot('{statements}') \gset
SELECT min(sample_id) AS fourth FROM pgperf.snapshot('{statements}') \gset
-- The text is stored once. There is a row only if the statement was called.
SELECT query FROM pgperf.statement_texts WHERE query LIKE 'SELECT id AS statement_of_this_test%';
SELECT queryid FROM pgperf.statement_texts WHERE query LIKE 'SELECT id AS statement_of_this_test%' \gset
SELECT sample_id - :first AS sample, calls, rows, role_name = current_user AS role, database_name, toplevel, total_exec_time > 0 AS timed,
       shared_blks_hit > 0 AS hit, shared_blk_read_time IS NULL AS not_timed, stats_reset IS NOT NULL AS reset
FROM pgperf.statement_history WHERE queryid = :queryid AND sample_id >= :first ORDER BY sample_id;
SELECT sample_id - :first AS sample, calls, rows, seconds > 0 AS time, abs(mean_exec_time - total_exec_time) < 0.000001 AS mean_of_one,
       stddev_exec_time < mean_exec_time * 0.001 AS no_deviation, calls_per_s > 0 AS per_second, query LIKE 'SELECT id%' AS has_text
FROM pgperf.statement_rates WHERE queryid = :queryid AND sample_id = :third;
-- The mean and deviation of an interval are those of its calls alone.
SELECT pg_sleep(0.01), 'statements' AS sleeper;
SELECT min(sample_id) AS before FROM pgperf.snapshot('{statements}') \gset
SELECT pg_sleep(0.1), 'statements' AS sleeper;
SELECT pg_sleep(0.3), 'statements' AS sleeper;
SELECT min(sample_id) AS after FROM pgperf.snapshot('{statements}') \gset
SELECT calls, mean_exec_time >= 199 AS mean, stddev_exec_time > 10 AS deviation
FROM pgperf.statement_rates WHERE sample_id = :after AND query LIKE 'SELECT pg_sleep(%), % AS sleeper';
-- All statements together.
SELECT statements > 0 AS statements, left_out, calls > 0 AS calls, dealloc IS NOT NULL AS dealloc
FROM pgperf.statement_deltas WHERE sample_id = :third AND queryid = 0;
-- Columns follow the installed version of the extension.
SELECT (stats_since IS NULL) = (SELECT string_to_array(extversion, '.')::int[] < '{1,11}' FROM pg_extension
                                WHERE extname = 'pg_stat_statements') AS of_1_11,
       wal_bytes IS NOT NULL AS has_wal, jit_functions IS NOT NULL AS has_jit
FROM pgperf.statement_history WHERE queryid = :queryid AND sample_id = :third;
-- Whatever the session does to numbers that it shows, they are stored as they are.
SET extra_float_digits = -15;
SELECT min(sample_id) AS exact FROM pgperf.snapshot('{statements}') \gset
RESET extra_float_digits;
SELECT total_exec_time <> trunc(total_exec_time) AS exact FROM pgperf.statement_history WHERE sample_id = :exact AND queryid = 0;
-- Without the extension.
BEGIN;
ALTER FUNCTION pg_stat_statements(boolean) RENAME TO hidden;
SELECT status, reason IS NOT NULL AS has_reason FROM pgperf.snapshot('{statements}');
ROLLBACK;
DROP TABLE called;
SELECT coalesce(bool_and(stddev_exec_time IS NULL), true) AS unknown FROM pgperf.statement_rates WHERE coalesce(calls, 0) = 0;
