-- The four statements with most database time, in small charts: three stretches are a point. From PostgreSQL 19 on those that wait for the content of a page wait for a buffer, before for an LWLock.
WITH active AS MATERIALIZED (
    SELECT s.stretch / 3 AS part, s.database_name, s.query_id, s.wait_event_type, s.seen
    FROM {sessions} s
    WHERE s.state = 'active' AND s.query_id IS NOT NULL AND (s.wait_event_type, s.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')),
top AS (
    SELECT a.database_name, a.query_id, pg_catalog.row_number() OVER (ORDER BY pg_catalog.sum(a.seen) DESC, a.query_id) AS place
    FROM active a GROUP BY a.database_name, a.query_id),
shown AS (
    SELECT t.database_name, t.query_id, t.place,
           COALESCE(t.database_name || ' ', '') || t.query_id || ': ' || COALESCE((SELECT pg_catalog.left(pg_catalog.regexp_replace(x.query, '\s+', ' ', 'g'), 60) FROM pgperf.statement_texts x
               WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = t.query_id ORDER BY x.taken_at DESC LIMIT 1), '(no text)') AS statement
    FROM top t WHERE t.place <= 4),
w AS (SELECT EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
part AS (
    SELECT pg_catalog.floor({points} / 3 * p.at_s / w.length_s) AS part, pg_catalog.min(p.since_s) AS since_s, pg_catalog.max(p.at_s) AS at_s
    FROM {samples} CROSS JOIN w WHERE p.samples > 0 GROUP BY 1),
looks AS (
    SELECT x.stretch / 3 AS part, pg_catalog.sum(x.looks)::pg_catalog.float8 AS looks
    FROM (SELECT DISTINCT s.stretch, s.looks FROM {sessions} s) x GROUP BY 1)
SELECT s.statement, t.since_s AS at_s, t.at_s - t.since_s AS seconds,
       COALESCE(pg_catalog.sum(a.seen) FILTER (WHERE a.wait_event_type IS NULL), 0) / l.looks AS cpu,
       COALESCE(pg_catalog.sum(a.seen) FILTER (WHERE a.wait_event_type = 'IO'), 0) / l.looks AS io,
       COALESCE(pg_catalog.sum(a.seen) FILTER (WHERE a.wait_event_type = 'Lock'), 0) / l.looks AS lock,
       COALESCE(pg_catalog.sum(a.seen) FILTER (WHERE a.wait_event_type IN ('LWLock', 'Buffer')), 0) / l.looks AS lwlock,
       COALESCE(pg_catalog.sum(a.seen) FILTER (WHERE a.wait_event_type NOT IN ('IO', 'Lock', 'LWLock', 'Buffer')), 0) / l.looks AS other
FROM shown s
CROSS JOIN part t
JOIN looks l ON l.part = t.part AND l.looks > 0
LEFT JOIN active a ON a.part = t.part AND a.query_id = s.query_id AND a.database_name IS NOT DISTINCT FROM s.database_name
GROUP BY s.place, s.statement, t.part, t.since_s, t.at_s, l.looks
ORDER BY s.place, t.part
