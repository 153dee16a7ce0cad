WITH w AS (
    SELECT $2::pg_catalog.timestamptz AS starts, EXTRACT(epoch FROM $2::pg_catalog.timestamptz)::pg_catalog.float8 AS start_s,
           EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
-- At most 300 points for each run, however long it is.
intervals AS (
    SELECT i.*, EXTRACT(epoch FROM i.started_at)::pg_catalog.float8 - w.start_s AS at_s,
           pg_catalog.floor(300 * (EXTRACT(epoch FROM i.started_at)::pg_catalog.float8 - w.start_s) / w.length_s) AS point
    FROM w JOIN pgperf.run_intervals i ON i.node_id = $1::pg_catalog.uuid AND i.seconds > 0
     AND i.started_at >= w.starts AND i.started_at <= $3::pg_catalog.timestamptz)
SELECT pg_catalog.min(i.at_s) AS at_s, pg_catalog.sum(i.seconds) AS seconds,
       pg_catalog.concat_ws(' ', i.run_id, r.label) AS run,
       pg_catalog.sum(i.transactions) / pg_catalog.sum(i.seconds) AS tps,
       pg_catalog.sum(i.transactions * i.latency_avg_ms)
           / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0)::pg_catalog.float8 AS latency_avg_ms,
       pg_catalog.max(i.latency_p99_ms) AS latency_p99_ms,
       pg_catalog.sum(i.failed) / pg_catalog.sum(i.seconds) AS failed,
       pg_catalog.sum(i.skipped) / pg_catalog.sum(i.seconds) AS skipped,
       pg_catalog.sum(i.wal_bytes) / pg_catalog.sum(i.seconds) AS wal_bytes,
       100 * pg_catalog.sum(i.shared_blks_hit)
           / NULLIF(pg_catalog.sum(i.shared_blks_hit) + pg_catalog.sum(i.shared_blks_read), 0)::pg_catalog.float8 AS hit_percent
FROM intervals i JOIN pgperf.runs r ON r.node_id = i.node_id AND r.run_id = i.run_id AND r.kind <> 'load'
GROUP BY i.run_id, r.label, i.point
ORDER BY pg_catalog.min(i.at_s)
