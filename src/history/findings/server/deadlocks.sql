-- Any: a transaction failed, after it had waited for deadlock_timeout. Critical from 100 on.
SELECT CASE WHEN c.deadlocks >= 100 THEN 'critical' END, LEAST(99, 10.0 * c.deadlocks), 'database', NULL, c.database_name, d.until, d.since, d.until,
       format('deadlocks between %s and %s: %s', to_char(d.since, 'YYYY-MM-DD HH24:MI:SS'), to_char(d.until, 'HH24:MI:SS'), c.deadlocks),
       jsonb_build_object('deadlocks', c.deadlocks), NULL
FROM counted c
CROSS JOIN LATERAL (SELECT min(s.since) AS since, max(s.taken_at) AS until FROM steps s
                    WHERE s.database_name = c.database_name AND s.inside AND s.deadlocks > 0) d
WHERE c.inside AND c.deadlocks > 0
