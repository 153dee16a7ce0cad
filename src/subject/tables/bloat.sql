-- Each sample measures some relations, and the sampler none that is unchanged, but each once a day: the last measurement of each up to the
-- window's end, at most a day before the window, and the last one before the window.
SELECT l.schema_name || '.' || l.relation_name AS relation, NULLIF(l.relation_kind, 'table') AS kind, l.bloat_bytes, l.bloat_percent,
       l.error_margin_percent AS margin_percent, l.bloat_bytes - b.bloat_bytes AS growth_bytes, l.size_bytes, l.dead_percent,
       l.free_percent, l.taken_at AS measured_at
FROM (SELECT DISTINCT ON (h.schema_name, h.relation_name) h.*
      FROM pgperf.bloat_history h
      WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz - '1 day'::pg_catalog.interval
        AND h.taken_at > $3::pg_catalog.timestamptz - '2 days'::pg_catalog.interval
        AND h.taken_at <= $3::pg_catalog.timestamptz AND h.schema_name NOT IN ('pgperf', 'pgperf_internal')
      ORDER BY h.schema_name, h.relation_name, h.sample_id DESC) l
LEFT JOIN LATERAL (
    SELECT x.bloat_bytes FROM pgperf.bloat_history x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.schema_name = l.schema_name AND x.relation_name = l.relation_name
      AND x.taken_at <= $2::pg_catalog.timestamptz AND x.taken_at > $2::pg_catalog.timestamptz - '2 days'::pg_catalog.interval
    ORDER BY x.taken_at DESC LIMIT 1) b ON l.taken_at > $2::pg_catalog.timestamptz
WHERE l.bloat_bytes > 0
ORDER BY l.bloat_bytes DESC, 1
