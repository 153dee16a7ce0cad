SELECT 'pgperf' AS whole, pg_catalog.sum(o.samples)::pg_catalog.int8 AS samples, pg_catalog.sum(o.cpu_ms) / 1000 AS cpu_s,
       pg_catalog.sum(o.cpu_ms) / 10 / LEAST(
           EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8,
           GREATEST(60, EXTRACT(epoch FROM $3::pg_catalog.timestamptz - pg_catalog.min(o.first_at))::pg_catalog.float8)) AS core_percent,
       pg_catalog.sum(o.elapsed_ms) / 1000 AS elapsed_s, pg_catalog.sum(o.rows)::pg_catalog.int8 AS rows, pg_catalog.sum(o.pages)::pg_catalog.int8 AS pages,
       pg_catalog.sum(o.wal_bytes)::pg_catalog.int8 AS wal_bytes
FROM {outcomes} o
WHERE o.collector IS NULL AND o.stretch >= 0
HAVING pg_catalog.count(*) > 0
