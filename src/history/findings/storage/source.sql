-- The archiver's samples of the window, and the one before each.
archiver AS MATERIALIZED (
    SELECT x.* FROM (
        SELECT h.*, lag(h.taken_at) OVER w AS sampled_before, h.failed_count - lag(h.failed_count) OVER w AS failures
        FROM pgperf.archiver_history h
        WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz - interval '1 hour' AND h.taken_at <= $3::timestamptz AND h.archive_mode <> 'off'
        WINDOW w AS (PARTITION BY h.stats_reset ORDER BY h.sample_id)) x
    WHERE x.taken_at > $2::timestamptz),
failed AS MATERIALIZED (
    SELECT (array_agg(a.last_failed_wal ORDER BY a.sample_id DESC))[1] AS wal, max(a.last_failed_time) AS at, min(a.last_failed_time) AS since,
           (SELECT sum(b.failures) FROM archiver b WHERE b.failures > 0) AS failures, (SELECT max(b.last_archived_time) FROM archiver b) AS archived_at
    FROM archiver a WHERE a.last_failed_time > $2::timestamptz AND a.last_failed_time <= $3::timestamptz
    HAVING count(*) > 0),
-- The room on each file system in the window and in the last day before its end.
room AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at, h.file_system, string_agg(h.name, ', ' ORDER BY h.kind DESC, h.name) AS holds, min(h.free_bytes) AS free,
           max(h.file_system_bytes) AS total
    FROM pgperf.tablespace_history h
    WHERE h.node_id = $1::uuid AND h.taken_at > LEAST($2::timestamptz, $3::timestamptz - interval '1 day') AND h.taken_at <= $3::timestamptz
      AND h.file_system_bytes > 0
    GROUP BY h.sample_id, h.taken_at, h.file_system)
