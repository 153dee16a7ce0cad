-- Settings: first those that differ from their defaults, then changes.
SET client_min_messages = warning;
CREATE ROLE regress_pgperf_settings;
SELECT min(sample_id) AS first FROM pgperf.snapshot('{settings}') \gset
SELECT DISTINCT ON (name) name, value, unit, source, pending_restart FROM pgperf.settings_history
WHERE database_name IS NULL AND role_name IS NULL AND name IN ('max_worker_processes', 'autovacuum_naptime', 'work_mem', 'lock_timeout')
ORDER BY name, sample_id DESC;
-- If nothing changed, there is no row. Settings of this session are not the server's.
SET work_mem = '5MB';
SELECT rows FROM pgperf.snapshot('{settings}');
RESET work_mem;
-- Settings of the server, of a database and of a role are changed and reset.
ALTER SYSTEM SET deadlock_timeout = '1234ms';
-- A setting that the sample sets for itself.
ALTER SYSTEM SET lock_timeout = '7s';
ALTER ROLE regress_pgperf_settings SET work_mem = '6MB';
ALTER ROLE regress_pgperf_settings IN DATABASE :DBNAME SET application_name = 'x=y';
SELECT pg_reload_conf(), pg_sleep(1);
\c
SET client_min_messages = warning;
SELECT min(sample_id) AS second FROM pgperf.snapshot('{settings}') \gset
SELECT name, database_name, role_name, value, unit, source FROM pgperf.settings_history WHERE sample_id = :second ORDER BY 1;
ALTER SYSTEM RESET deadlock_timeout;
ALTER SYSTEM RESET lock_timeout;
ALTER ROLE regress_pgperf_settings RESET work_mem;
SELECT pg_reload_conf(), pg_sleep(1);
\c
SET client_min_messages = warning;
SELECT min(sample_id) AS third FROM pgperf.snapshot('{settings}') \gset
SELECT name, role_name, value, source FROM pgperf.settings_history WHERE sample_id = :third ORDER BY 1;
-- A setting that waits for a restart counts as a change. Passwords are not stored.
ALTER SYSTEM SET max_connections = 77;
ALTER SYSTEM SET primary_conninfo = 'host=elsewhere password=''ge\''heim nie'' user=me';
ALTER SYSTEM SET recovery_end_command = 'run postgresql://me:geheim@elsewhere:1,other/db';
SELECT pg_reload_conf(), pg_sleep(1);
\c
SET client_min_messages = warning;
SELECT min(sample_id) AS fourth FROM pgperf.snapshot('{settings}') \gset
SELECT name, value, pending_restart FROM pgperf.settings_history WHERE sample_id = :fourth ORDER BY 1;
ALTER SYSTEM RESET max_connections;
ALTER SYSTEM RESET primary_conninfo;
ALTER SYSTEM RESET recovery_end_command;
SELECT pg_reload_conf();
ALTER ROLE regress_pgperf_settings IN DATABASE :DBNAME RESET application_name;
DROP ROLE regress_pgperf_settings;
-- What the database gave this session when it began is no setting of the server, neither then nor when it is gone.
ALTER DATABASE :"DBNAME" SET lock_timeout = '2s';
\c
SET client_min_messages = warning;
SELECT min(sample_id) AS fifth FROM pgperf.snapshot('{settings}') \gset
ALTER DATABASE :"DBNAME" RESET lock_timeout;
SELECT min(sample_id) AS sixth FROM pgperf.snapshot('{settings}') \gset
SELECT min(sample_id) AS seventh FROM pgperf.snapshot('{settings}') \gset
SELECT CASE sample_id WHEN :fifth THEN 'fifth' WHEN :sixth THEN 'sixth' ELSE 'seventh' END AS sample, name, database_name IS NOT NULL AS of_database, value FROM pgperf.settings_history
 WHERE sample_id IN (:fifth, :sixth, :seventh) AND name = 'lock_timeout' ORDER BY 1, 3;
