-- Several standbys may have one name: they differ by their client or number. Counters begin at the sample before the window; a slot that was not there yet had
-- counted nothing, as a sample has all slots.
WITH counted AS (
    SELECT h.kind, h.name, h.client, COALESCE(h.instance, 1) AS instance,
           pg_catalog.sum(h.spill_bytes - CASE WHEN b.kind IS NOT NULL THEN b.spill_bytes WHEN h.kind = 'slot' THEN 0 END) AS spilled,
           pg_catalog.sum(h.apply_error_count - b.apply_error_count) AS errors
    FROM {samples}
    JOIN pgperf.replication_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    LEFT JOIN pgperf.replication_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
         AND b.kind = h.kind AND b.name = h.name AND b.client IS NOT DISTINCT FROM h.client AND COALESCE(b.instance, 1) = COALESCE(h.instance, 1)
    WHERE p.before_id IS NOT NULL AND (b.kind IS NULL OR b.stats_reset IS NOT DISTINCT FROM h.stats_reset)
    GROUP BY h.kind, h.name, h.client, COALESCE(h.instance, 1))
SELECT h.kind,
       COALESCE(h.name, '(no name)')
           || CASE WHEN pg_catalog.min(COALESCE(h.client, '')) OVER same_name <> pg_catalog.max(COALESCE(h.client, '')) OVER same_name
                   THEN ' at ' || COALESCE(h.client, 'a local socket') ELSE '' END
           || CASE WHEN COALESCE(h.instance, 1) > 1 THEN ' (' || COALESCE(h.instance, 1) || ')' ELSE '' END AS name, h.client,
       pg_catalog.max(h.replay_lag_bytes) AS behind_max_bytes, pg_catalog.avg(h.replay_lag_bytes)::pg_catalog.float8 AS behind_bytes,
       pg_catalog.max(h.replay_lag_ms) AS lag_max_ms, pg_catalog.max(h.retained_bytes) AS retained_max_bytes,
       pg_catalog.min(h.safe_wal_size) AS safe_min_bytes, pg_catalog.max(GREATEST(h.xmin_age, h.catalog_xmin_age)) AS xmin_age,
       (pg_catalog.array_agg(h.state ORDER BY h.sample_id DESC))[1] AS state, (pg_catalog.array_agg(h.sync_state ORDER BY h.sample_id DESC))[1] AS sync_state,
       (pg_catalog.array_agg(h.wal_status ORDER BY h.sample_id DESC))[1] AS wal_status,
       (pg_catalog.array_agg(h.active ORDER BY h.sample_id DESC))[1] AS active,
       100.0 * pg_catalog.count(*) FILTER (WHERE NOT h.active) / NULLIF(pg_catalog.count(h.active), 0) AS inactive_percent,
       NULLIF(pg_catalog.max(c.spilled), 0) AS spilled_bytes, pg_catalog.max(c.errors) AS apply_errors,
       100.0 * pg_catalog.count(*) / NULLIF((SELECT pg_catalog.sum(p.samples) FROM {samples}), 0) AS present_percent
FROM pgperf.replication_history h
LEFT JOIN counted c ON c.kind = h.kind AND c.name IS NOT DISTINCT FROM h.name AND c.client IS NOT DISTINCT FROM h.client AND c.instance = COALESCE(h.instance, 1)
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run}
GROUP BY h.kind, h.name, h.client, COALESCE(h.instance, 1)
WINDOW same_name AS (PARTITION BY h.kind, h.name)
ORDER BY h.kind DESC, h.name, h.client, COALESCE(h.instance, 1)
