\set SHOW_CONTEXT never
SET client_min_messages = warning;
-- The continuous sampler's calls and settings; its work is tested in tests/history/sampler.rs.
SELECT name, sample_interval FROM pgperf.collectors ORDER BY name;
UPDATE pgperf.collectors SET sample_interval = '30 s' WHERE name = 'wal';
UPDATE pgperf.collectors SET sample_interval = NULL WHERE name = 'host';
UPDATE pgperf.collectors SET enabled = NULL WHERE name = 'host';
UPDATE pgperf.collectors SET hourly_retention = '-1 day' WHERE name = 'host';
SELECT name, enabled, sample_interval FROM pgperf.collectors WHERE name IN ('wal', 'host') ORDER BY name;
UPDATE pgperf.collectors SET sample_interval = '0.5 s' WHERE name = 'wal';
UPDATE pgperf.collectors SET sample_interval = '-1 h' WHERE name = 'wal';
\echo :LAST_ERROR_SQLSTATE
UPDATE pgperf.collectors SET sample_interval = '10 s' WHERE name IN ('wal', 'host');
SELECT count(*) FROM pgperf.snapshot('{host}');

SELECT pgperf.stop_sampler();
SELECT pgperf.start_sampler();
SELECT pgperf.start_sampler();
SELECT application_name, backend_type, backend_xid IS NULL AS no_xid FROM pg_stat_activity
WHERE application_name = 'pgperf sampler' AND datname = current_database();
SELECT pgperf.stop_sampler();
SELECT pgperf.stop_sampler();
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN READ ONLY;
SELECT pgperf.start_sampler();
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

-- Members of pg_monitor start and stop it, as they take snapshots; nobody else does.
CREATE ROLE regress_pgperf_monitor IN ROLE pg_monitor;
CREATE ROLE regress_pgperf_nobody;
SET ROLE regress_pgperf_monitor;
SELECT pgperf.start_sampler(), pgperf.stop_sampler();
SELECT count(*) >= 0 AS readable FROM pgperf.sampler_gaps;
UPDATE pgperf.collectors SET sample_interval = '1 s';
SET ROLE regress_pgperf_nobody;
SELECT pgperf.start_sampler();
SELECT pgperf.stop_sampler();
SELECT pgperf.start_sampler(server => 'nowhere');
SELECT pgperf.stop_sampler(server => 'nowhere');
SELECT count(*) FROM pgperf.sampled_servers;
RESET ROLE;
DROP ROLE regress_pgperf_monitor, regress_pgperf_nobody;

-- Targets are sampled as the role that asks for it; their work is tested in tests/targets/sampler.rs.
\set VERBOSITY sqlstate
SELECT pgperf.start_sampler(server => 'nowhere');
SELECT pgperf.start_sampler(server => NULL) IS NULL AS nothing, pgperf.stop_sampler(server => 'nowhere');
CREATE SERVER regress_pgperf_target FOREIGN DATA WRAPPER pgperf_target OPTIONS (host '/nowhere');
SELECT pgperf.start_sampler(server => 'regress_pgperf_target');
\set VERBOSITY default
CREATE USER MAPPING FOR PUBLIC SERVER regress_pgperf_target;
SELECT pgperf.start_sampler(server => 'regress_pgperf_target');
SELECT pgperf.start_sampler(server => 'regress_pgperf_target');
SELECT server, role = current_user AS is_mine, running, connected, last_sample_at, unknown, node_id FROM pgperf.sampled_servers;
SELECT pgperf.stop_sampler(server => 'regress_pgperf_target');
SELECT count(*) FROM pgperf.sampled_servers;
DROP SERVER regress_pgperf_target CASCADE;

-- Only the server's configuration decides what the server does by itself.
SHOW pgperf.sampler_databases;
SHOW pgperf.sampler_budget_percent;
SET pgperf.sampler_budget_percent = 5;
ALTER DATABASE :"DBNAME" SET pgperf.sampler_databases = 'x';

-- Gaps in the history of another node: wal every 10 s, tables every minute. A collector that never worked has none.
BEGIN;
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, run_id, epoch, cadence, elapsed_ms, rows, pages, wal_bytes, outcomes)
SELECT '00000000-0000-0000-0000-000000000001', n, '2026-01-01 00:00 UTC'::timestamptz + at, run_id, epoch, cadence, ms, 0, 0, 0,
       (SELECT jsonb_object_agg(c, CASE WHEN r IS NULL AND c <> 'io' THEN '{"status": "ok"}'::jsonb
                                        ELSE jsonb_build_object('status', 'skipped', 'reason', r) END) FROM unnest(collectors) c)
FROM (VALUES
    (1, '0 s'::interval, NULL::int, 1, '10 s'::interval, 5, '{wal,io}'::text[], NULL::text),
    (2, '0.1 s', NULL, 1, '1 min', 5, '{tables}', NULL),
    (3, '10 s', NULL, 1, '10 s', 5, '{wal,io}', NULL),
    (4, '20 s', NULL, 1, '10 s', 5, '{wal,io}', 'locked'),
    (5, '30 s', NULL, 1, '10 s', 5, '{wal,io}', 'no room'),
    (6, '50 s', NULL, 1, '10 s', 5, '{wal,io}', NULL),
    (7, '52 s', 7, 1, '1 s', 5, '{wal}', NULL),
    (8, '55 s', NULL, 1, NULL, 5, '{wal}', NULL),
    (9, '60 s', NULL, 1, '1 min', 12000, '{tables}', NULL),
    (10, '72 s', NULL, 1, '10 s', 5, '{wal}', NULL),
    (11, '80 s', NULL, 1, '10 s', 5, '{wal}', NULL),
    (12, '100 s', NULL, 1, '20 s', 5, '{wal}', NULL),
    (13, '110 s', NULL, 1, '10 s', 5, '{wal}', NULL),
    (14, '150 s', NULL, 1, '10 s', 5, '{wal}', NULL),
    (15, '200 s', NULL, 2, '10 s', 5, '{wal}', NULL),
    (16, '201 s', NULL, 2, '1 min', 5, '{tables}', NULL),
    -- The server was restarted when it was due.
    (17, '130 s', NULL, 1, '1 min', 5, '{slru}', NULL),
    (18, '260 s', NULL, 2, '1 min', 5, '{slru}', NULL)) v(n, at, run_id, epoch, cadence, ms, collectors, r);
SELECT collector, cadence, last_at AT TIME ZONE 'UTC' AS last_at, next_at AT TIME ZONE 'UTC' AS next_at, seconds, reason FROM pgperf.sampler_gaps
WHERE node_id = '00000000-0000-0000-0000-000000000001' ORDER BY collector, last_at;
ROLLBACK;
DELETE FROM pgperf_internal.collector_settings;
