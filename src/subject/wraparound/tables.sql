-- The age of relfrozenxid of tables that changed, the six oldest at the window's end: each moves only when a vacuum freezes, and with every transaction of
-- the server its age grows. A table's row holds until its next one, and each that changes has one a day at least. Of this database, those that it still has.
WITH moments AS MATERIALIZED (
    SELECT p.sample_id, p.at_s, pg_catalog.max(h.next_xid::pg_catalog.text::pg_catalog.int8) AS next_xid
    FROM {few_samples}
    JOIN pgperf.wraparound_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    WHERE p.at_s > 0 AND h.relation_name IS NULL
    GROUP BY p.sample_id, p.at_s),
frozen AS MATERIALIZED (
    SELECT h.relation_oid, pg_catalog.max(h.frozen_xid::pg_catalog.text::pg_catalog.int8) AS frozen_xid
    FROM pgperf.relation_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.frozen_xid IS NOT NULL AND h.relation_kind IN ('table', 'materialized view')
      AND h.taken_at >= GREATEST($2::pg_catalog.timestamptz, $3::pg_catalog.timestamptz - '26 hours'::pg_catalog.interval)
      AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'information_schema')
    GROUP BY h.relation_oid),
oldest AS MATERIALIZED (
    SELECT f.* FROM frozen f
    WHERE {is_run} OR NOT $5 OR EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = f.relation_oid)
    ORDER BY f.frozen_xid, f.relation_oid LIMIT 6),
known AS MATERIALIZED (
    SELECT o.relation_oid, o.frozen_xid AS at_end, h.sample_id, h.frozen_xid::pg_catalog.text::pg_catalog.int8 AS frozen_xid,
           CASE WHEN h.schema_name = 'public' THEN '' ELSE h.schema_name || '.' END || h.relation_name AS object,
           COALESCE(pg_catalog.lead(h.sample_id) OVER w, 9223372036854775807) AS next_id
    FROM oldest o
    JOIN pgperf.relation_history h ON h.node_id = $1::pg_catalog.uuid AND h.relation_oid = o.relation_oid AND h.frozen_xid IS NOT NULL
     AND h.taken_at >= $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
    WINDOW w AS (PARTITION BY h.relation_oid ORDER BY h.sample_id))
-- All have the window's moments; before a table's first row nothing is known.
SELECT n.object, m.at_s, 0 AS seconds, m.next_xid - k.frozen_xid AS age
FROM (SELECT k.relation_oid, k.at_end, pg_catalog.max(k.object) AS object FROM known k GROUP BY k.relation_oid, k.at_end) n
CROSS JOIN moments m
LEFT JOIN known k ON k.relation_oid = n.relation_oid AND m.sample_id >= k.sample_id AND m.sample_id < k.next_id
ORDER BY n.at_end, n.object, m.sample_id
