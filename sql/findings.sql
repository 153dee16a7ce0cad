-- What stands out in a window of the history: one of a database of its own.
SET client_min_messages = warning;
CREATE DATABASE regress_pgperf_findings;
\set before :DBNAME
\c regress_pgperf_findings
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE EXTENSION pgperf CASCADE;
-- There is no history yet.
SELECT rule, severity, evidence, fix_sql FROM pgperf.findings();
-- The severities are in order, also when they are compared with a text.
SELECT severity, severity >= 'warning' AS alerts FROM unnest(enum_range(NULL::pgperf.severity)) severity;
-- A history of its own: an hour in January 2026, a sample every minute, and one restart.
SELECT pgperf.local_node() AS node \gset
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, epoch, cadence, elapsed_ms, cpu_ms, rows, pages, wal_bytes, outcomes)
SELECT :'node', n, timestamptz '2026-01-05 12:00+00' + n * interval '1 minute', CASE WHEN n < 45 THEN 1 ELSE 2 END, NULL, 10, 5, 10, 10, 1000,
       '{"wal": {"status": "ok"}, "waits": {"status": "ok"}, "settings": {"status": "ok"}}'
FROM generate_series(1, 60) n;
-- Nothing was measured, so nothing else is known.
SELECT rule, severity, weight BETWEEN 0 AND 99 AS weight_of_a_note, object_kind, object_name, at, since, until, evidence, fix_sql, figures
FROM pgperf.findings('2026-01-05 12:00+00', '2026-01-05 13:00+00');
-- Sessions that wait for each other, a deadlock and a setting that endangers the data.
INSERT INTO pgperf.wait_history (node_id, sample_id, taken_at, source, backend_type, state, wait_event_type, wait_event, looks, seen)
SELECT s.node_id, s.sample_id, s.taken_at, 'activity', 'client backend', 'active', w.kind, w.event, 1, 3
FROM pgperf.samples s, (VALUES ('Lock', 'transactionid'), ('IO', 'DataFileRead')) w(kind, event) WHERE s.taken_at BETWEEN '2026-01-05 12:00+00' AND '2026-01-05 13:00+00';
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, deadlocks)
SELECT s.node_id, s.sample_id, s.taken_at, 'shop', 1000 * s.sample_id, 0, 1000 * s.sample_id, 0, CASE WHEN s.sample_id >= 30 THEN 1 ELSE 0 END
FROM pgperf.samples s WHERE s.taken_at BETWEEN '2026-01-05 12:00+00' AND '2026-01-05 13:00+00';
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT s.node_id, s.sample_id, s.taken_at, v.name, v.value, 'configuration file', false
FROM pgperf.samples s JOIN (VALUES (1, 'fsync', 'on'), (20, 'fsync', 'off'), (20, 'work_mem', '8192')) v(id, name, value) ON v.id = s.sample_id
WHERE s.taken_at BETWEEN '2026-01-05 12:00+00' AND '2026-01-05 13:00+00';
SELECT rule, severity, object_kind, object_name, at, evidence, advice <> '' AS advised FROM pgperf.findings('2026-01-05 12:00+00', '2026-01-05 13:00+00');
-- Those that raise an alert, the most urgent first, with their share of database time.
SELECT rule, severity, weight, time_percent FROM pgperf.findings('2026-01-05 12:00+00', '2026-01-05 13:00+00') WHERE severity >= 'warning';
-- A rule that fails says so, and costs no other its findings.
BEGIN;
INSERT INTO pgperf.settings_history (node_id, sample_id, taken_at, name, value, source, pending_restart)
SELECT s.node_id, s.sample_id, s.taken_at, 'max_connections', '99999999999999999999', 'configuration file', false FROM pgperf.samples s WHERE s.taken_at = '2026-01-05 12:01+00';
SELECT rule, severity, weight, evidence FROM pgperf.findings('2026-01-05 12:00+00', '2026-01-05 13:00+00') WHERE rule IN ('connections', 'lock_waits');
ROLLBACK;
-- A window without a sample says so.
SELECT rule, severity, evidence FROM pgperf.findings('2026-01-06 12:00+00', '2026-01-06 13:00+00');
-- Bad windows.
\set VERBOSITY terse
SELECT * FROM pgperf.findings('2026-01-05 13:00+00', '2026-01-05 12:00+00');
SELECT * FROM pgperf.findings(to_time => 'infinity');
SELECT * FROM pgperf.findings('no such run');
\set VERBOSITY default
-- For members of pg_monitor, with their own rights.
CREATE ROLE regress_pgperf_watcher;
SET ROLE regress_pgperf_watcher;
SELECT * FROM pgperf.findings();
RESET ROLE;
GRANT pg_monitor TO regress_pgperf_watcher;
SET ROLE regress_pgperf_watcher;
SELECT count(*) FROM pgperf.findings('2026-01-05 12:00+00', '2026-01-05 13:00+00');
RESET ROLE;
\c :before
DROP DATABASE regress_pgperf_findings;
DROP ROLE regress_pgperf_watcher;
