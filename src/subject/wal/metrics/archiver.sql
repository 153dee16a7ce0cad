-- Of the newest sample, if the archive is in use by then. A row without figures also says that this is the newest.
WITH newest AS MATERIALIZED (
    SELECT h.*
      FROM pgperf.archiver_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT u.archived_count AS wal_archived_files,
       u.failed_count AS wal_archive_failures,
       u.ready_files AS wal_archive_waiting_files,
       CASE WHEN u.ready_files = 0 THEN 0 ELSE u.oldest_ready_s END AS wal_archive_wait_seconds,
       u.behind_bytes AS wal_archive_behind_bytes
  FROM newest n LEFT JOIN LATERAL (SELECT n.* WHERE n.archive_mode <> 'off') u ON true
