\pset null NULL
-- Sessions: a sample that somebody asks for looks once.
SET application_name = 'watcher';
BEGIN;
SELECT status, reason FROM pgperf.snapshot('{sessions}');
SELECT max(sample_id) AS sample FROM pgperf.samples \gset
-- The session that looks does not see itself.
SELECT bool_and(looks = 1 AND seen >= 0 AND most = seen) AS one_look, count(*) FILTER (WHERE application_name = 'watcher') AS own,
       bool_and(state IS DISTINCT FROM 'idle') AS none_idle, bool_and(wait_event_type IS DISTINCT FROM 'Activity') AS none_waits_for_work
FROM pgperf.session_history WHERE sample_id = :sample;
SELECT count(*) FROM pgperf.blocking_history WHERE sample_id = :sample;
COMMIT;
-- A sample with nobody at work has a row that says so.
SELECT count(*) > 0 AS has_rows FROM pgperf.session_history WHERE sample_id = :sample;
-- A run takes it only if it is named.
SELECT in_runs, sample_interval, history_tables FROM pgperf.collectors WHERE name = 'sessions';
-- pg_monitor alone reads them.
SELECT relname, has_table_privilege('pg_monitor', oid, 'SELECT') AS monitor, has_table_privilege('pg_read_all_data', oid, 'SELECT') AS reads_all,
       EXISTS (SELECT FROM aclexplode(relacl) WHERE grantee = 0) AS everybody
FROM pg_class WHERE oid IN ('pgperf.session_history'::regclass, 'pgperf.connection_history'::regclass, 'pgperf.blocking_history'::regclass) ORDER BY 1;
