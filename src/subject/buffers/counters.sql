SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       CASE WHEN h.databases_mark = b.databases_mark AND h.blks_read >= b.blks_read THEN (h.blks_read - b.blks_read) / p.seconds END AS reads,
       CASE WHEN h.buffers_alloc >= b.buffers_alloc THEN (h.buffers_alloc - b.buffers_alloc) / p.seconds END AS allocations,
       CASE WHEN h.evictions >= b.evictions THEN (h.evictions - b.evictions) / p.seconds END AS evictions
FROM {samples}
JOIN pgperf.buffer_counter_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.buffer_counter_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
WHERE p.seconds > 0
ORDER BY p.sample_id
