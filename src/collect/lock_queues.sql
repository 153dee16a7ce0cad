WITH locks AS MATERIALIZED (
    SELECT l.locktype, l.database, l.relation, l.page, l.tuple, l.virtualxid, l.transactionid, l.classid, l.objid, l.objsubid,
           l.pid, l.virtualtransaction, l.mode, l.granted, l.waitstart
    FROM pg_catalog.pg_locks l),
-- Who waits for several, as a deadlock check may show for a moment, is taken once.
-- Who has got the lock meanwhile waits for nobody.
waiters AS MATERIALIZED (
    SELECT w.* FROM (
        SELECT DISTINCT ON (l.pid) l.*, pg_catalog.pg_blocking_pids(l.pid) AS blocked_by
        FROM locks l WHERE NOT l.granted AND l.pid IS NOT NULL ORDER BY l.pid, l.waitstart) w
    WHERE w.blocked_by <> '{}'),
blockers AS MATERIALIZED (SELECT DISTINCT w.pid AS waiter, b.pid FROM waiters w CROSS JOIN LATERAL pg_catalog.unnest(w.blocked_by) b(pid)),
-- What blockers hold of what others wait for.
held AS MATERIALIZED (
    SELECT b.pid, g.locktype, g.database, g.relation, g.mode, g.virtualtransaction
    FROM blockers b
    JOIN waiters w ON w.pid = b.waiter
    JOIN locks g ON g.granted AND COALESCE(g.pid, 0) = b.pid
        AND (g.locktype, g.database, g.relation, g.page, g.tuple, g.virtualxid, g.transactionid, g.classid, g.objid, g.objsubid)
            IS NOT DISTINCT FROM
            (w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)),
prepared AS (
    SELECT pg_catalog.string_agg(p.gid, ', ' ORDER BY p.prepared) AS gids, pg_catalog.min(p.owner) AS owner, pg_catalog.min(p.database) AS database,
           pg_catalog.min(p.prepared) AS prepared
    FROM pg_catalog.pg_prepared_xacts p
    WHERE EXISTS (SELECT FROM held h JOIN locks l ON l.pid IS NULL AND l.virtualtransaction = h.virtualtransaction AND l.transactionid = p.transaction
                  WHERE h.pid = 0)),
members AS (SELECT w.pid FROM waiters w UNION SELECT b.pid FROM blockers b),
-- Of a row that a transaction has changed: the first of those that wait for that holds the lock of the row.
contested AS (
    SELECT w.pid, w.locktype, w.mode, w.database, COALESCE(w.relation, t.relation) AS relation, COALESCE(w.database, t.database) AS of_database,
           CASE w.locktype
               WHEN 'advisory' THEN CASE w.objsubid WHEN 2 THEN '(' || w.classid || ', ' || w.objid || ')'
                                    ELSE ((w.classid::pg_catalog.int8 << 32) | w.objid::pg_catalog.int8)::pg_catalog.text END
               WHEN 'transactionid' THEN w.transactionid::pg_catalog.text
               WHEN 'virtualxid' THEN w.virtualxid END AS object
    FROM waiters w
    LEFT JOIN LATERAL (SELECT x.relation, x.database FROM locks x
                       WHERE w.relation IS NULL AND x.pid = w.pid AND x.granted AND x.locktype = 'tuple' LIMIT 1) t ON true)
SELECT m.pid::pg_catalog.int8 AS pid, COALESCE(pg_catalog.to_jsonb(w.blocked_by), '[]'::pg_catalog.jsonb) AS blocked_by,
       EXTRACT(epoch FROM a.backend_start)::pg_catalog.float8 AS started_s, EXTRACT(epoch FROM w.waitstart)::pg_catalog.float8 AS waiting_since_s,
       EXTRACT(epoch FROM pg_catalog.clock_timestamp() - w.waitstart)::pg_catalog.float8 AS waited_s,
       CASE WHEN m.pid = 0 THEN 'PREPARE TRANSACTION ' || p.gids ELSE a.query END AS statement,
       COALESCE(a.datname, CASE WHEN m.pid = 0 THEN p.database END) AS database_name, COALESCE(a.usename, CASE WHEN m.pid = 0 THEN p.owner END) AS role_name,
       a.application_name, CASE WHEN m.pid = 0 THEN 'prepared transaction' ELSE a.backend_type END AS backend_type,
       a.state, a.query_id, a.wait_event_type, a.wait_event,
       a.backend_start AS session_start, CASE WHEN m.pid = 0 THEN p.prepared ELSE a.xact_start END AS transaction_start, a.query_start AS statement_start,
       w.waitstart AS waiting_since,
       COALESCE(c.locktype, h.locktype) AS lock_type, COALESCE(c.mode, h.mode) AS lock_mode, c.object AS lock_object,
       n.nspname AS schema_name, COALESCE(r.relname, CASE WHEN COALESCE(c.relation, h.relation) IS NOT NULL
           THEN 'relation ' || COALESCE(c.relation, h.relation) END) AS relation_name
FROM members m
LEFT JOIN waiters w ON w.pid = m.pid
LEFT JOIN contested c ON c.pid = m.pid
-- Of a head: the strongest of what it holds, and the table that those who wait for it want.
LEFT JOIN LATERAL (
    SELECT pg_catalog.string_agg(DISTINCT x.locktype, ', ' ORDER BY x.locktype) AS locktype, pg_catalog.string_agg(DISTINCT x.mode, ', ' ORDER BY x.mode) AS mode,
           COALESCE(pg_catalog.min(x.relation::pg_catalog.int8), pg_catalog.min(y.relation::pg_catalog.int8))::pg_catalog.oid AS relation,
           COALESCE(pg_catalog.min(x.database::pg_catalog.int8), pg_catalog.min(y.of_database::pg_catalog.int8))::pg_catalog.oid AS of_database
    FROM held x
    LEFT JOIN blockers b ON b.pid = x.pid
    LEFT JOIN contested y ON y.pid = b.waiter
    WHERE w.pid IS NULL AND x.pid = m.pid) h ON true
LEFT JOIN prepared p ON m.pid = 0
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = m.pid
LEFT JOIN pg_catalog.pg_class r ON r.oid = COALESCE(c.relation, h.relation)
    AND COALESCE(c.of_database, h.of_database) IN (0, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
LEFT JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
ORDER BY m.pid
