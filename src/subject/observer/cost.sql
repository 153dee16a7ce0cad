SELECT o.collector, pg_catalog.sum(o.samples)::pg_catalog.int8 AS samples, pg_catalog.sum(o.rows)::pg_catalog.int8 AS rows,
       pg_catalog.sum(o.elapsed_ms) / NULLIF(pg_catalog.sum(o.timed), 0)::pg_catalog.float8 AS mean_ms, pg_catalog.max(o.longest_ms) AS longest_ms,
       -- Parallel workers add up in any order: without a rounding, equal sums would change places.
       pg_catalog.round(pg_catalog.sum(o.elapsed_ms)::pg_catalog.numeric / 1000, 6)::pg_catalog.float8 AS total_s,
       NULLIF(pg_catalog.sum(o.samples) FILTER (WHERE o.trouble IS NOT NULL), 0)::pg_catalog.int8 AS missed,
       (pg_catalog.array_agg(o.reason ORDER BY o.last_id DESC) FILTER (WHERE o.trouble IS NOT NULL))[1] AS reason
FROM {outcomes} o
WHERE o.collector IS NOT NULL AND o.stretch >= 0
GROUP BY o.collector
ORDER BY 6 DESC NULLS LAST, 1
