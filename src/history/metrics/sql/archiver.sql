SELECT h.archived_count AS wal_archived_files,
       h.failed_count AS wal_archive_failures,
       h.ready_files AS wal_archive_waiting_files,
       CASE WHEN h.ready_files = 0 THEN 0 ELSE h.oldest_ready_s END AS wal_archive_wait_seconds,
       h.behind_bytes AS wal_archive_behind_bytes
  FROM pgperf.archiver_history h
 WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day' AND h.archive_mode <> 'off'
 ORDER BY h.sample_id DESC
 LIMIT 1
