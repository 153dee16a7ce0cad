SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       NULLIF(GREATEST(h.buffers_written - b.buffers_written, -1), -1) * z.block / p.seconds AS checkpointer,
       NULLIF(GREATEST(h.buffers_clean - b.buffers_clean, -1), -1) * z.block / p.seconds AS writer,
       NULLIF(GREATEST(h.buffers_backend - b.buffers_backend, -1), -1) * z.block / p.seconds AS backends
FROM {samples}
JOIN pgperf.checkpoint_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.checkpoint_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
WHERE p.seconds > 0 AND h.stats_reset IS NOT DISTINCT FROM b.stats_reset
ORDER BY p.sample_id
