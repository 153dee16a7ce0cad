-- It had no calls before and takes at least 5 % of the time of all statements, 1 s in all: less is not felt. From 25 % on a warning.
-- The history has to hold statements from before the window, or all of them would be new. Not a command that somebody gave once or twice,
-- such as ALTER TABLE, nor pg_sleep(), nor those that a run of pgperf had in its scripts at that time: who started it brought them.
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
  AND t.time >= 1000 AND t.time >= {threshold new_statement} / 100 * e.time
  AND (t.calls > 2 OR COALESCE(t.query, '') !~* '^(alter|analyze|cluster|comment|create|drop|grant|refresh|reindex|revoke|truncate|vacuum)\M')
  AND COALESCE(t.query, '') !~* '^select\s+(pg_catalog\.)?pg_sleep'
  AND EXISTS (SELECT FROM together x WHERE x.taken_at <= $2::timestamptz + interval '1 minute')
  AND NOT EXISTS (
    SELECT FROM pgperf_internal.stored_runs r
    JOIN pgperf.run_statements s ON s.node_id = r.node_id AND s.run_id = r.run_id AND s.is_sql
    JOIN pgperf.statement_texts x ON x.node_id = r.node_id AND x.queryid = t.queryid AND x.dbid = t.dbid
    WHERE r.node_id = $1::uuid AND r.origin_node_id IS NULL AND r.started_at <= t.appeared_at AND COALESCE(r.ended_at, t.appeared_at) >= t.appeared_after
      -- Constants, parameters and variables of scripts are alike.
      AND rtrim(regexp_replace(regexp_replace(s.statement, '''(?:[^'']|'''')*''|\$\d+|(?<![\w:]):[A-Za-z_]\w*|(?<![\w.])\d+(?:\.\d+)?', '?', 'g'), '\s+', ' ', 'g'), ' ;')
          = rtrim(regexp_replace(regexp_replace(x.query, '''(?:[^'']|'''')*''|\$\d+|(?<![\w:]):[A-Za-z_]\w*|(?<![\w.])\d+(?:\.\d+)?', '?', 'g'), '\s+', ' ', 'g'), ' ;'))
