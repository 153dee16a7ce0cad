-- At least 1 GB or one minute, in three samples: shorter lags pass. Critical from 10 GB on.
SELECT CASE WHEN max(h.replay_lag_bytes) >= 10 * 1073741824.0 THEN 'critical' END, LEAST(99, max(h.replay_lag_bytes) / 1e8),
       'standby', NULL, h.name, (array_agg(h.taken_at ORDER BY h.replay_lag_bytes DESC NULLS LAST))[1], min(h.taken_at), max(h.taken_at),
       format('%sup to %s behind, in %s samples', COALESCE('at ' || h.client || ': ', ''),
              concat_ws(' and ', pg_size_pretty(max(h.replay_lag_bytes)), round((max(h.replay_lag_ms) / 1000)::numeric, 1) || ' s'), count(*)),
       jsonb_build_object('replay_lag_bytes', max(h.replay_lag_bytes), 'replay_lag_ms', max(h.replay_lag_ms), 'state', (array_agg(h.state ORDER BY h.sample_id DESC))[1]), NULL
FROM pgperf.replication_history h
WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.kind = 'standby'
  AND (h.replay_lag_bytes >= 1073741824 OR h.replay_lag_ms >= 1000 * {threshold standby_lag})
GROUP BY h.name, h.client, COALESCE(h.instance, 1) HAVING count(*) >= 3
