-- A sample measures those relations whose turn it is: each has moments of its own.
-- Of the six largest, up to 100 measurements each.
WITH measured AS MATERIALIZED (
    SELECT h.schema_name, h.relation_name, h.relation_kind, h.sample_id, h.taken_at, h.size_bytes, h.bloat_percent, h.dead_percent, h.error_margin_percent
    FROM pgperf.bloat_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at >= $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'pg_toast')),
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
