-- checksum_failures of other databases and shared catalogs
-- conditions: server/checksum_failures.sql 11
-- about: counters
-- failures: 3
-- own: 2
-- own_at: 30
-- also: checksum_failures
-- A finding of the database itself is expected beside it.
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, databases_mark, xact_commit, xact_rollback, blks_hit, blks_read, checksum_failures)
SELECT node_id, sample_id, taken_at, NULL, 7, 0, 0, 0, 0, CASE WHEN m >= 30 THEN {failures} ELSE 0 END FROM tick WHERE m >= -60
UNION ALL SELECT node_id, sample_id, taken_at, 'own', NULL, 0, 0, 0, 0, CASE WHEN m >= {own_at} THEN {own} ELSE 0 END FROM tick WHERE m >= -60;

-- rows
-- without those of this database | | => critical, : 1 | own = 3 => silent | own = 4 => silent
-- in the window | | own = 3; own_at = 0 => critical, : 3
