-- At least 90 % of max_connections in a sample. Critical if only those reserved for superusers are left (3 by default).
SELECT CASE WHEN c.sessions >= m.most - 3 THEN 'critical' END, LEAST(99, 100.0 * c.sessions / m.most),
       'server', NULL, 'max_connections', c.taken_at, NULL::timestamptz, c.taken_at,
       format('%s sessions at %s, %s %% of max_connections (%s)', c.sessions, to_char(c.taken_at, 'YYYY-MM-DD HH24:MI:SS'), round(100.0 * c.sessions / m.most), m.most),
       jsonb_build_object('sessions', c.sessions, 'max_connections', m.most), NULL
FROM (SELECT l.taken_at, l.sessions FROM looks l ORDER BY l.sessions DESC, l.taken_at DESC LIMIT 1) c
CROSS JOIN (SELECT COALESCE((SELECT s.value::bigint FROM pgperf.settings_history s
                             WHERE s.node_id = $1::uuid AND s.name = 'max_connections' AND s.database_name IS NULL AND s.role_name IS NULL
                               AND s.taken_at <= $3::timestamptz AND NOT s.pending_restart AND s.value ~ '^\d+$'
                             ORDER BY s.sample_id DESC LIMIT 1), 100) AS most) m
WHERE c.sessions >= {threshold connections} / 100 * m.most
