-- The archive of the WAL: the server's counters, and what waits.
SET client_min_messages = warning;
SELECT min(sample_id) AS first FROM pgperf.snapshot('{archiver}') \gset
SELECT h.archive_mode = current_setting('archive_mode') AS mode, h.archived_count <= a.archived_count AS archived, h.failed_count <= a.failed_count AS failed,
       h.stats_reset = a.stats_reset AS since, h.ready_files >= 0 AS waiting, (h.oldest_ready_s IS NULL) = (h.ready_files = 0) AS since_when,
       h.current_lsn <= pg_current_wal_lsn() AS current, (h.behind_bytes IS NULL) = (h.last_archived_wal !~ '^[0-9A-F]{24}') IS NOT FALSE AS behind
FROM pgperf.archiver_history h, pg_stat_archiver a WHERE h.sample_id = :first;
SELECT min(sample_id) AS second FROM pgperf.snapshot('{archiver}') \gset
SELECT archived_count >= 0 AS archived, failed_count >= 0 AS failed, seconds > 0 AS some_time FROM pgperf.archiver_deltas WHERE sample_id = :second;
