SELECT c.key AS collector, c.value OPERATOR(pg_catalog.->>) 'status' AS status,
       COALESCE(pg_catalog.left(c.value OPERATOR(pg_catalog.->>) 'reason', 200), '') AS reason, pg_catalog.count(*) AS samples,
       pg_catalog.min(s.taken_at) AS first_at, pg_catalog.max(s.taken_at) AS last_at
FROM pgperf.samples s, LATERAL pg_catalog.jsonb_each(s.outcomes) c
WHERE s.node_id = $1::pg_catalog.uuid AND s.taken_at > $2::pg_catalog.timestamptz AND s.taken_at <= $3::pg_catalog.timestamptz
  AND c.value OPERATOR(pg_catalog.->>) 'status' <> 'ok'
GROUP BY 1, 2, 3
ORDER BY pg_catalog.count(*) DESC, 1, 2, 3
