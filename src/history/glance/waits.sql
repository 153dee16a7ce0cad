-- The same, seen once in each sample of wait events.
WITH w AS (SELECT EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
part AS (
    SELECT pg_catalog.floor({points} * p.at_s / w.length_s) AS part, pg_catalog.min(p.since_s) AS since_s, pg_catalog.max(p.at_s) AS at_s,
           pg_catalog.sum(p.samples)::pg_catalog.float8 AS looks
    FROM {samples} CROSS JOIN w WHERE p.samples > 0 GROUP BY 1),
seen AS (
    SELECT h.stretch AS part, pg_catalog.sum(h.seen)::pg_catalog.float8 AS seen
    FROM {waits} h
    WHERE h.state = 'active' AND (h.wait_event_type, h.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')
    GROUP BY 1)
SELECT t.since_s AS at_s, t.at_s - t.since_s AS seconds, COALESCE(s.seen, 0) / t.looks AS value,
       pg_catalog.sum(COALESCE(s.seen, 0)) OVER () / pg_catalog.sum(t.looks) OVER () AS whole
FROM part t LEFT JOIN seen s ON s.part = t.part
ORDER BY t.part
