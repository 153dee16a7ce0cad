-- Its mean time is at least twice that of before, beyond three standard errors, with 20 calls on each side, and it slowed down half as
-- much again as the other statements: where all became slower, the statement is not the cause. The time lost is at least 5 % of the
-- time of all statements, and 1 s: less is not felt. From 25 % on a warning.
SELECT CASE WHEN x.lost >= 0.25 * e.time THEN 'warning' END, LEAST(99, 100.0 * x.lost / e.time),
       'statement', NULL, t.queryid::text, t.last_at, t.first_at, t.last_at,
       format('%s ms a call, %s times the %s ms of before; that took %s %% of the time of all statements: %s',
              round((t.time / t.calls)::numeric, 2), round((x.ratio)::numeric, 1), round((t.time_before / t.calls_before)::numeric, 2),
              round((100 * x.lost / e.time)::numeric), t.query),
       jsonb_build_object('queryid', t.queryid, 'query', t.query, 'calls', t.calls,
                          'mean_ms', round((t.time / t.calls)::numeric, 3), 'mean_ms_before', round((t.time_before / t.calls_before)::numeric, 3)),
       NULL
FROM totals t CROSS JOIN everything e
CROSS JOIN LATERAL (
    SELECT (t.time / t.calls) / (t.time_before / t.calls_before) AS ratio, t.time - t.time_before / t.calls_before * t.calls AS lost,
           sqrt(GREATEST(0, t.squares / t.calls - (t.time / t.calls) ^ 2) / t.calls
                + GREATEST(0, t.squares_before / t.calls_before - (t.time_before / t.calls_before) ^ 2) / t.calls_before) AS standard_error,
           -- Of the other statements.
           (e.time_of_both - t.time) / NULLIF(e.time_expected - t.time_before * t.calls / t.calls_before, 0) AS others
    WHERE t.calls >= 20 AND t.calls_before >= 20 AND t.time_before > 0) x
WHERE NOT t.own AND x.ratio >= {threshold slower_statement} AND x.ratio >= 1.5 * COALESCE(x.others, 1)
  AND t.time / t.calls - t.time_before / t.calls_before > 3 * x.standard_error AND x.lost >= 1000 AND x.lost >= 0.05 * e.time
