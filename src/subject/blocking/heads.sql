SELECT COALESCE(NULLIF(c.application_name, ''), c.backend_type, 'session') || ' ' || c.pid || COALESCE(' of ' || c.role_name, '')
 AS head,
       COALESCE(c.schema_name || '.' || c.relation_name, c.relation_name, c.lock_type) AS relation, c.statement,
       w.waited_s, c.victims, c.lock_mode AS held, c.state,
       EXTRACT(epoch FROM c.until - c.transaction_start)::pg_catalog.float8 AS transaction_s, LEAST(w.since, c.since) AS since, c.until
FROM {chains} c
CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(v.waited_s) AS waited_s, pg_catalog.min(v.since) AS since
    FROM {chains} v WHERE v.depth > 0 AND v.head_pid = c.pid AND v.until >= c.since AND v.since <= c.until) w
WHERE c.depth = 0
ORDER BY w.waited_s DESC NULLS LAST, c.since, c.pid
