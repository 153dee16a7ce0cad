SELECT EXTRACT(epoch FROM pg_catalog.max(o.last_at) - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS at_s, 0 AS seconds,
       pg_catalog.sum(o.elapsed_ms) / NULLIF(pg_catalog.sum(o.timed), 0)::pg_catalog.float8 AS mean_ms,
       pg_catalog.sum(o.samples)::pg_catalog.int8 AS samples, pg_catalog.sum(o.elapsed_ms) AS elapsed_ms, pg_catalog.sum(o.wal_bytes)::pg_catalog.int8 AS wal_bytes
FROM {outcomes} o
WHERE o.collector IS NULL AND o.stretch >= 0
GROUP BY o.stretch
ORDER BY o.stretch
