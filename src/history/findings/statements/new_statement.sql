-- It had no calls before and takes at least 5 % of the time of all statements, 1 s in all: less is not felt. From 25 % on a warning.
-- The history has to hold statements from before the window, or all of them would be new.
SELECT CASE WHEN t.time >= 0.25 * e.time THEN 'warning' END, LEAST(99, 100.0 * t.time / e.time),
       'statement', NULL, t.queryid::text, t.appeared_at, t.appeared_after, t.last_at,
       format('first seen between %s and %s: %s calls, %s ms each, %s %% of the time of all statements: %s',
              to_char(t.appeared_after, 'YYYY-MM-DD HH24:MI:SS'), to_char(t.appeared_at, 'HH24:MI:SS'), to_char(t.calls, 'FM999,999,999,999,990'),
              round((t.time / t.calls)::numeric, 2), round((100 * t.time / e.time)::numeric), t.query),
       jsonb_build_object('queryid', t.queryid, 'query', t.query, 'calls', t.calls, 'time_ms', round(t.time::numeric, 1),
                          'time_percent', round((100 * t.time / e.time)::numeric, 1)),
       NULL
FROM totals t CROSS JOIN everything e
WHERE NOT t.own AND t.appeared_after >= $2::timestamptz - interval '10 minutes' AND NOT COALESCE(t.known_before, false) AND t.calls > 0
  AND t.time >= 1000 AND t.time >= 0.05 * e.time
  AND EXISTS (SELECT FROM together x WHERE x.taken_at <= $2::timestamptz + interval '1 minute')
