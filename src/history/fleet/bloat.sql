-- The bloat of all relations, each as it was measured last. $1: the node; $2, $3: the window.
SELECT pg_catalog.sum(b.bloat_bytes)::pg_catalog.float8 AS bytes
FROM (SELECT DISTINCT ON (h.schema_name, h.relation_name) h.bloat_bytes
      FROM pgperf.bloat_history h
      WHERE h.node_id = $1 AND h.taken_at > LEAST($2, $3 - '1 day'::pg_catalog.interval) AND h.taken_at <= $3
      ORDER BY h.schema_name, h.relation_name, h.taken_at DESC) b
