-- What the database has grown since the first sample.
SELECT x.at_s, 0 AS seconds, x.size_bytes - x.first_bytes AS value
FROM (SELECT p.sample_id, p.at_s, h.size_bytes, pg_catalog.first_value(h.size_bytes) OVER (ORDER BY p.sample_id) AS first_bytes
      FROM {samples}
      JOIN pgperf.database_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
      WHERE h.database_name IS NOT NULL AND h.size_bytes IS NOT NULL) x
WHERE x.at_s > 0
ORDER BY x.sample_id
