SELECT h.numbackends AS server_backends,
       h.xact_commit AS server_commits,
       h.xact_rollback AS server_rollbacks,
       h.blks_hit AS server_blocks_hit,
       h.blks_read AS server_blocks_read,
       h.temp_bytes AS server_temp_bytes,
       h.deadlocks AS server_deadlocks
  FROM pgperf.database_history h
 WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day' AND h.database_name IS NULL
 ORDER BY h.sample_id DESC
 LIMIT 1
