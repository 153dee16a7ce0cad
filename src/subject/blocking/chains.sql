-- The three that cost most. A session is indented by its distance from the head.
WITH heads AS (
    SELECT c.pid, c.since, c.until, COALESCE(c.schema_name || '.' || c.relation_name, c.relation_name, c.lock_type) AS relation,
           pg_catalog.row_number() OVER (ORDER BY c.together_s DESC NULLS LAST, c.since, c.pid) AS place
    FROM {chains} c WHERE c.depth = 0)
SELECT 'Behind ' || h.pid || COALESCE(': ' || h.relation, '') AS list,
       pg_catalog.repeat('· ', v.depth) || COALESCE(NULLIF(v.application_name, ''), v.backend_type, 'session') || ' ' || v.pid
           || COALESCE(' of ' || v.role_name, '') AS session,
       v.statement, v.waited_s,
       CASE WHEN v.depth = 0 THEN 'holds ' ELSE '' END || COALESCE(v.lock_mode, 'a lock') AS lock,
       COALESCE(v.schema_name || '.' || v.relation_name, v.relation_name, v.lock_type || ' ' || v.lock_object, v.lock_type) AS of,
       v.since
FROM heads h
JOIN {chains} v ON v.head_pid = h.pid AND v.until >= h.since AND v.since <= h.until
WHERE h.place <= 3
ORDER BY h.place, v.depth, v.waited_s DESC NULLS FIRST, v.pid
