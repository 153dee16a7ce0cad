-- The index leads from the newest row of a relation to the next relation.
WITH RECURSIVE newest AS (
    (SELECT h.schema_name, h.relation_name, h.relation_kind, h.bloat_bytes, h.bloat_percent, h.error_margin_percent, h.taken_at
       FROM pgperf.bloat_history h
      WHERE h.node_id = $1::uuid AND {25 hours h}
      ORDER BY h.schema_name DESC, h.relation_name DESC, h.taken_at DESC
      LIMIT 1)
    UNION ALL
    SELECT o.*
      FROM newest n
     CROSS JOIN LATERAL (
           SELECT h.schema_name, h.relation_name, h.relation_kind, h.bloat_bytes, h.bloat_percent, h.error_margin_percent, h.taken_at
             FROM pgperf.bloat_history h
            WHERE h.node_id = $1::uuid AND (h.schema_name, h.relation_name) < (n.schema_name, n.relation_name) AND {25 hours h}
            ORDER BY h.schema_name DESC, h.relation_name DESC, h.taken_at DESC
            LIMIT 1) o)
SELECT n.schema_name AS schema, n.relation_name AS relation, n.relation_kind AS kind,
       n.bloat_bytes AS relation_bloat_bytes,
       n.bloat_percent / 100 AS relation_bloat_ratio,
       n.error_margin_percent / 100 AS relation_bloat_margin_ratio,
       extract(epoch FROM clock_timestamp() - n.taken_at)::float8 AS relation_bloat_age_seconds,
       GREATEST(count(*) OVER () - 20, 0) AS left_out
  FROM newest n
 WHERE n.bloat_bytes IS NOT NULL
       -- Those of this server that were dropped meanwhile have none. OFFSET 0: each is looked up among all relations.
   AND (NOT $4 OR EXISTS (
           SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = n.schema_name AND c.relname = n.relation_name OFFSET 0))
 ORDER BY n.bloat_bytes DESC, n.schema_name, n.relation_name
 LIMIT 20
