SELECT COALESCE(NULLIF(c.application_name, ''), c.backend_type, 'session') || ' ' || c.pid || COALESCE(' of ' || c.role_name, '') AS head,
       COALESCE(c.schema_name || '.' || c.relation_name, c.relation_name, c.lock_type) AS relation, c.statement,
       c.together_s AS waited_s, c.victims, c.lock_mode AS held, c.state,
       EXTRACT(epoch FROM c.until - c.transaction_start)::pg_catalog.float8 AS transaction_s, LEAST(c.first_at, c.since) AS since, c.until
FROM {chains} c
WHERE c.depth = 0
ORDER BY c.together_s DESC NULLS LAST, c.since, c.pid
