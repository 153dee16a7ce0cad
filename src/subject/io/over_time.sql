SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       pg_catalog.sum(COALESCE(h.read_bytes, h.reads * h.op_bytes) - COALESCE(b.read_bytes, b.reads * b.op_bytes, 0)) / p.seconds AS read,
       pg_catalog.sum(COALESCE(h.write_bytes, h.writes * h.op_bytes) - COALESCE(b.write_bytes, b.writes * b.op_bytes, 0)) / p.seconds AS written,
       pg_catalog.sum(COALESCE(h.extend_bytes, h.extends * h.op_bytes) - COALESCE(b.extend_bytes, b.extends * b.op_bytes, 0)) / p.seconds AS extended
FROM {samples}
JOIN pgperf.io_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
LEFT JOIN pgperf.io_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.backend_type = h.backend_type AND b.object = h.object AND b.context = h.context
WHERE p.seconds > 0
GROUP BY p.sample_id, p.since_s, p.at_s, p.seconds
ORDER BY p.sample_id
