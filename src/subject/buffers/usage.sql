SELECT p.at_s, 0 AS seconds,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count = 0) AS count_0,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count = 1) AS count_1,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count = 2) AS count_2,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count = 3) AS count_3,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count = 4) AS count_4,
       pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count >= 5) AS count_5,
       pg_catalog.sum(h.dirty * z.block) AS dirty, pg_catalog.sum(h.buffers * z.block) FILTER (WHERE h.usage_count IS NULL) AS unused
FROM {samples}
JOIN pgperf.buffer_usage_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
WHERE p.at_s > 0
GROUP BY p.sample_id, p.at_s
ORDER BY p.sample_id
