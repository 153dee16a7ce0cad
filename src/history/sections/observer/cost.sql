SELECT c.key AS collector, pg_catalog.count(*) AS samples, pg_catalog.sum((c.value OPERATOR(pg_catalog.->>) 'rows')::pg_catalog.int8) AS rows,
       pg_catalog.avg((c.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::pg_catalog.float8) AS mean_ms,
       pg_catalog.max((c.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::pg_catalog.float8) AS longest_ms,
       pg_catalog.sum((c.value OPERATOR(pg_catalog.->>) 'elapsed_ms')::pg_catalog.float8) / 1000 AS total_s
FROM pgperf.samples s, LATERAL pg_catalog.jsonb_each(s.outcomes) c
WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > $2::pg_catalog.timestamptz AND s.taken_at <= $3::pg_catalog.timestamptz
GROUP BY c.key
ORDER BY 6 DESC NULLS LAST, 1
