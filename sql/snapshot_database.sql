-- The activity of this database and of all databases together, and the difference of two samples.
SET client_min_messages = warning;
SELECT min(sample_id) AS first FROM pgperf.snapshot('{database}') \gset
CREATE TABLE written AS SELECT generate_series(1, 1000) AS id;
SELECT count(*) FROM written;
SELECT pg_stat_force_next_flush();
SELECT min(sample_id) AS second FROM pgperf.snapshot('{database}') \gset
SELECT database_name, size_bytes > 0 AS sized, xact_commit > 0 AS committed, blks_hit > 0 AS hit, sessions > 0 AS sessions,
       (blk_read_time IS NULL) = (current_setting('track_io_timing') = 'off') AS timed_if_set, confl_lock IS NOT NULL AS conflicts
FROM pgperf.database_history WHERE sample_id = :second ORDER BY 1;
SELECT database_name, seconds > 0 AS time, xact_commit > 0 AS committed, tup_inserted >= 1000 AS inserted,
       abs(tup_inserted_per_s - tup_inserted / seconds) < 1 AS per_second, deadlocks = 0 AS no_deadlocks
FROM pgperf.database_deltas WHERE sample_id = :second ORDER BY 1;
-- There is no sample to compare the first one with.
SELECT database_name IS NULL AS all_databases, seconds IS NULL AS no_time, xact_commit IS NULL AS no_difference, xact_commit_per_s IS NULL AS no_rate
FROM pgperf.database_deltas WHERE sample_id = (SELECT min(sample_id) FROM pgperf.database_history) ORDER BY 1;
-- Counters that only other versions have are NULL, not 0.
SELECT (parallel_workers_launched IS NULL) = (current_setting('server_version_num')::int < 180000) AS of_18,
       (confl_active_logicalslot IS NULL) = (current_setting('server_version_num')::int < 160000) AS of_16
FROM pgperf.database_history WHERE sample_id = :second AND database_name IS NOT NULL;
-- After a reset between two samples there is no difference, rather than a wrong one.
SELECT pg_stat_reset();
SELECT min(sample_id) AS third FROM pgperf.snapshot('{database}') \gset
SELECT seconds > 0 AS time, xact_commit IS NULL AS no_difference
FROM pgperf.database_deltas WHERE sample_id = :third AND database_name IS NOT NULL;
SELECT count(*) AS after_the_reset FROM pgperf.snapshot('{database}');
SELECT xact_commit >= 0 AS difference_again FROM pgperf.database_deltas
WHERE database_name IS NOT NULL ORDER BY sample_id DESC LIMIT 1;
DROP TABLE written;
