WITH looks AS (SELECT pg_catalog.sum(x.looks) AS looks FROM (SELECT DISTINCT s.stretch, s.looks FROM {sessions} s) x),
clients AS (
    SELECT s.database_name, s.role_name, s.application_name,
           CASE WHEN s.state = 'active' AND (s.wait_event_type, s.wait_event) IS DISTINCT FROM ('Client', 'ClientRead') THEN s.seen END AS active,
           CASE WHEN s.state IN ('idle in transaction', 'idle in transaction (aborted)') THEN s.seen END AS idle_in_transaction,
           s.longest_transaction_s, NULL::pg_catalog.int8 AS connected, NULL::pg_catalog.int8 AS most, NULL::pg_catalog.timestamptz AS taken_at
    FROM {sessions} s WHERE s.role_name IS NOT NULL OR s.database_name IS NOT NULL OR s.application_name = '(others)'
    UNION ALL
    SELECT h.database_name, h.role_name, h.application_name, NULL, NULL, NULL, h.seen, h.most, h.taken_at
    FROM pgperf.connection_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at > $2::pg_catalog.timestamptz AND h.taken_at <= $3::pg_catalog.timestamptz{of_run})
SELECT c.application_name, c.role_name, c.database_name,
       100 * COALESCE(pg_catalog.sum(c.active), 0) / NULLIF(pg_catalog.sum(pg_catalog.sum(c.active)) OVER (), 0) AS percent,
       COALESCE(pg_catalog.sum(c.active), 0) / l.looks AS active, COALESCE(pg_catalog.sum(c.idle_in_transaction), 0) / l.looks AS idle_in_transaction,
       pg_catalog.sum(c.connected) / l.looks AS connections, pg_catalog.max(c.most) AS connections_max,
       (pg_catalog.array_agg(c.taken_at ORDER BY c.most DESC, c.taken_at) FILTER (WHERE c.most IS NOT NULL))[1] AS peak_at,
       pg_catalog.max(c.longest_transaction_s) AS longest_transaction_s
FROM clients c CROSS JOIN looks l
WHERE l.looks > 0
GROUP BY c.database_name, c.role_name, c.application_name, l.looks
ORDER BY COALESCE(pg_catalog.sum(c.active), 0) DESC, pg_catalog.sum(c.connected) DESC NULLS LAST, 1, 2, 3
