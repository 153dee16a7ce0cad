-- Less than 10 % idle for 15 minutes, a sixtieth of a long window or most of a short one; waiting for disks counts as idle. Critical
-- if other machines on the same host take at least 10 %.
SELECT CASE WHEN x.steal >= 0.1 * x.total THEN 'critical' END, 100 * (x.total - x.idle) / x.total,
       'host', NULL, 'CPU', x.until, x.since, x.until,
       format('%s CPUs were busy for %s %% of the time from %s to %s (%s %% in programs, %s %% in the system, %s %% taken by other machines)', x.cpus,
              round(100 * (x.total - x.idle) / x.total), to_char(x.since, 'YYYY-MM-DD HH24:MI'), to_char(x.until, 'HH24:MI'),
              round(100 * x.users / x.total), round(100 * x.system / x.total), round(100 * x.steal / x.total)),
       jsonb_build_object('busy_percent', round(100 * (x.total - x.idle) / x.total, 1), 'steal_percent', round(100 * x.steal / x.total, 1), 'cpus', x.cpus), NULL
FROM (SELECT min(q.since) AS since, max(q.until) AS until, max(q.cpus) AS cpus, sum(q.total)::numeric AS total, sum(q.idle) AS idle, sum(q.users) AS users,
             sum(q.system) AS system, sum(q.steal) AS steal
      FROM (SELECT min(s.since) AS since, max(s.taken_at) AS until, max(s.cpus) AS cpus, sum(s.total_ms) AS total, sum(s.idle_ms + s.iowait_ms) AS idle,
                   sum(s.user_ms) AS users, sum(s.system_ms) AS system, sum(s.steal_ms) AS steal
            FROM steps s GROUP BY floor(EXTRACT(epoch FROM $3::timestamptz - s.taken_at) / 900)
            HAVING sum(s.idle_ms + s.iowait_ms) < 0.1 * sum(s.total_ms)
               AND max(s.taken_at) - min(s.since) >= LEAST(interval '12 minutes', 0.8 * ($3::timestamptz - $2::timestamptz))) q) x
WHERE x.total > 0
