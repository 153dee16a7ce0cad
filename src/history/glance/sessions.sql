-- Active sessions, seen every second. value: of a stretch; whole: of the window.
WITH w AS (SELECT EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
part AS (
    SELECT pg_catalog.floor({points} * p.at_s / w.length_s) AS part, pg_catalog.min(p.since_s) AS since_s, pg_catalog.max(p.at_s) AS at_s
    FROM {samples} CROSS JOIN w WHERE p.samples > 0 GROUP BY 1),
seen AS (
    SELECT s.stretch AS part, s.looks::pg_catalog.float8 AS looks,
           COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.state = 'active'
               AND (s.wait_event_type, s.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')), 0)::pg_catalog.float8 AS seen
    FROM {sessions} s WHERE s.looks > 0 GROUP BY 1, 2)
SELECT t.since_s AS at_s, t.at_s - t.since_s AS seconds, s.seen / s.looks AS value,
       pg_catalog.sum(s.seen) OVER () / pg_catalog.sum(s.looks) OVER () AS whole
FROM part t JOIN seen s ON s.part = t.part
ORDER BY t.part
