WITH looks AS (SELECT pg_catalog.sum(p.samples) AS looks FROM {samples}),
seen AS (
    SELECT h.state, pg_catalog.sum(h.seen) AS seen, pg_catalog.max(h.most) AS most
    FROM {waits} h
    WHERE h.backend_type = 'client backend' AND h.wait_event_type = 'Client' AND h.wait_event = 'ClientRead'
    GROUP BY h.state)
SELECT s.state, s.seen / l.looks AS sessions, s.most
FROM seen s, looks l
WHERE l.looks > 0
ORDER BY s.seen DESC, s.state
