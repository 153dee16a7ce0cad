-- checksum_failures of other databases and shared catalogs
-- conditions: server/checksum_failures.sql 11
-- about: counters
-- failures: CASE WHEN m >= 30 THEN 3 ELSE 2 END
-- mark: 7
-- epoch: 1
-- also: restart checksum_failures
UPDATE pgperf.samples s SET epoch = {epoch} FROM tick WHERE s.sample_id = tick.sample_id;
INSERT INTO pgperf.database_history (node_id, sample_id, taken_at, database_name, databases_mark, xact_commit, xact_rollback, blks_hit, blks_read, checksum_failures)
SELECT node_id, sample_id, taken_at, NULL, {mark}, 0, 0, 0, 0, {failures} FROM tick WHERE m >= -60;


-- rows
-- any | 10m 1h 1d | => critical, weight=299 kind=server & at=30 since=29 until=30: pages that failed & : 1 | failures = 2 => silent
-- all of them | | failures = GREATEST(m, 0) / 20 => critical, at=60 since=19 until=60 & : 3
-- in the window | 10m 1h 1d | failures = CASE WHEN m >= 1 THEN 3 ELSE 2 END => critical, since=0 | failures = CASE WHEN m >= 0 THEN 3 ELSE 2 END => silent
-- as long as the databases are the same | | mark = CASE WHEN m >= 30 THEN 8 ELSE 7 END => silent | mark = CASE WHEN m >= 29 THEN 8 ELSE 7 END => critical
-- counters that began again | | epoch = CASE WHEN m >= 30 THEN 2 ELSE 1 END => silent | epoch = CASE WHEN m >= 29 THEN 2 ELSE 1 END => critical
