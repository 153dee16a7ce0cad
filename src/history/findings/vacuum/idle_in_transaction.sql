-- For at least 5 minutes: it keeps its locks, and later holds back vacuum. From 10 minutes and 1,000 transaction ids on,
-- it is part of `horizon_held`. One that holds no snapshot is known from the looks at all sessions, by its role and application.
SELECT NULL, LEAST(99, 100 * EXTRACT(epoch FROM h.last_at - h.since) / 3600),
       'backend', NULL, COALESCE(NULLIF(h.name, ''), 'pid ' || h.pid), h.last_at, h.since, h.last_at,
       format('pid %s, role %s, was %s for %s, from %s on', h.pid, h.role_name, h.state, date_trunc('second', h.last_at - h.since),
              to_char(h.since, 'YYYY-MM-DD HH24:MI:SS')),
       jsonb_build_object('pid', h.pid, 'name', h.name, 'role', h.role_name, 'state', h.state, 'since', h.since, 'until', h.last_at, 'goes_on', h.goes_on),
       CASE WHEN h.goes_on THEN h.end_sql END
FROM holders h
WHERE h.holder_kind = 'backend' AND h.state LIKE 'idle in transaction%' AND h.last_at - h.since >= {threshold idle_in_transaction} * interval '1 minute'
UNION ALL
SELECT NULL, LEAST(99, 100 * s.age_s / 3600),
       'backend', NULL, COALESCE(NULLIF(s.application_name, ''), 'role ' || s.role_name), s.last_at, s.since, s.last_at,
       format('a session of role %s was %s for %s, from %s on', s.role_name, s.state, date_trunc('second', s.last_at - s.since), to_char(s.since, 'YYYY-MM-DD HH24:MI:SS')),
       jsonb_build_object('name', s.application_name, 'role', s.role_name, 'state', s.state, 'since', s.since, 'until', s.last_at, 'goes_on', s.goes_on),
       CASE WHEN s.goes_on THEN format('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %L AND application_name = %L AND state = %L AND xact_start <= %L',
                                       s.role_name, s.application_name, s.state, s.since + interval '1 s') END
FROM (SELECT DISTINCT ON (h.database_name, h.role_name, h.application_name) h.role_name, h.application_name, h.state, h.longest_transaction_s AS age_s,
             h.taken_at AS last_at, h.taken_at - make_interval(secs => h.longest_transaction_s) AS since,
             h.taken_at = (SELECT max(x.taken_at) FROM pgperf.session_history x
                           WHERE x.node_id = $1::uuid AND x.taken_at > $2::timestamptz AND x.taken_at <= $3::timestamptz) AS goes_on
      FROM pgperf.session_history h
      WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz AND h.state LIKE 'idle in transaction%'
        AND h.longest_transaction_s >= {threshold idle_in_transaction} * 60
      ORDER BY h.database_name, h.role_name, h.application_name, h.sample_id DESC) s
WHERE NOT EXISTS (SELECT FROM holders h
                  WHERE h.holder_kind = 'backend' AND h.name = s.application_name AND h.role_name = s.role_name AND h.since <= s.last_at AND h.last_at >= s.since)
