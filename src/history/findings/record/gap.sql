-- At least one minute, and six times the sampler's interval at that time: what happened meanwhile is known only in sum. A warning from 25 % of the
-- window on. Samples on demand are due at no time, and of days past their retention only hourly samples remain.
SELECT CASE WHEN max(g.seconds) >= 0.25 * EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz) THEN 'warning' END,
       LEAST(99, 100 * sum(g.seconds) / EXTRACT(epoch FROM $3::timestamptz - $2::timestamptz)),
       'history', NULL, 'samples', (array_agg(g.until ORDER BY g.seconds DESC))[1], (array_agg(g.since ORDER BY g.seconds DESC))[1], (array_agg(g.until ORDER BY g.seconds DESC))[1],
       format('gaps in the sampler''s history: %s, %s in all, the longest from %s to %s', count(*), make_interval(secs => round(sum(g.seconds))),
              to_char((array_agg(g.since ORDER BY g.seconds DESC))[1], 'YYYY-MM-DD HH24:MI:SS'), to_char((array_agg(g.until ORDER BY g.seconds DESC))[1], 'HH24:MI:SS')),
       jsonb_build_object('gaps', count(*), 'seconds', round(sum(g.seconds))), NULL
FROM (SELECT x.since, x.until, EXTRACT(epoch FROM x.until - GREATEST(x.since, $2::timestamptz)) AS seconds,
             -- It may have become longer just then.
             GREATEST(x.before, COALESCE(x.after, CASE WHEN $1::uuid = (SELECT pgperf.local_node()) THEN
                 COALESCE((SELECT min(c.sample_interval) FROM pgperf.collectors c WHERE c.enabled), interval '1000 years') END)) AS cadence
      FROM (SELECT t.taken_at AS since, lead(t.taken_at, 1, LEAST($3::timestamptz, clock_timestamp())) OVER (ORDER BY t.taken_at) AS until,
                   min(t.cadence) OVER (ORDER BY t.taken_at ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS before,
                   min(t.cadence) OVER (ORDER BY t.taken_at ROWS BETWEEN 1 FOLLOWING AND 10 FOLLOWING) AS after
            FROM pgperf.samples t
            WHERE t.node_id = $1::uuid AND t.taken_at <= $3::timestamptz
              -- From the last sample before the window on.
              AND t.taken_at >= COALESCE((SELECT max(b.taken_at) FROM pgperf.samples b
                                          WHERE b.node_id = $1::uuid AND b.taken_at <= $2::timestamptz AND b.taken_at > $2::timestamptz - interval '1 day'), $2::timestamptz)
              AND t.cadence IS NOT NULL AND t.run_id IS NULL
              AND t.taken_at >= (SELECT min(p.starts_at) FROM pgperf.history_partitions p WHERE p.table_name = 'samples' AND p.level = 'raw')) x) g
WHERE g.seconds >= {threshold gap} AND g.seconds >= 6 * EXTRACT(epoch FROM g.cadence)
HAVING count(*) > 0
