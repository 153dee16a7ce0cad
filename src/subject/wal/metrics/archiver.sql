-- Of the newest sample, if the archive is in use by then.
WITH newest AS (
    SELECT h.*
      FROM pgperf.archiver_history h
     WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day'
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT n.archived_count AS wal_archived_files,
       n.failed_count AS wal_archive_failures,
       n.ready_files AS wal_archive_waiting_files,
       CASE WHEN n.ready_files = 0 THEN 0 ELSE n.oldest_ready_s END AS wal_archive_wait_seconds,
       n.behind_bytes AS wal_archive_behind_bytes
  FROM newest n
 WHERE n.archive_mode <> 'off'
