-- The standby that is furthest behind, of all samples of a stretch.
SELECT EXTRACT(epoch FROM pg_catalog.max(x.taken_at) - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, 0 AS seconds,
       pg_catalog.max(x.replay_lag_bytes) AS value
FROM (SELECT {stretch} AS stretch, h.taken_at, h.replay_lag_bytes
      FROM pgperf.replication_history h
      WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
        AND h.kind = 'standby' AND h.replay_lag_bytes IS NOT NULL{of_run}) x
GROUP BY x.stretch
ORDER BY x.stretch
