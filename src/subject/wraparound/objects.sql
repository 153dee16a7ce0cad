WITH ends AS (
    SELECT p.sample_id, p.taken_at FROM {samples} WHERE p.at_s > 0),
newest AS (
    SELECT h.* FROM ends e
    JOIN pgperf.wraparound_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = e.sample_id AND h.taken_at = e.taken_at),
-- A run's interval samples hold one database only.
whole AS MATERIALIZED (SELECT pg_catalog.max(n.sample_id) AS sample_id FROM newest n WHERE n.relation_name IS NOT NULL),
limits AS MATERIALIZED (SELECT pg_catalog.max(n.freeze_max_age) AS xids, pg_catalog.max(n.multixact_freeze_max_age) AS multixacts FROM newest n)
SELECT CASE WHEN n.relation_name IS NULL THEN 'Databases' ELSE 'Oldest tables' END AS list,
       CASE WHEN n.relation_name IS NULL THEN n.database_name ELSE pg_catalog.concat_ws('.', n.schema_name, n.relation_name) END AS object,
       n.frozen_xid_age AS xid_age, 100.0 * n.frozen_xid_age / NULLIF(l.xids, 0) AS xid_percent,
       n.multixact_age, 100.0 * n.multixact_age / NULLIF(l.multixacts, 0) AS multixact_percent
FROM newest n JOIN whole w USING (sample_id) CROSS JOIN limits l
WHERE n.relation_name IS NULL OR n.schema_name NOT IN ('pg_catalog', 'pg_toast', 'information_schema', 'pgperf', 'pgperf_internal')
ORDER BY n.relation_name IS NOT NULL, n.frozen_xid_age DESC NULLS LAST, n.multixact_age DESC NULLS LAST, 2
