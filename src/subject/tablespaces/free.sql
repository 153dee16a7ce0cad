SELECT pg_catalog.string_agg(h.name, ', ' ORDER BY h.kind DESC, h.name) AS object, p.at_s, 0 AS seconds, pg_catalog.min(h.free_bytes) AS free
FROM {few_samples}
JOIN pgperf.tablespace_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0 AND h.file_system_bytes > 0
GROUP BY h.file_system, p.sample_id, p.at_s
ORDER BY 1, p.sample_id
