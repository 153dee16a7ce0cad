WITH newest AS MATERIALIZED (
    SELECT h.*
      FROM (SELECT x.schema_name, x.relation_name, max(x.sample_id) AS sample_id
              FROM pgperf.bloat_history x
             WHERE x.node_id = $1::uuid AND x.taken_at >= $5 AND x.taken_at < $3
             GROUP BY 1, 2) x
      JOIN pgperf.bloat_history h USING (schema_name, relation_name, sample_id)
     WHERE h.node_id = $1::uuid AND h.taken_at >= $5 AND h.taken_at < $3)
SELECT n.schema_name AS schema, n.relation_name AS relation, n.relation_kind AS kind,
       n.bloat_bytes AS relation_bloat_bytes,
       n.bloat_percent / 100 AS relation_bloat_ratio,
       n.error_margin_percent / 100 AS relation_bloat_margin_ratio,
       extract(epoch FROM clock_timestamp() - n.taken_at)::float8 AS relation_bloat_age_seconds,
       GREATEST(count(*) OVER () - 20, 0) AS left_out
  FROM newest n
 WHERE n.bloat_bytes IS NOT NULL
       -- Those of this server that were dropped meanwhile have none. OFFSET 0: each is looked up among all relations.
   AND (NOT $6 OR EXISTS (
           SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = n.schema_name AND c.relname = n.relation_name OFFSET 0))
 ORDER BY n.bloat_bytes DESC, n.schema_name, n.relation_name
 LIMIT 20
