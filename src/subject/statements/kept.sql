-- How often pg_stat_statements had no room. (It counts that for itself, through restarts.)
WITH steps AS (
    SELECT p.sample_id, p.samples, h.statements, h.left_out,
           CASE WHEN pg_catalog.lag(h.sample_id) OVER w IS NULL THEN NULL
                WHEN h.stats_reset IS NOT DISTINCT FROM pg_catalog.lag(h.stats_reset) OVER w THEN h.dealloc - pg_catalog.lag(h.dealloc) OVER w
                ELSE h.dealloc END AS evictions
    FROM {samples}
    JOIN pgperf.statement_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at AND h.queryid = 0
    WINDOW w AS (ORDER BY p.sample_id))
SELECT 'the server' AS whole, (pg_catalog.array_agg(s.statements ORDER BY s.sample_id DESC))[1] AS statements,
       pg_catalog.sum(s.evictions) FILTER (WHERE s.evictions > 0)::pg_catalog.int8 AS evictions, NULLIF(pg_catalog.max(s.left_out), 0) AS left_out
FROM steps s
WHERE s.samples > 0
HAVING pg_catalog.max(s.evictions) > 0 OR pg_catalog.max(s.left_out) > 0
