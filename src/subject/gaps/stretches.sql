SELECT o.collector, o.reason, pg_catalog.sum(o.samples)::pg_catalog.int8 AS samples,
       pg_catalog.min(o.first_at) AS first_at, pg_catalog.max(o.last_at) AS last_at
FROM {outcomes} o
WHERE o.collector IS NOT NULL AND o.trouble IS NULL AND o.reason IS NOT NULL AND o.stretch >= 0
GROUP BY 1, 2
ORDER BY pg_catalog.min(o.first_at), 1, 2
