SELECT 'pgperf' AS whole, pg_catalog.count(*) AS samples, pg_catalog.sum(s.cpu_ms) / 1000 AS cpu_s,
       pg_catalog.sum(s.cpu_ms) / 10 / EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz) AS core_percent,
       pg_catalog.sum(s.elapsed_ms) / 1000 AS elapsed_s, pg_catalog.sum(s.rows) AS rows, pg_catalog.sum(s.pages) AS pages,
       pg_catalog.sum(s.wal_bytes) AS wal_bytes
FROM pgperf.samples s
WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > $2::pg_catalog.timestamptz AND s.taken_at <= $3::pg_catalog.timestamptz
HAVING pg_catalog.count(*) > 0
