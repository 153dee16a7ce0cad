SELECT COALESCE(h.database_name, 'all databases') AS database,
       pg_catalog.sum(p.seconds) AS seconds,
       pg_catalog.sum(d.commits) / pg_catalog.sum(p.seconds) AS tps,
       pg_catalog.sum(d.commits) AS commits, pg_catalog.sum(d.rollbacks) AS rollbacks,
       pg_catalog.sum(d.sessions) AS sessions,
       pg_catalog.max(h.numbackends) AS backends_max,
       pg_catalog.sum(d.active_ms) / (1000 * pg_catalog.sum(p.seconds)) AS active,
       pg_catalog.sum(d.idle_in_transaction_ms) / (1000 * pg_catalog.sum(p.seconds)) AS idle_in_transaction,
       pg_catalog.sum(d.ended) AS ended,
       pg_catalog.sum(d.inserted) AS inserted, pg_catalog.sum(d.updated) AS updated, pg_catalog.sum(d.deleted) AS deleted,
       pg_catalog.sum(d.fetched) AS fetched,
       100 * pg_catalog.sum(d.hit) / NULLIF(pg_catalog.sum(d.hit + d.read), 0) AS hit_percent,
       pg_catalog.sum(d.read) * pg_catalog.current_setting('block_size')::pg_catalog.int8 AS read_bytes,
       pg_catalog.sum(d.temp_files) AS temp_files, pg_catalog.sum(d.temp_bytes) AS temp_bytes,
       pg_catalog.sum(d.deadlocks) AS deadlocks, pg_catalog.sum(d.conflicts) AS conflicts,
       pg_catalog.sum(d.checksum_failures) AS checksum_failures,
       pg_catalog.sum(d.workers_planned) AS workers_planned, pg_catalog.sum(d.workers_launched) AS workers_launched,
       (pg_catalog.array_agg(h.size_bytes ORDER BY p.sample_id DESC) FILTER (WHERE h.size_bytes IS NOT NULL))[1] AS size_bytes,
       (pg_catalog.array_agg(h.size_bytes ORDER BY p.sample_id DESC) FILTER (WHERE h.size_bytes IS NOT NULL))[1]
           - (pg_catalog.array_agg(b.size_bytes ORDER BY p.sample_id) FILTER (WHERE b.size_bytes IS NOT NULL))[1] AS growth_bytes
FROM {samples}
JOIN pgperf.database_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.database_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.database_name IS NOT DISTINCT FROM h.database_name
     AND b.databases_mark IS NOT DISTINCT FROM h.databases_mark AND b.stats_reset IS NOT DISTINCT FROM h.stats_reset
CROSS JOIN LATERAL (
    SELECT h.xact_commit - b.xact_commit AS commits, h.xact_rollback - b.xact_rollback AS rollbacks,
           h.sessions - b.sessions AS sessions, h.active_time - b.active_time AS active_ms,
           h.idle_in_transaction_time - b.idle_in_transaction_time AS idle_in_transaction_ms,
           h.sessions_abandoned + h.sessions_fatal + h.sessions_killed
               - b.sessions_abandoned - b.sessions_fatal - b.sessions_killed AS ended,
           h.tup_inserted - b.tup_inserted AS inserted, h.tup_updated - b.tup_updated AS updated,
           h.tup_deleted - b.tup_deleted AS deleted, h.tup_fetched - b.tup_fetched AS fetched,
           h.blks_hit - b.blks_hit AS hit, h.blks_read - b.blks_read AS read,
           h.temp_files - b.temp_files AS temp_files, h.temp_bytes - b.temp_bytes AS temp_bytes,
           h.deadlocks - b.deadlocks AS deadlocks, h.conflicts - b.conflicts AS conflicts,
           h.checksum_failures - b.checksum_failures AS checksum_failures,
           h.parallel_workers_to_launch - b.parallel_workers_to_launch AS workers_planned,
           h.parallel_workers_launched - b.parallel_workers_launched AS workers_launched) d
WHERE p.seconds > 0 AND d.commits >= 0
GROUP BY h.database_name
ORDER BY h.database_name NULLS LAST
