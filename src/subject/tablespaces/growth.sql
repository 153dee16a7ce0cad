-- Of the twelve largest.
SELECT h.name AS object, p.at_s, 0 AS seconds, h.size_bytes AS size
FROM {few_samples}
JOIN pgperf.tablespace_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0
  AND h.name IN (
      SELECT x.name FROM pgperf.tablespace_history x
      WHERE x.node_id = $1::pg_catalog.uuid AND x.taken_at > $2::pg_catalog.timestamptz AND x.taken_at <= $3::pg_catalog.timestamptz
      GROUP BY x.name ORDER BY pg_catalog.max(x.size_bytes) DESC NULLS LAST, x.name LIMIT 12)
ORDER BY h.kind DESC, h.name, p.sample_id
