WITH ends AS (
    SELECT p.sample_id, p.taken_at, pg_catalog.row_number() OVER (ORDER BY p.sample_id DESC) AS last,
           pg_catalog.row_number() OVER (ORDER BY p.sample_id) AS first
    FROM {samples} WHERE p.at_s > 0),
held AS (
    SELECT e.last = 1 AS at_end, h.schema_name, h.relation_name, pg_catalog.max(h.relation_kind) AS kind, pg_catalog.sum(h.buffers) AS buffers,
           pg_catalog.sum(h.dirty) AS dirty,
           pg_catalog.sum(h.buffers * h.usage_count) / NULLIF(pg_catalog.sum(h.buffers) FILTER (WHERE h.usage_count IS NOT NULL), 0) AS usage
    FROM ends e
    JOIN pgperf.buffer_usage_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at
    WHERE e.last = 1 OR e.first = 1
    GROUP BY e.last = 1, h.schema_name, h.relation_name, h.usage_count IS NULL)
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
