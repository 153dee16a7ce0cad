-- A sample measures those relations whose turn it is: each has moments of its own. The sampler measures none that is unchanged, so that a measurement holds
-- until the next one: the last one before the window at its first sample, the last one of all at its last sample.
-- Of the six largest, up to 100 measurements each.
WITH ends AS MATERIALIZED (
    SELECT pg_catalog.min(p.taken_at) AS first_at, pg_catalog.max(p.taken_at) AS last_at, pg_catalog.max(p.sample_id) AS last_id
    FROM {samples} JOIN pgperf.samples s ON s.node_id = $1::pg_catalog.uuid AND s.sample_id = p.sample_id AND s.taken_at = p.taken_at
    WHERE p.at_s > 0 AND s.cadence IS NOT NULL),
found AS MATERIALIZED (
    SELECT h.schema_name, h.relation_name, h.relation_kind, h.sample_id, h.taken_at, h.size_bytes, h.bloat_percent, h.dead_percent, h.error_margin_percent
    FROM pgperf.bloat_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz - '1 day'::pg_catalog.interval
      AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'pg_toast')),
-- Of this database, those that it still has.
held AS MATERIALIZED (
    SELECT f.* FROM found f
    WHERE NOT {is_run} AND (NOT $5 OR EXISTS (
        SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = f.relation_name AND n.nspname = f.schema_name))),
measured AS MATERIALIZED (
    SELECT f.* FROM found f WHERE f.taken_at >= $2::pg_catalog.timestamptz
    UNION ALL
    (SELECT DISTINCT ON (f.schema_name, f.relation_name) f.schema_name, f.relation_name, f.relation_kind, f.sample_id, e.first_at,
            f.size_bytes, f.bloat_percent, f.dead_percent, f.error_margin_percent
     FROM held f CROSS JOIN ends e
     WHERE f.taken_at < $2::pg_catalog.timestamptz AND e.first_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM found x WHERE x.schema_name = f.schema_name AND x.relation_name = f.relation_name AND x.taken_at = e.first_at)
     ORDER BY f.schema_name, f.relation_name, f.sample_id DESC)
    UNION ALL
    (SELECT DISTINCT ON (f.schema_name, f.relation_name) f.schema_name, f.relation_name, f.relation_kind, e.last_id, e.last_at,
            f.size_bytes, f.bloat_percent, f.dead_percent, f.error_margin_percent
     FROM held f CROSS JOIN ends e
     WHERE e.last_at > e.first_at
       AND NOT EXISTS (SELECT FROM found x WHERE x.schema_name = f.schema_name AND x.relation_name = f.relation_name AND x.taken_at >= e.last_at)
     ORDER BY f.schema_name, f.relation_name, f.sample_id DESC)),
largest AS (
    SELECT m.schema_name, m.relation_name, pg_catalog.max(m.size_bytes) AS most
    FROM measured m GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 6),
numbered AS (
    SELECT m.*, l.most, pg_catalog.row_number() OVER w AS number, pg_catalog.count(*) OVER (PARTITION BY m.schema_name, m.relation_name) AS all_of_it
    FROM measured m JOIN largest l USING (schema_name, relation_name)
    WINDOW w AS (PARTITION BY m.schema_name, m.relation_name ORDER BY m.taken_at, m.sample_id))
SELECT CASE WHEN b.schema_name = 'public' THEN '' ELSE b.schema_name || '.' END || b.relation_name AS object,
       EXTRACT(epoch FROM b.taken_at - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, 0 AS seconds,
       -- One that was measured once has no course.
       CASE WHEN b.all_of_it > 1 THEN b.size_bytes END AS size, CASE WHEN b.all_of_it > 1 THEN b.bloat_percent END AS bloat,
       b.size_bytes, b.bloat_percent, b.dead_percent, b.error_margin_percent, b.schema_name, b.relation_name, b.relation_kind
FROM numbered b
WHERE b.all_of_it <= 100 OR b.number % (b.all_of_it / 100 + 1) = 0 OR b.number IN (1, b.all_of_it)
ORDER BY b.most DESC, b.schema_name, b.relation_name, 2
