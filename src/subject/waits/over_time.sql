-- From PostgreSQL 19 on those that wait for the content of a page wait for a buffer, before for an LWLock.
WITH w AS (
    SELECT EXTRACT(epoch FROM $3::pg_catalog.timestamptz - $2::pg_catalog.timestamptz)::pg_catalog.float8 AS length_s),
part AS (
    SELECT pg_catalog.floor({points} * p.at_s / w.length_s) AS part,
           pg_catalog.min(p.since_s) AS since_s, pg_catalog.max(p.at_s) AS at_s, pg_catalog.sum(p.samples) AS looks
    FROM {samples} CROSS JOIN w WHERE p.samples > 0 GROUP BY 1),
seen AS (
    SELECT h.stretch AS part, h.wait_event_type, pg_catalog.sum(h.seen) AS seen
    FROM {waits} h
    WHERE h.state = 'active'
      AND (h.wait_event_type, h.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')
    GROUP BY 1, 2)
SELECT t.since_s AS at_s, t.at_s - t.since_s AS seconds,
       COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.wait_event_type IS NULL), 0) / t.looks AS cpu,
       COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.wait_event_type = 'IO'), 0) / t.looks AS io,
       COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.wait_event_type = 'Lock'), 0) / t.looks AS lock,
       COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.wait_event_type IN ('LWLock', 'Buffer')), 0) / t.looks AS lwlock,
       COALESCE(pg_catalog.sum(s.seen) FILTER (WHERE s.wait_event_type NOT IN ('IO', 'Lock', 'LWLock', 'Buffer')), 0) / t.looks AS other
FROM part t LEFT JOIN seen s USING (part)
GROUP BY t.part, t.since_s, t.at_s, t.looks
ORDER BY t.part
