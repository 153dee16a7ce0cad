-- Conditions that would spoil a measurement: one row for each check.
SELECT DISTINCT check_name FROM pgperf.doctor() WHERE check_name NOT IN ('reload', 'recovery') ORDER BY check_name;
SELECT bool_and(status IN ('ok', 'warning', 'problem', 'unknown')) AS statuses, bool_and(detail <> '') AS explained,
       bool_and(status IN ('warning', 'problem') OR fix_sql IS NULL) AS mends_what_is_wrong,
       bool_and(fix_sql IS NULL OR fix_sql ~ '^(ALTER (SYSTEM|DATABASE|ROLE) |CREATE EXTENSION |SELECT |VACUUM )[^;]*$') AS one_statement
  FROM pgperf.doctor();
SELECT check_name, status, fix_sql FROM pgperf.doctor() WHERE check_name IN ('autovacuum', 'pg_stat_statements') ORDER BY 1;
-- The last statement makes the others take effect.
SELECT (array_agg(fix_sql ORDER BY n DESC) FILTER (WHERE fix_sql IS NOT NULL))[1] AS last_statement
  FROM pgperf.doctor() WITH ORDINALITY AS d (check_name, status, detail, fix_sql, n);
-- The settings of this session are not those that a run would have.
SET synchronous_commit = off;
SELECT status, detail, fix_sql FROM pgperf.doctor() WHERE check_name = 'synchronous_commit';
-- An ordinary user learns which checks need more privileges. Names resolve with any search_path.
CREATE ROLE regress_pgperf_patient;
CREATE SCHEMA regress_doctor;
SET ROLE regress_pgperf_patient;
SET search_path = regress_doctor, pg_catalog;
SELECT check_name, status, detail FROM pgperf.doctor() WHERE check_name IN ('other_sessions', 'horizon', 'data_sets') ORDER BY 1;
SELECT check_name, status <> 'unknown' AS seen FROM pgperf.doctor() WHERE check_name IN ('pg_stat_statements', 'autovacuum', 'data_size') ORDER BY 1;
RESET ROLE;
RESET search_path;
DROP SCHEMA regress_doctor CASCADE;
DROP ROLE regress_pgperf_patient;
