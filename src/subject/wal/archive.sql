WITH steps AS (
    SELECT p.sample_id, p.samples, h.last_archived_wal, h.last_archived_time, h.last_failed_time, h.ready_files, h.oldest_ready_s, h.behind_bytes,
           CASE WHEN h.stats_reset IS NOT DISTINCT FROM b.stats_reset THEN h.archived_count - b.archived_count END AS archived,
           CASE WHEN h.stats_reset IS NOT DISTINCT FROM b.stats_reset THEN h.failed_count - b.failed_count END AS failed
    FROM {samples}
    JOIN pgperf.archiver_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    LEFT JOIN pgperf.archiver_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
    WHERE h.archive_mode <> 'off')
SELECT 'the server' AS whole, pg_catalog.sum(s.archived) FILTER (WHERE s.archived >= 0) AS archived,
       pg_catalog.sum(s.failed) FILTER (WHERE s.failed >= 0) AS failed,
       pg_catalog.max(s.ready_files) AS waiting_max, (pg_catalog.array_agg(s.ready_files ORDER BY s.sample_id DESC))[1] AS waiting,
       pg_catalog.max(s.oldest_ready_s) AS waited_s, (pg_catalog.array_agg(s.behind_bytes ORDER BY s.sample_id DESC))[1] AS behind_bytes,
       (pg_catalog.array_agg(s.last_archived_wal ORDER BY s.sample_id DESC))[1] AS last_archived_wal,
       pg_catalog.max(s.last_archived_time) AS last_archived_at, pg_catalog.max(s.last_failed_time) AS last_failed_at
FROM steps s
WHERE s.samples > 0
HAVING pg_catalog.count(*) > 0
