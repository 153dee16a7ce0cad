SELECT DISTINCT ON (h.kind, h.name) h.name, h.size_bytes,
       h.size_bytes - pg_catalog.first_value(h.size_bytes) OVER w AS growth_bytes,
       pg_catalog.max(h.size_bytes) FILTER (WHERE p.at_s > 0) OVER (PARTITION BY h.kind, h.name) AS most_bytes,
       COALESCE(h.location, '(data directory)') AS location
FROM {samples}
JOIN pgperf.tablespace_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WINDOW w AS (PARTITION BY h.kind, h.name ORDER BY h.sample_id)
ORDER BY h.kind DESC, h.name, h.sample_id DESC
