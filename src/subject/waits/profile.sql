-- What waits outside of a statement for its client, a time or an extension's work does no work, as what is idle and what sleeps between two rounds.
WITH steps AS MATERIALIZED (
    SELECT p.sample_id, p.before_id, p.before_at, p.seconds, h.wait_event_type, h.wait_event, h.in_statement, h.samples, h.period_ms,
           b.samples AS before
    FROM {samples}
    JOIN pgperf.wait_profile_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
    LEFT JOIN pgperf.wait_profile_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
        AND b.period_ms = h.period_ms AND b.in_statement = h.in_statement
        AND b.wait_event_type IS NOT DISTINCT FROM h.wait_event_type AND b.wait_event IS NOT DISTINCT FROM h.wait_event
    WHERE p.before_id IS NOT NULL),
-- Without those in which the profile or another period began: one of its events fell or is gone.
lived AS MATERIALIZED (
    SELECT s.sample_id, s.seconds
    FROM (SELECT s.sample_id, s.seconds, s.before_id, s.before_at, pg_catalog.count(s.before) AS known, pg_catalog.bool_or(s.samples < s.before) AS fell
          FROM steps s GROUP BY 1, 2, 3, 4) s
    CROSS JOIN LATERAL (SELECT pg_catalog.count(*) AS events FROM pgperf.wait_profile_history b
        WHERE b.node_id = $1::pg_catalog.uuid AND b.sample_id = s.before_id AND b.taken_at = s.before_at) b
    WHERE b.events > 0 AND b.events = s.known AND s.fell IS NOT TRUE),
waited AS (
    SELECT s.wait_event_type, s.wait_event, pg_catalog.sum((s.samples - COALESCE(s.before, 0)) * s.period_ms) / 1000.0 AS waited_s
    FROM steps s JOIN lived l USING (sample_id)
    WHERE s.in_statement OR s.wait_event_type IS NULL OR s.wait_event_type NOT IN ('Client', 'Timeout', 'Extension')
    GROUP BY 1, 2)
SELECT COALESCE(w.wait_event_type, 'CPU') AS kind, COALESCE(w.wait_event, 'running, or waiting for a CPU') AS event,
       100 * w.waited_s / pg_catalog.sum(w.waited_s) OVER () AS percent, w.waited_s / c.covered_s AS sessions, w.waited_s AS seconds
FROM waited w, (SELECT NULLIF(pg_catalog.sum(l.seconds), 0) AS covered_s FROM lived l) c
WHERE w.waited_s > 0
ORDER BY w.waited_s DESC, 1, 2
