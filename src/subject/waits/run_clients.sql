-- A sample has one row for each state seen; each of them has the number of observations.
WITH w AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at, h.wait_event_type, h.wait_event, h.looks, h.seen
    FROM pgperf.wait_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz
      AND h.source = 'run clients'{of_run}),
l AS (SELECT pg_catalog.sum(d.looks)::pg_catalog.int8 AS looks FROM (SELECT DISTINCT w.sample_id, w.taken_at, w.looks FROM w) d)
SELECT COALESCE(w.wait_event_type, 'CPU') AS kind, COALESCE(w.wait_event, 'running, or waiting for a CPU') AS event,
       100 * pg_catalog.sum(w.seen) / pg_catalog.sum(pg_catalog.sum(w.seen)) OVER () AS percent,
       pg_catalog.sum(w.seen) / l.looks::pg_catalog.float8 AS sessions,
       w.wait_event_type, w.wait_event, l.looks
FROM w, l
GROUP BY w.wait_event_type, w.wait_event, l.looks
HAVING pg_catalog.sum(w.seen) > 0
ORDER BY pg_catalog.sum(w.seen) DESC, 1, 2
