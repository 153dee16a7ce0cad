WITH first AS (
    SELECT pg_catalog.min(x.sample_id) AS sample_id FROM pgperf.settings_history x WHERE x.node_id = $1::pg_catalog.uuid)
SELECT h.taken_at AS seen_at, h.name,
       pg_catalog.concat_ws(', ', 'database ' || h.database_name, 'role ' || h.role_name) AS scope,
       CASE WHEN b.sample_id IS NOT NULL THEN pg_catalog.concat_ws(' ', b.value, b.unit) ELSE 'default' END AS old_value,
       COALESCE(NULLIF(pg_catalog.concat_ws(' ', h.value, h.unit), ''), 'removed') AS new_value, h.source,
       h.pending_restart
FROM first, pgperf.settings_history h
LEFT JOIN LATERAL (
    SELECT x.sample_id, x.value, x.unit FROM pgperf.settings_history x
    WHERE x.node_id = h.node_id AND x.name = h.name AND x.sample_id < h.sample_id
      AND x.database_name IS NOT DISTINCT FROM h.database_name AND x.role_name IS NOT DISTINCT FROM h.role_name
    ORDER BY x.sample_id DESC LIMIT 1) b ON true
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
  AND h.sample_id > first.sample_id
ORDER BY h.sample_id, h.name, h.database_name, h.role_name
