SELECT o.collector, o.trouble AS status, COALESCE(pg_catalog.left(o.reason, 200), '') AS reason, pg_catalog.sum(o.samples)::pg_catalog.int8 AS samples,
       pg_catalog.min(o.first_at) AS first_at, pg_catalog.max(o.last_at) AS last_at
FROM {outcomes} o
WHERE o.trouble IS NOT NULL AND o.stretch >= 0
GROUP BY 1, 2, 3
ORDER BY pg_catalog.sum(o.samples) DESC, 1, 2, 3
