-- Not every sample of the sampler tells relations apart. In a short window the last one that did may be from before it.
WITH ends AS (
    (SELECT true AS at_end, h.sample_id, h.taken_at FROM pgperf.buffer_usage_history h
     WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= $3::pg_catalog.timestamptz
       AND h.taken_at > $2::pg_catalog.timestamptz - '1 hour'::pg_catalog.interval{of_run} AND h.relation_name IS NOT NULL
       AND (SELECT s.complete FROM pgperf.samples s WHERE s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at)
       AND EXISTS (SELECT FROM {samples} WHERE p.at_s > 0)
     ORDER BY h.sample_id DESC LIMIT 1)
    UNION ALL
    (SELECT false, p.sample_id, p.taken_at FROM {samples}
     WHERE p.at_s > 0 AND EXISTS (SELECT FROM pgperf.buffer_usage_history h
         WHERE h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at AND h.relation_name IS NOT NULL)
     ORDER BY p.sample_id LIMIT 1)),
held AS (
    SELECT e.at_end, h.schema_name, h.relation_name, pg_catalog.max(h.relation_kind) AS kind, pg_catalog.sum(h.buffers) AS buffers,
           pg_catalog.sum(h.dirty) AS dirty,
           pg_catalog.sum(h.buffers * h.usage_count) / NULLIF(pg_catalog.sum(h.buffers) FILTER (WHERE h.usage_count IS NOT NULL), 0) AS usage
    FROM ends e
    JOIN pgperf.buffer_usage_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at
    GROUP BY e.at_end, h.schema_name, h.relation_name, h.usage_count IS NULL)
SELECT CASE WHEN l.relation_name IS NOT NULL THEN pg_catalog.concat_ws('.', l.schema_name, l.relation_name)
            WHEN l.usage IS NULL THEN 'unused' ELSE 'other databases, and what cannot be told' END AS relation,
       NULLIF(l.kind, 'table') AS kind,
       100 * l.buffers / pg_catalog.sum(l.buffers) OVER () AS percent, l.buffers * z.block AS size_bytes,
       (l.buffers - f.buffers) * z.block AS growth_bytes, l.dirty * z.block AS dirty_bytes, l.usage,
       l.schema_name, l.relation_name, l.buffers, l.dirty
FROM held l
CROSS JOIN (SELECT pg_catalog.current_setting('block_size')::pg_catalog.int8 AS block) z
LEFT JOIN held f ON NOT f.at_end AND f.schema_name IS NOT DISTINCT FROM l.schema_name AND f.relation_name IS NOT DISTINCT FROM l.relation_name
     AND (f.usage IS NULL) = (l.usage IS NULL)
WHERE l.at_end
ORDER BY l.buffers DESC, 1
