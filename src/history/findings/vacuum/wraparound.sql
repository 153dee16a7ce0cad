-- An age of 1.5 times the one at which autovacuum freezes at any cost, or that of the failsafe: autovacuum does not get there. Critical from
-- the age of the failsafe on.
SELECT CASE WHEN l.age >= l.failsafe THEN 'critical' END, LEAST(99, 100.0 * l.age / 2147483647),
       'database', NULL, l.database_name, l.taken_at, NULL::timestamptz, NULL::timestamptz,
       format('%s %s old, %s %% of the way to the end; autovacuum freezes from %s on%s', to_char(l.age, 'FM999,999,999,999,990'), l.ids,
              round(100.0 * l.age / 2147483647, 1), to_char(l.freezes_at, 'FM999,999,999,999,990'),
              CASE WHEN l.left_s < 3e8 THEN format('; at this window''s rate the server stops assigning ids in %s',
                                                   justify_hours(date_trunc('hour', make_interval(secs => l.left_s)))) ELSE '' END),
       jsonb_build_object('ids', l.ids, 'age', l.age, 'freeze_max_age', l.freezes_at, 'failsafe_age', l.failsafe, 'per_s', round(l.per_s::numeric, 2),
                          'horizon_holder', l.horizon_holder),
       NULL
FROM (SELECT DISTINCT ON (h.database_name) h.database_name, h.taken_at, h.horizon_holder, v.ids, v.age, v.freezes_at, v.failsafe, v.per_s,
             (2147483647 - 3000000 - v.age) / NULLIF(v.per_s, 0) AS left_s
      FROM pgperf.wraparound_history h
      CROSS JOIN (SELECT (max(x.next_xid::text::bigint) - min(x.next_xid::text::bigint))
                             / NULLIF(EXTRACT(epoch FROM max(x.taken_at) - min(x.taken_at)), 0)::float8 AS per_s
                  FROM pgperf.wraparound_history x
                  WHERE x.node_id = $1::uuid AND x.relation_name IS NULL AND x.taken_at > $2::timestamptz AND x.taken_at <= $3::timestamptz) r
      CROSS JOIN LATERAL (VALUES ('transactions', h.frozen_xid_age, h.freeze_max_age, h.failsafe_age, r.per_s),
                                 ('multixacts', h.multixact_age, h.multixact_freeze_max_age, h.multixact_failsafe_age, NULL))
                         v(ids, age, freezes_at, failsafe, per_s)
      WHERE h.node_id = $1::uuid AND h.relation_name IS NULL AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
        AND v.age >= LEAST(1.5 * v.freezes_at, v.failsafe)
      ORDER BY h.database_name, h.sample_id DESC, v.age DESC) l
