-- From PostgreSQL 19 on. At least ten waits for one type of lock that were longer than deadlock_timeout, and together a tenth of the window's
-- time: one look at the sessions every few seconds sees few of them. A warning from half of the time on.
SELECT CASE WHEN x.wait_s >= 0.5 * w.window_s THEN 'warning' END, LEAST(99, 100 * x.wait_s / w.window_s), 'server', NULL, x.lock_type, x.until, x.since, x.until,
       format('%s waits of more than deadlock_timeout for locks of type %s took %s s together, %s s each', x.waits, x.lock_type, round(x.wait_s::numeric, 1),
              round((x.wait_s / x.waits)::numeric, 1)),
       jsonb_build_object('waits', x.waits, 'wait_s', round(x.wait_s::numeric, 1),
                          'time_percent', (SELECT round(LEAST(100, 100 * x.wait_s / a.seconds)::numeric, 1) FROM active a WHERE a.seconds > 0)), NULL
FROM (SELECT r.lock_type, sum(r.waits) AS waits, sum(r.wait_s) AS wait_s, min(r.since) AS since, max(r.until) AS until
      FROM (SELECT h.lock_type, max(h.waits) - min(h.waits) AS waits, (max(h.wait_time) - min(h.wait_time)) / 1000 AS wait_s,
                   min(h.taken_at) AS since, max(h.taken_at) AS until
            FROM pgperf.lock_history h
            WHERE h.node_id = $1::uuid AND h.taken_at > $2::timestamptz AND h.taken_at <= $3::timestamptz
            GROUP BY h.lock_type, h.stats_reset) r
      GROUP BY r.lock_type) x
CROSS JOIN (SELECT EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) AS window_s) w
WHERE x.waits >= 10 AND x.wait_s >= 0.1 * w.window_s
