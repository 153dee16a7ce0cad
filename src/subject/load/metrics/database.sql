WITH newest AS MATERIALIZED (
    SELECT h.*
      FROM pgperf.database_history h
     WHERE h.node_id = $1::uuid AND {part h} AND h.database_name IS NOT NULL
     ORDER BY h.sample_id DESC
     LIMIT 1),
-- All databases together.
together AS (
    SELECT h.*
      FROM pgperf.database_history h
     WHERE h.node_id = $1::uuid AND {part h} AND h.database_name IS NULL
     ORDER BY h.sample_id DESC
     LIMIT 1),
-- Runs do not measure it at every interval.
sized AS (
    SELECT h.size_bytes
      FROM pgperf.database_history h
     WHERE h.node_id = $1::uuid AND {day h} AND h.database_name IS NOT NULL
       AND h.size_bytes IS NOT NULL
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT n.database_name AS database,
       s.size_bytes AS database_size_bytes,
       n.numbackends AS database_backends,
       n.xact_commit AS database_commits,
       n.xact_rollback AS database_rollbacks,
       n.blks_hit AS database_blocks_hit,
       n.blks_read AS database_blocks_read,
       n.tup_returned AS database_rows_returned,
       n.tup_fetched AS database_rows_fetched,
       n.tup_inserted AS database_rows_inserted,
       n.tup_updated AS database_rows_updated,
       n.tup_deleted AS database_rows_deleted,
       n.temp_files AS database_temp_files,
       n.temp_bytes AS database_temp_bytes,
       n.deadlocks AS database_deadlocks,
       n.conflicts AS database_conflicts,
       n.checksum_failures AS database_checksum_failures,
       n.blk_read_time / 1000 AS database_read_seconds,
       n.blk_write_time / 1000 AS database_write_seconds,
       n.session_time / 1000 AS database_session_seconds,
       n.active_time / 1000 AS database_active_seconds,
       n.idle_in_transaction_time / 1000 AS database_idle_in_transaction_seconds,
       n.sessions AS database_sessions,
       n.sessions_abandoned AS database_sessions_abandoned,
       n.sessions_fatal AS database_sessions_fatal,
       n.sessions_killed AS database_sessions_killed,
       t.numbackends AS server_backends,
       t.xact_commit AS server_commits,
       t.xact_rollback AS server_rollbacks,
       t.blks_hit AS server_blocks_hit,
       t.blks_read AS server_blocks_read,
       t.temp_bytes AS server_temp_bytes,
       t.deadlocks AS server_deadlocks
  FROM newest n FULL JOIN together t ON true LEFT JOIN sized s ON n.sample_id IS NOT NULL
