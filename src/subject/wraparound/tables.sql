-- The age of relfrozenxid of the tables that changed in the window, the six oldest at its end: each moves only when a vacuum freezes, and with every
-- transaction of the server its age grows. A table's row holds until its next one.
WITH moments AS MATERIALIZED (
    SELECT p.sample_id, p.at_s, pg_catalog.max(h.next_xid::pg_catalog.text::pg_catalog.int8) AS next_xid
    FROM {samples}
    JOIN pgperf.wraparound_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    WHERE p.at_s > 0 AND h.relation_name IS NULL
    GROUP BY p.sample_id, p.at_s),
known AS MATERIALIZED (
    SELECT h.relation_oid, h.sample_id, h.frozen_xid::pg_catalog.text::pg_catalog.int8 AS frozen_xid,
           CASE WHEN h.schema_name = 'public' THEN '' ELSE h.schema_name || '.' END || h.relation_name AS object,
           COALESCE(pg_catalog.lead(h.sample_id) OVER w, 9223372036854775807) AS next_id, pg_catalog.lead(h.sample_id) OVER w IS NULL AS is_last
    FROM pgperf.relation_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.frozen_xid IS NOT NULL AND h.relation_kind IN ('table', 'materialized view')
      AND h.taken_at >= $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
      AND h.schema_name NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'information_schema')
    WINDOW w AS (PARTITION BY h.relation_oid ORDER BY h.sample_id)),
oldest AS (
    SELECT k.relation_oid, k.frozen_xid FROM known k WHERE k.is_last ORDER BY k.frozen_xid, k.relation_oid LIMIT 6)
SELECT k.object, m.at_s, 0 AS seconds, m.next_xid - k.frozen_xid AS age
FROM oldest o JOIN known k USING (relation_oid)
JOIN moments m ON m.sample_id >= k.sample_id AND m.sample_id < k.next_id
ORDER BY o.frozen_xid, k.object, m.sample_id
