-- checksum_failures of database {n}
-- conditions: server/checksum_failures.sql 11
-- about: counters
-- failures: CASE WHEN m >= 30 THEN 1 ELSE 0 END
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, xact_commit, xact_rollback, blks_hit, blks_read, checksum_failures)
SELECT node_id, sample_id, taken_at, 'database {n}', 0, 0, 0, 0, {failures} FROM tick WHERE m >= -60;

-- rows
-- any | 10m 1h 1d | => critical, weight=299 kind=database & at=30 since=29 until=30: pages that failed their checksum between & : 1 | failures = 5 => silent | failures = NULL => silent
-- in the window | 10m 1h 1d | failures = CASE WHEN m >= 1 THEN 1 ELSE 0 END => critical, since=0 | failures = CASE WHEN m >= 0 THEN 1 ELSE 0 END => silent | failures = CASE WHEN m >= 60 THEN 1 ELSE 0 END => critical
-- not those of before | | failures = CASE WHEN m >= 30 THEN 2 WHEN m >= -30 THEN 1 ELSE 0 END => critical, at=30 since=29 until=30 & : 1
-- all of them | | failures = GREATEST(m, 0) / 20 => critical, at=60 since=19 & : 3
