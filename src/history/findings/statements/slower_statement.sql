-- Its mean time is at least twice that of before, beyond three standard errors, with 20 calls on each side, and it slowed down half as
-- much again as the other statements: where all became slower, the statement is not the cause. The time lost is at least 5 % of the
-- time of all statements, and 1 s: less is not felt. From 25 % on a warning. It names the two neighbouring samples between which that began:
-- up to there the means between samples are nearer to the mean of before, from there on to that of the window. And whether it had another
-- plan then, if its plans are known.
SELECT CASE WHEN x.lost >= 0.25 * e.time THEN 'warning' END, LEAST(99, 100.0 * x.lost / e.time),
       'statement', NULL, t.queryid::text, t.last_at, COALESCE(o.at, t.first_at), t.last_at,
       format('%s ms a call, %s times the %s ms of before%s; that took %s %% of the time of all statements%s%s: %s',
              round((t.time / t.calls)::numeric, 2), round((x.ratio)::numeric, 1), round((t.time_before / t.calls_before)::numeric, 2),
              ', with ' || round(x.blocks::numeric, 1) || ' times the blocks',
              round((100 * x.lost / e.time)::numeric),
              '; it began between ' || to_char(o.after, 'YYYY-MM-DD HH24:MI:SS') || ' and ' || to_char(o.at, 'HH24:MI:SS'),
              CASE WHEN p.changed THEN ', with another plan' WHEN NOT p.changed THEN ', with the same plan' END, t.query),
       jsonb_strip_nulls(jsonb_build_object('queryid', t.queryid, 'query', t.query, 'calls', t.calls,
                          'mean_ms', round((t.time / t.calls)::numeric, 3), 'mean_ms_before', round((t.time_before / t.calls_before)::numeric, 3),
                          'times', round(x.ratio::numeric, 2), 'time_percent', round((100 * x.lost / e.time)::numeric, 1),
                          'blocks_per_call', round((t.blocks / t.calls)::numeric, 1),
                          'blocks_per_call_before', round((t.blocks_before / t.calls_before)::numeric, 1), 'blocks_times', round(x.blocks::numeric, 2),
                          'began_after', o.after, 'began_at', o.at, 'plan_changed', p.changed,
                          'plan_before', CASE WHEN p.changed THEN p.plan_before END, 'plan', p.plan)),
       -- Of whose statistics plans are made.
       CASE WHEN p.changed THEN 'ANALYZE ' || p.relations || ';' END
FROM totals t CROSS JOIN everything e
CROSS JOIN LATERAL (
    SELECT (t.time / t.calls) / (t.time_before / t.calls_before) AS ratio, t.time - t.time_before / t.calls_before * t.calls AS lost,
           (t.blocks / t.calls) / NULLIF(t.blocks_before / t.calls_before, 0) AS blocks,
           sqrt(GREATEST(0, t.squares / t.calls - (t.time / t.calls) ^ 2) / t.calls
                + GREATEST(0, t.squares_before / t.calls_before - (t.time_before / t.calls_before) ^ 2) / t.calls_before) AS standard_error,
           -- Of the other statements.
           (e.time_of_both - t.time) / NULLIF(e.time_expected - t.time_before * t.calls / t.calls_before, 0) AS others
    WHERE t.calls >= 20 AND t.calls_before >= 20 AND t.time_before > 0) x
LEFT JOIN LATERAL (
    SELECT c.taken_at AS after, c.next_at AS at
    FROM (SELECT s.taken_at, lead(s.taken_at) OVER w AS next_at,
                 -- Nearer by their ratio: neither a single long call nor an interval that saw only a part of it counts for more than others.
                 COALESCE(sum(ln(s.time / s.calls / sqrt(t.time / t.calls * (t.time_before / t.calls_before)))) OVER w, 0) AS ahead
          FROM (SELECT h.sample_id, h.taken_at, h.calls - lag(h.calls) OVER l AS calls, h.total_exec_time - lag(h.total_exec_time) OVER l AS time
                FROM pgperf.statement_history h
                WHERE h.node_id = $1::uuid AND h.queryid = t.queryid AND h.userid = t.userid AND h.dbid = t.dbid AND h.toplevel AND h.taken_at <= $3::timestamptz
                  AND h.taken_at >= $2::timestamptz - LEAST($3::timestamptz - $2::timestamptz, interval '1 day')
                WINDOW l AS (ORDER BY h.sample_id)) s
          -- It began again where counters fell.
          WHERE s.calls IS NULL OR s.calls > 0 AND s.time > 0
          WINDOW w AS (ORDER BY s.sample_id)) c
    WHERE c.next_at IS NOT NULL ORDER BY c.ahead, c.taken_at DESC LIMIT 1) o ON true
LEFT JOIN LATERAL (
    SELECT b.plan_hash <> a.plan_hash AS changed, a.relations,
           (SELECT y.plan FROM pgperf.plan_texts y WHERE y.node_id = $1::uuid AND y.plan_hash = b.plan_hash LIMIT 1) AS plan_before,
           (SELECT y.plan FROM pgperf.plan_texts y WHERE y.node_id = $1::uuid AND y.plan_hash = a.plan_hash LIMIT 1) AS plan
    FROM (SELECT y.sample_id, y.taken_at, y.plan_hash, y.relations FROM pgperf.plan_history y
          WHERE y.node_id = $1::uuid AND y.queryid = t.queryid AND y.userid = t.userid AND y.dbid = t.dbid AND y.plan_hash IS NOT NULL
            AND y.taken_at >= o.after AND y.taken_at <= $3::timestamptz ORDER BY y.sample_id DESC LIMIT 1) a
    -- The interval before may have had a part of it already.
    CROSS JOIN LATERAL (
        SELECT y.plan_hash FROM pgperf.plan_history y
        WHERE y.node_id = $1::uuid AND y.queryid = t.queryid AND y.userid = t.userid AND y.dbid = t.dbid AND y.plan_hash IS NOT NULL
          AND y.sample_id < a.sample_id AND y.taken_at > o.after - interval '9 days'
        ORDER BY y.taken_at >= o.after, CASE WHEN y.taken_at < o.after THEN -y.sample_id ELSE y.sample_id END LIMIT 1) b) p ON true
WHERE NOT t.own AND x.ratio >= {threshold slower_statement} AND x.ratio >= 1.5 * COALESCE(x.others, 1)
  AND t.time / t.calls - t.time_before / t.calls_before > 3 * x.standard_error AND x.lost >= 1000 AND x.lost >= 0.05 * e.time
