\set SHOW_CONTEXT never
SET client_min_messages = warning;
-- One sample of several collectors: outcomes, the sample's own row, bad input.
SELECT name, enabled, cost, in_runs, needs, history_tables FROM pgperf.collectors ORDER BY name;
-- PostgreSQL 15 has no pg_stat_io.

SELECT collector, status, rows > 0 AS has_rows, elapsed_ms > 0 AS took_time
FROM pgperf.snapshot('{wraparound,wal,buffers,wal}');
SELECT count(DISTINCT sample_id) AS samples, count(*) AS outcomes, bool_and(status = 'ok' OR collector IN ('io', 'locks', 'autovacuum')) AS all_ok
FROM pgperf.snapshot();

-- The sample's row. The history table begins with the same columns.
SELECT sample_id, epoch FROM pgperf.samples ORDER BY sample_id DESC LIMIT 1 \gset
SELECT node_id IN (SELECT node_id FROM pgperf.nodes) AS of_a_node, run_id IS NULL AS no_run, cadence IS NULL AS on_demand,
       elapsed_ms > 0 AS took_time, pages > 0 AS read_pages, wal_bytes > 0 AS wrote_wal,
       rows = (SELECT sum(o.rows) FROM pgperf.sample_outcomes o WHERE o.sample_id = s.sample_id) AS rows_add_up,
       (SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(outcomes) k) AS collectors
FROM pgperf.samples s WHERE sample_id = :sample_id;
SELECT count(*) > 0 AS has_rows, bool_and((h.node_id, h.taken_at) = (s.node_id, s.taken_at) AND h.run_id IS NULL) AS same_header
FROM pgperf.samples s JOIN pgperf.buffer_usage_history h USING (sample_id) WHERE s.sample_id = :sample_id;
SELECT pgperf.snapshot_wal() AS later \gset
SELECT epoch = :epoch AS same_epoch FROM pgperf.samples WHERE sample_id = :later;

-- A collector that is switched off runs all the same if it is named.
UPDATE pgperf.collectors SET enabled = false WHERE name = 'buffers';
SELECT collector FROM pgperf.snapshot();
SELECT collector FROM pgperf.snapshot('{buffers}');
UPDATE pgperf.collectors SET cost = 'none' WHERE name = 'wal';
UPDATE pgperf.collectors SET enabled = true WHERE name = 'buffers';

-- A collector that cannot run does not stop the others. If it is the only one, the error says why.
BEGIN;
ALTER TABLE pgperf.buffer_usage_history RENAME TO hidden;
SELECT collector, status, CASE status WHEN 'skipped' THEN reason END AS reason FROM pgperf.snapshot() WHERE collector NOT IN ('io', 'locks', 'autovacuum');
SAVEPOINT before;
SELECT pgperf.snapshot_buffers();
ROLLBACK TO before;
SELECT status, reason FROM pgperf.sample_outcomes WHERE collector = 'buffers' ORDER BY sample_id DESC LIMIT 1;
ROLLBACK;

-- These calls are refused before anything is stored.
SELECT count(*) AS before FROM pgperf.samples \gset
\set VERBOSITY terse
SELECT * FROM pgperf.snapshot('{bloat,bufers}');
\set VERBOSITY default
SELECT * FROM pgperf.snapshot('{}');
SELECT * FROM pgperf.snapshot(ARRAY[NULL]);
BEGIN READ ONLY;
SELECT * FROM pgperf.snapshot();
ROLLBACK;
SELECT count(*) = :before AS nothing_stored FROM pgperf.samples;

-- The lock_timeout of the caller's transaction is untouched.
BEGIN;
SET LOCAL lock_timeout = '7s';
SELECT count(*) FROM pgperf.snapshot();
SHOW lock_timeout;
ROLLBACK;

-- Members of pg_monitor take and read samples, nobody else does, and nobody writes the tables.
CREATE ROLE pgperf_test_monitor;
CREATE ROLE pgperf_test_nobody;
GRANT pg_monitor TO pgperf_test_monitor;
SET ROLE pgperf_test_monitor;
SELECT collector, status FROM pgperf.snapshot() WHERE collector NOT IN ('io', 'locks', 'autovacuum');
SELECT pgperf.snapshot_wal() > 0 AS taken;
SELECT count(*) > 0 AS readable FROM pgperf.samples;
DELETE FROM pgperf.samples;
SET ROLE pgperf_test_nobody;
SELECT * FROM pgperf.snapshot();
SELECT pgperf.snapshot_bloat();
SELECT count(*) FROM pgperf.samples;
RESET ROLE;
DROP ROLE pgperf_test_monitor, pgperf_test_nobody;
