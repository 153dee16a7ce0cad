-- Background processes without a statement are shown by their kind.
WITH looks AS (SELECT pg_catalog.sum(x.looks) AS looks FROM (SELECT DISTINCT s.stretch, s.looks FROM {sessions} s) x),
covered AS (SELECT pg_catalog.sum(p.at_s - p.since_s) AS covered_s FROM {samples}),
active AS (
    SELECT s.database_name, s.query_id, CASE WHEN s.query_id IS NULL THEN s.backend_type END AS kind,
           COALESCE(s.wait_event_type, 'CPU') AS wait, s.role_name, s.seen, s.most, s.longest_statement_s
    FROM {sessions} s
    WHERE s.state = 'active' AND (s.wait_event_type, s.wait_event) IS DISTINCT FROM ('Client', 'ClientRead')),
waits AS (
    SELECT w.database_name, w.query_id, w.kind,
           pg_catalog.string_agg(w.wait || ' ' || pg_catalog.round(w.percent) || ' %', ', ' ORDER BY w.place) FILTER (WHERE w.place <= 3 AND w.percent >= 0.5) AS waits
    FROM (SELECT a.database_name, a.query_id, a.kind, a.wait,
                 100 * pg_catalog.sum(a.seen) / pg_catalog.sum(pg_catalog.sum(a.seen)) OVER (PARTITION BY a.database_name, a.query_id, a.kind) AS percent,
                 pg_catalog.row_number() OVER (PARTITION BY a.database_name, a.query_id, a.kind ORDER BY pg_catalog.sum(a.seen) DESC, a.wait) AS place
          FROM active a GROUP BY a.database_name, a.query_id, a.kind, a.wait) w
    GROUP BY w.database_name, w.query_id, w.kind),
statements AS (
    SELECT a.database_name, a.query_id, a.kind, pg_catalog.sum(a.seen) AS seen, pg_catalog.max(a.most) AS most,
           pg_catalog.max(a.longest_statement_s) AS longest_s,
           pg_catalog.string_agg(DISTINCT a.role_name, ', ' ORDER BY a.role_name) AS roles
    FROM active a GROUP BY a.database_name, a.query_id, a.kind)
SELECT s.database_name, s.query_id::pg_catalog.text AS queryid, COALESCE(t.query, s.kind, '(no text)') AS query,
       100 * s.seen / pg_catalog.sum(s.seen) OVER () AS percent, s.seen / l.looks AS sessions, s.seen / l.looks * c.covered_s AS seconds,
       w.waits, s.most, s.longest_s, s.roles
FROM statements s
CROSS JOIN looks l CROSS JOIN covered c
JOIN waits w ON w.database_name IS NOT DISTINCT FROM s.database_name AND w.query_id IS NOT DISTINCT FROM s.query_id AND w.kind IS NOT DISTINCT FROM s.kind
LEFT JOIN LATERAL (SELECT pg_catalog.left(x.query, 500) AS query FROM pgperf.statement_texts x
                   WHERE x.node_id = $1::pg_catalog.uuid AND x.queryid = s.query_id ORDER BY x.taken_at DESC LIMIT 1) t ON true
WHERE l.looks > 0 AND s.seen > 0
ORDER BY s.seen DESC, s.database_name, s.query_id, s.kind
