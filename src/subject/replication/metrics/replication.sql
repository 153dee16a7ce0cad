WITH newest AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND s.taken_at > now() - interval '1 day' AND s.outcomes -> 'replication' ->> 'status' = 'ok'
     ORDER BY s.sample_id DESC
     LIMIT 1)
SELECT h.kind, h.name, h.client, NULLIF(h.instance, 1)::text AS instance, h.database_name AS database,
       h.active::integer AS replication_active,
       h.sent_lag_bytes AS replication_sent_lag_bytes,
       h.flush_lag_bytes AS replication_flush_lag_bytes,
       h.replay_lag_bytes AS replication_replay_lag_bytes,
       h.flush_lag_ms / 1000 AS replication_flush_lag_seconds,
       h.replay_lag_ms / 1000 AS replication_replay_lag_seconds,
       h.retained_bytes AS replication_retained_bytes,
       h.safe_wal_size AS replication_safe_wal_bytes,
       h.xmin_age AS replication_xmin_age,
       h.spill_bytes AS replication_spill_bytes,
       h.apply_error_count AS replication_apply_errors
  FROM newest n JOIN pgperf.replication_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid
 ORDER BY h.retained_bytes DESC NULLS LAST, h.replay_lag_bytes DESC NULLS LAST, h.name, h.client, h.instance
 LIMIT 100
