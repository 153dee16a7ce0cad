-- For at least 5 minutes: it keeps its locks, and later holds back vacuum. From 10 minutes and 1,000 transaction ids on,
-- it is part of `horizon_held`.
SELECT NULL, LEAST(99, 100 * EXTRACT(epoch FROM h.last_at - h.since) / 3600),
       'backend', NULL, COALESCE(NULLIF(h.name, ''), 'pid ' || h.pid), h.last_at, h.since, h.last_at,
       format('pid %s, role %s, was %s for %s, from %s on', h.pid, h.role_name, h.state, date_trunc('second', h.last_at - h.since),
              to_char(h.since, 'YYYY-MM-DD HH24:MI:SS')),
       jsonb_build_object('pid', h.pid, 'name', h.name, 'role', h.role_name, 'state', h.state, 'since', h.since, 'until', h.last_at, 'goes_on', h.goes_on),
       CASE WHEN h.goes_on THEN h.end_sql END
FROM holders h
WHERE h.holder_kind = 'backend' AND h.state LIKE 'idle in transaction%' AND h.last_at - h.since >= {threshold idle_in_transaction} * interval '1 minute'
