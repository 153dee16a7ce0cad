-- A missing row means that nothing had been counted since the epoch began.
SELECT h.backend_type, h.object || ', ' || h.context AS what,
       pg_catalog.sum(COALESCE(h.read_bytes, h.reads * h.op_bytes) - COALESCE(b.read_bytes, b.reads * b.op_bytes, 0)) AS read_bytes,
       pg_catalog.sum(h.read_time - COALESCE(b.read_time, 0)) / 1000 AS read_s,
       pg_catalog.sum(COALESCE(h.write_bytes, h.writes * h.op_bytes) - COALESCE(b.write_bytes, b.writes * b.op_bytes, 0)) AS write_bytes,
       pg_catalog.sum(h.write_time - COALESCE(b.write_time, 0)) / 1000 AS write_s,
       pg_catalog.sum(COALESCE(h.extend_bytes, h.extends * h.op_bytes) - COALESCE(b.extend_bytes, b.extends * b.op_bytes, 0)) AS extend_bytes,
       pg_catalog.sum(h.hits - COALESCE(b.hits, 0)) AS hits, pg_catalog.sum(h.evictions - COALESCE(b.evictions, 0)) AS evictions,
       pg_catalog.sum(h.reuses - COALESCE(b.reuses, 0)) AS reuses, pg_catalog.sum(h.fsyncs - COALESCE(b.fsyncs, 0)) AS fsyncs,
       pg_catalog.sum(h.fsync_time - COALESCE(b.fsync_time, 0)) / 1000 AS fsync_s
FROM {samples}
JOIN pgperf.io_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
LEFT JOIN pgperf.io_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.backend_type = h.backend_type AND b.object = h.object AND b.context = h.context
WHERE p.before_id IS NOT NULL
GROUP BY h.backend_type, h.object, h.context
HAVING pg_catalog.sum(COALESCE(h.reads, 0) + COALESCE(h.writes, 0) + COALESCE(h.extends, 0) + COALESCE(h.fsyncs, 0)
           - COALESCE(b.reads, 0) - COALESCE(b.writes, 0) - COALESCE(b.extends, 0) - COALESCE(b.fsyncs, 0)) > 0
ORDER BY pg_catalog.sum(COALESCE(h.reads, 0) + COALESCE(h.writes, 0) + COALESCE(h.extends, 0)
           - COALESCE(b.reads, 0) - COALESCE(b.writes, 0) - COALESCE(b.extends, 0)) DESC, 1, 2
