WITH looks AS (SELECT pg_catalog.sum(p.samples) AS looks, pg_catalog.sum(p.at_s - p.since_s) AS covered_s FROM {samples}),
seen AS (
    SELECT COALESCE(h.wait_event_type, 'CPU') AS kind, COALESCE(h.wait_event, 'running, or waiting for a CPU') AS event,
           h.wait_event_type, h.wait_event, pg_catalog.sum(h.seen) AS seen
    FROM {waits} h
    WHERE h.state = 'active'
      AND (h.wait_event_type, h.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')
    GROUP BY h.wait_event_type, h.wait_event)
SELECT s.kind, s.event, 100 * s.seen / pg_catalog.sum(s.seen) OVER () AS percent,
       s.seen / l.looks AS sessions,
       s.seen / l.looks * l.covered_s AS seconds,
       s.wait_event_type, s.wait_event, l.looks
FROM seen s, looks l
WHERE l.looks > 0
ORDER BY s.seen DESC, s.kind, s.event
