-- On average at least half a session, and 20 % of the time of active sessions, in at least 20 samples: short waits are normal under
-- load. Or at least five sessions in three samples. Critical with half of the time and two sessions on average, or 20 sessions at
-- once. Where `blocking` names who was waited for at least half of that time, it is part of that.
SELECT CASE WHEN x.waiting >= 0.5 * x.active AND x.average >= 2 OR x.longest >= 20 THEN 'critical' END, LEAST(99, 100.0 * x.waiting / x.active),
       'server', NULL, k.kind, x.until, x.since, x.until,
       format('%s sessions waited for locks on average, %s %% of database time, at most %s at once; most for a lock of type %s', round(x.average, 2),
              round(100.0 * x.waiting / x.active), x.longest, k.kind),
       jsonb_build_object('average_sessions', round(x.average, 2), 'percent', round(100.0 * x.waiting / x.active, 1), 'most_at_once', x.longest,
                          'time_percent', round(100.0 * x.waiting / x.active, 1),
                          -- The share of database time that findings of blocking are about.
                          'blocking_percent', (SELECT round((100 * sum(q.all_s) / a.seconds)::numeric, 1) FROM queues q CROSS JOIN active a WHERE a.seconds > 0 GROUP BY a.seconds)), NULL
FROM (SELECT sum(l.waiting) AS waiting, sum(l.active) AS active, max(l.waiting) AS longest, count(*) FILTER (WHERE l.waiting >= 5) AS queues,
             min(l.taken_at) FILTER (WHERE l.waiting > 0) AS since, max(l.taken_at) FILTER (WHERE l.waiting > 0) AS until,
             -- A sample that saw nobody has no row; the statistics collectors' own processes are always there.
             1.0 * sum(l.waiting) / NULLIF(count(*), 0) AS average, count(*) AS looks
      FROM looks l) x
CROSS JOIN LATERAL (
    SELECT (array_agg(e.wait_event ORDER BY e.seen DESC))[1] AS kind
    FROM (SELECT h.wait_event, sum(h.seen) AS seen FROM {waits} h
          WHERE h.state = 'active' AND h.wait_event_type = 'Lock' GROUP BY h.wait_event) e) k
WHERE x.waiting > 0
  AND (x.looks >= 20 AND x.average >= 0.5 AND x.waiting >= 0.2 * x.active OR x.queues >= 3)
