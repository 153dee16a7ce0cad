SELECT h.kind || ' ' || COALESCE(h.name, '(no name)') || COALESCE(' at ' || h.client, '')
           || CASE WHEN COALESCE(h.instance, 1) > 1 THEN ' (' || COALESCE(h.instance, 1) || ')' ELSE '' END AS object,
       p.at_s, 0 AS seconds, pg_catalog.max(COALESCE(h.replay_lag_bytes, h.retained_bytes)) AS behind
FROM {few_samples}
JOIN pgperf.replication_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0
  AND (h.kind, COALESCE(h.name, ''), COALESCE(h.client, ''), COALESCE(h.instance, 1)) IN (
      SELECT x.kind, COALESCE(x.name, ''), COALESCE(x.client, ''), COALESCE(x.instance, 1) FROM pgperf.replication_history x
      WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at > $2::pg_catalog.timestamptz AND x.taken_at <= $3::pg_catalog.timestamptz
      GROUP BY 1, 2, 3, 4 ORDER BY pg_catalog.max(COALESCE(x.replay_lag_bytes, x.retained_bytes)) DESC NULLS LAST, 1, 2, 3, 4 LIMIT 12)
GROUP BY h.kind, h.name, h.client, COALESCE(h.instance, 1), p.sample_id, p.at_s
ORDER BY h.kind, h.name, h.client, COALESCE(h.instance, 1), p.sample_id
