-- Several standbys may have one name: they differ by their client or number.
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
       NULLIF(pg_catalog.max(h.spill_bytes) - pg_catalog.min(h.spill_bytes), 0) AS spilled_bytes,
       (pg_catalog.max(h.apply_error_count) - pg_catalog.min(h.apply_error_count)) AS apply_errors,
       100.0 * pg_catalog.count(*) / NULLIF((SELECT pg_catalog.sum(p.samples) FROM {samples}), 0) AS present_percent
FROM pgperf.replication_history h
WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
GROUP BY h.kind, h.name, h.client, COALESCE(h.instance, 1)
WINDOW same_name AS (PARTITION BY h.kind, h.name)
ORDER BY h.kind DESC, h.name, h.client, COALESCE(h.instance, 1)
