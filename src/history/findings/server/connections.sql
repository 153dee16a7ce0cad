-- At least 90 % of max_connections: at one of the looks of every second, or in a sample where nobody looked. Critical if only those reserved for
-- superusers are left (3 by default).
SELECT CASE WHEN c.sessions >= m.most - 3 THEN 'critical' END, LEAST(99, 100.0 * c.sessions / m.most),
       'server', NULL, 'max_connections', c.taken_at, NULL::timestamptz, c.taken_at,
       format('%s sessions at %s, %s %% of max_connections (%s)%s', c.sessions, to_char(c.taken_at, 'YYYY-MM-DD HH24:MI:SS'), round(100.0 * c.sessions / m.most), m.most,
              '; most of ' || w.who),
       jsonb_build_object('sessions', c.sessions, 'max_connections', m.most, 'role', w.role_name, 'application', w.application_name, 'sessions_of_it', w.most), NULL
FROM (SELECT p.taken_at, p.sample_id, p.sessions
      FROM (SELECT l.taken_at, l.sample_id, l.sessions FROM looks l
            UNION ALL SELECT h.taken_at, h.sample_id, max(h.most_together) FROM pgperf.connection_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz GROUP BY h.taken_at, h.sample_id) p
      ORDER BY p.sessions DESC NULLS LAST, p.taken_at DESC LIMIT 1) c
CROSS JOIN (SELECT COALESCE((SELECT s.value::bigint FROM pgperf.settings_history s
                             WHERE s.node_id = $1::uuid AND s.name = 'max_connections' AND s.database_name IS NULL AND s.role_name IS NULL
                               AND s.taken_at <= $3::timestamptz AND NOT s.pending_restart AND s.value ~ '^\d+$'
                             ORDER BY s.sample_id DESC LIMIT 1), 100) AS most) m
LEFT JOIN LATERAL (SELECT h.role_name, h.application_name, h.most,
                          format('role %s%s, %s', h.role_name, ', application ' || NULLIF(h.application_name, ''), h.most) AS who
                   FROM pgperf.connection_history h
                   WHERE h.node_id = $1::uuid AND h.sample_id = c.sample_id AND h.taken_at = c.taken_at
                   ORDER BY h.most DESC, h.role_name, h.application_name LIMIT 1) w ON true
WHERE c.sessions >= {threshold connections} / 100 * m.most
