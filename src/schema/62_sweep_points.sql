-- The points of sweeps, their peak, and the law of scalability.
CREATE FUNCTION pgperf.mean_interval(sample float8[], OUT n integer, OUT mean float8, OUT ci_low float8, OUT ci_high float8)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'mean_interval_wrapper';
COMMENT ON FUNCTION pgperf.mean_interval(float8[]) IS
    'The mean of independent values and its 95 % interval by Student''s t; NULL bounds: fewer than two values. NULL elements are left out';

CREATE FUNCTION pgperf.welch_p_value(a float8[], b float8[]) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'welch_p_value_wrapper';
COMMENT ON FUNCTION pgperf.welch_p_value(float8[], float8[]) IS
    'The probability of a difference of means at least this large if there is none, by Welch''s t-test (two-sided); NULL: fewer than two values on a side. NULL elements are left out';

CREATE VIEW pgperf.sweep_points AS
SELECT p.node_id,
       p.sweep_id,
       p.point_no,
       p.combination,
       p.workload,
       p.clients,
       p.scale,
       p.partitions,
       p.fillfactor,
       p.query_mode,
       p.settings,
       m.n,
       m.mean AS tps,
       CASE WHEN m.ci_low < 0 THEN 0 ELSE m.ci_low END AS tps_ci_low,
       m.ci_high AS tps_ci_high,
       r.tps_values,
       r.run_ids,
       r.latency_avg_ms,
       q.ms[1] AS latency_p50_ms,
       q.ms[2] AS latency_p95_ms,
       q.ms[3] AS latency_p99_ms,
       q.ms[4] AS latency_p999_ms,
       r.failed_transactions,
       r.failed_runs,
       r.error,
       w.precision_percent,
       w.precise,
       r.caches || CASE WHEN r.unprepared > 0 THEN pg_catalog.format(' in %s of %s runs: %s', m.n - r.unprepared, m.n, r.obstacle) ELSE '' END AS caches
FROM pgperf_internal.stored_sweep_points p
LEFT JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id)
LEFT JOIN (
    SELECT u.node_id, u.sweep_id, u.point_no,
           pg_catalog.array_agg(u.tps ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS tps_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) FILTER (WHERE u.status = 'finished') AS run_ids,
           pg_catalog.avg(u.latency_avg_ms) FILTER (WHERE u.status = 'finished') AS latency_avg_ms,
           pgperf.histogram_merge(t.histogram) FILTER (WHERE u.status = 'finished') AS histogram,
           pg_catalog.max(u.latency_max_ms) FILTER (WHERE u.status = 'finished') AS latency_max_ms,
           (pg_catalog.sum(u.failed) FILTER (WHERE u.status = 'finished'))::bigint AS failed_transactions,
           -- A run stopped with its sweep has not failed; a run stopped by itself is one that the sweep could not do.
           pg_catalog.count(*) FILTER (WHERE u.status IN ('failed', 'interrupted')
               OR u.status = 'stopped' AND s.stored_status = 'failed')::integer AS failed_runs,
           pg_catalog.max(u.error) AS error,
           pg_catalog.max(e.value) FILTER (WHERE u.status = 'finished') AS caches,
           pg_catalog.count(e.note) FILTER (WHERE u.status = 'finished') AS unprepared,
           pg_catalog.max(e.note) FILTER (WHERE u.status = 'finished') AS obstacle
    FROM pgperf.sweep_runs u
    JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id)
    LEFT JOIN pgperf_internal.run_totals t ON t.node_id = u.node_id AND t.run_id = u.run_id
    LEFT JOIN pgperf.run_environment e ON e.node_id = u.node_id AND e.run_id = u.run_id AND e.category = 'memory' AND e.name = 'caches'
    GROUP BY u.node_id, u.sweep_id, u.point_no
) r USING (node_id, sweep_id, point_no)
CROSS JOIN LATERAL pgperf.mean_interval(COALESCE(r.tps_values, '{}')) m
CROSS JOIN LATERAL (
    -- A quantile is the upper end of its bucket, which can lie above the true maximum.
    SELECT pg_catalog.array_agg(CASE WHEN h.ms > r.latency_max_ms THEN r.latency_max_ms ELSE h.ms END ORDER BY h.n) AS ms
    FROM pg_catalog.unnest(pgperf.histogram_quantile(r.histogram, '{0.5, 0.95, 0.99, 0.999}'::float8[])) WITH ORDINALITY AS h (ms, n)
) q
LEFT JOIN LATERAL pgperf_internal.precision_of(COALESCE(r.tps_values, '{}'), (s.spec #>> '{precision,wanted}')::float8,
                                               (s.spec #>> '{precision,fewest}')::integer, (s.spec #>> '{precision,most}')::integer) w ON true;
COMMENT ON VIEW pgperf.sweep_points IS
    'One row for each point of a sweep''s grid: the mean tps of its finished runs with its 95 % interval by Student''s t, all values, the mean of the runs'' average latencies, and the percentiles of their merged latencies';
COMMENT ON COLUMN pgperf.sweep_points.combination IS 'Dimensions other than the number of clients, as ''name=value, ...''; empty: none';
COMMENT ON COLUMN pgperf.sweep_points.n IS 'Number of finished runs';
COMMENT ON COLUMN pgperf.sweep_points.tps_ci_low IS 'Lower end of the 95 % interval of the mean tps, at least 0; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_points.failed_runs IS 'Runs whose last attempt failed or was interrupted; not those that were stopped with their sweep';
COMMENT ON COLUMN pgperf.sweep_points.tps_values IS 'The tps of each finished run, in the order of repetitions, as in run_ids';
COMMENT ON COLUMN pgperf.sweep_points.precision_percent IS 'With until_precise: how far the mean tps may be off, in percent of it: half of its 98 % interval, wider than that of 95 % for the looks in between; NULL: fewer than two runs, or no until_precise';
COMMENT ON COLUMN pgperf.sweep_points.precise IS 'Whether that is as little as until_precise asks for; NULL: no until_precise';
COMMENT ON COLUMN pgperf.sweep_points.settings IS 'The values of settings_grid at this point';
COMMENT ON COLUMN pgperf.sweep_points.caches IS 'cold or warm, as the runs asked for, and in how many of them it was so, if not in all, and why; NULL: they did not ask';

CREATE VIEW pgperf.sweep_metrics AS
SELECT r.node_id, r.sweep_id, r.point_no, r.metric, r.unit, m.n, m.mean, m.ci_low, m.ci_high, r.metric_values, r.run_ids
FROM (
    SELECT u.node_id, u.sweep_id, u.point_no, t.metric, pg_catalog.max(t.unit) AS unit,
           pg_catalog.array_agg(t.value ORDER BY u.repetition) AS metric_values,
           pg_catalog.array_agg(u.run_id ORDER BY u.repetition) AS run_ids
    FROM pgperf.sweep_runs u
    JOIN pgperf.run_metrics t ON t.node_id = u.node_id AND t.run_id = u.run_id
    WHERE u.status = 'finished' AND t.category = 'workload' AND t.value IS NOT NULL
    GROUP BY u.node_id, u.sweep_id, u.point_no, t.metric
) r
CROSS JOIN LATERAL pgperf.mean_interval(r.metric_values) m;
COMMENT ON VIEW pgperf.sweep_metrics IS
    'One row for each point of a sweep''s grid and each metric that its workload defines, such as nopm: the mean over its finished runs with its 95 % interval by Student''s t';
COMMENT ON COLUMN pgperf.sweep_metrics.sweep_id IS 'Number of the sweep';
COMMENT ON COLUMN pgperf.sweep_metrics.point_no IS 'Number of the point (pgperf.sweep_points)';
COMMENT ON COLUMN pgperf.sweep_metrics.metric IS 'Name of the metric';
COMMENT ON COLUMN pgperf.sweep_metrics.unit IS 'Unit of the values';
COMMENT ON COLUMN pgperf.sweep_metrics.n IS 'Number of finished runs that have it';
COMMENT ON COLUMN pgperf.sweep_metrics.mean IS 'Mean over these runs';
COMMENT ON COLUMN pgperf.sweep_metrics.ci_low IS 'Lower end of the 95 % interval of that mean; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_metrics.ci_high IS 'Upper end of that interval; NULL: one run gives no interval';
COMMENT ON COLUMN pgperf.sweep_metrics.metric_values IS 'The value of each run, in the order of repetitions, as in run_ids';
COMMENT ON COLUMN pgperf.sweep_metrics.run_ids IS 'The runs, in the order of repetitions';

CREATE FUNCTION pgperf_internal.peak_of(
    clients integer[], tps float8[], margin_percent float8,
    OUT clients integer, OUT as_good_clients integer[], OUT undecided_clients integer[]
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'peak_of_wrapper';
COMMENT ON FUNCTION pgperf_internal.peak_of(integer[], float8[], float8) IS
    'From pairs of clients and tps: the number of clients with the highest mean, the numbers that are as good within a margin, and the undecided ones; used by pgperf.sweep_peak';

CREATE VIEW pgperf.sweep_peak AS
SELECT b.node_id,
       b.sweep_id,
       b.combination,
       b.workload,
       b.scale,
       b.partitions,
       b.fillfactor,
       b.query_mode,
       b.settings,
       b.point_no,
       b.clients,
       b.n,
       b.tps,
       b.tps_ci_low,
       b.tps_ci_high,
       f.as_good_clients,
       NULLIF(pg_catalog.array_remove(c.few, b.clients), '{}') AS untested_clients,
       f.undecided_clients,
       c.margin_percent
FROM (
    SELECT p.node_id, p.sweep_id, p.combination, 5::float8 AS margin_percent,
           pg_catalog.array_agg(p.clients) AS clients,
           pg_catalog.array_agg(v.tps) AS tps,
           pg_catalog.array_agg(DISTINCT p.clients) FILTER (WHERE p.n < 2) AS few
    FROM pgperf.sweep_points p
    LEFT JOIN LATERAL pg_catalog.unnest(p.tps_values) v (tps) ON true
    GROUP BY p.node_id, p.sweep_id, p.combination
) c
CROSS JOIN LATERAL pgperf_internal.peak_of(c.clients, c.tps, c.margin_percent) f
JOIN pgperf.sweep_points b ON b.node_id = c.node_id AND b.sweep_id = c.sweep_id AND b.combination = c.combination AND b.clients = f.clients;
COMMENT ON VIEW pgperf.sweep_peak IS
    'The peak of each combination of a sweep: the highest mean tps, its number of clients, and other numbers of clients that are as good; the function of the same name takes another margin';
COMMENT ON COLUMN pgperf.sweep_peak.as_good_clients IS
    'The numbers of clients whose tps is within margin_percent of the peak''s (an equivalence test at 5 %, corrected by Holm for several tests), including the peak''s own; NULL: one run at the peak is too few';
COMMENT ON COLUMN pgperf.sweep_peak.untested_clients IS 'The numbers of clients that could not be compared: fewer than two runs have finished';
COMMENT ON COLUMN pgperf.sweep_peak.undecided_clients IS
    'The numbers of clients that are neither certainly as good nor significantly worse (t test at 5 %, corrected by Holm): more repetitions decide. Numbers in none of the three lists are worse';
COMMENT ON COLUMN pgperf.sweep_peak.margin_percent IS 'Largest distance from the peak''s tps that counts as equally good';

CREATE FUNCTION pgperf.sweep_peak(
    sweep_id bigint DEFAULT NULL,
    margin_percent float8 DEFAULT 5,
    OUT combination text, OUT settings jsonb, OUT clients integer, OUT n integer,
    OUT tps float8, OUT tps_ci_low float8, OUT tps_ci_high float8,
    OUT as_good_clients integer[], OUT undecided_clients integer[], OUT untested_clients integer[]
) RETURNS SETOF record
    LANGUAGE sql VOLATILE
    BEGIN ATOMIC
    SELECT pgperf.sweep_status($1);
    SELECT p.combination, p.settings, p.clients, p.n, p.tps, p.tps_ci_low, p.tps_ci_high,
           f.as_good_clients, f.undecided_clients, p.untested_clients
    FROM pgperf.sweep_peak p
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_agg(q.clients) AS clients, pg_catalog.array_agg(v.tps) AS tps
        FROM pgperf.sweep_points q
        CROSS JOIN LATERAL pg_catalog.unnest(q.tps_values) v (tps)
        WHERE q.node_id = p.node_id AND q.sweep_id = p.sweep_id AND q.combination = p.combination
    ) c
    CROSS JOIN LATERAL pgperf_internal.peak_of(c.clients, c.tps, COALESCE($2, 5)) f
    WHERE (p.node_id, p.sweep_id) = (SELECT f.node_id, f.found_id FROM pgperf_internal.find_sweep($1) f)
    ORDER BY p.combination;
    END;
COMMENT ON FUNCTION pgperf.sweep_peak(bigint, float8) IS
    'The view pgperf.sweep_peak for one sweep of this node (NULL: the newest) with another margin: the numbers of clients with a tps within margin_percent of the peak''s';

CREATE FUNCTION pgperf.fit_scalability(
    clients float8[], tps float8[],
    OUT lambda float8, OUT sigma float8, OUT kappa float8,
    OUT lambda_error float8, OUT sigma_error float8, OUT kappa_error float8,
    OUT r_squared float8, OUT residual_tps float8,
    OUT peak_clients float8, OUT peak_tps float8, OUT limit_tps float8, OUT reason text
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'fit_scalability_wrapper';
COMMENT ON FUNCTION pgperf.fit_scalability(float8[], float8[]) IS
    'Fits the Universal Scalability Law, tps = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), to pairs of clients and tps by least squares; *_error: standard errors; all NULL except the reason if it cannot be fitted';

CREATE FUNCTION pgperf.sweep_scalability(
    sweep_id bigint DEFAULT NULL,
    OUT combination text, OUT loads integer, OUT n integer,
    OUT lambda float8, OUT sigma float8, OUT kappa float8,
    OUT lambda_error float8, OUT sigma_error float8, OUT kappa_error float8,
    OUT r_squared float8, OUT residual_tps float8,
    OUT peak_clients float8, OUT peak_tps float8, OUT limit_tps float8, OUT reason text
) RETURNS SETOF record
    LANGUAGE sql VOLATILE
    BEGIN ATOMIC
    SELECT pgperf.sweep_status($1);
    SELECT c.combination, c.loads, COALESCE(pg_catalog.cardinality(c.tps), 0), f.*
    FROM (
        SELECT p.combination, pg_catalog.count(DISTINCT p.clients) FILTER (WHERE v.tps IS NOT NULL)::integer AS loads,
               pg_catalog.array_agg(p.clients::float8) FILTER (WHERE v.tps IS NOT NULL) AS clients,
               pg_catalog.array_agg(v.tps) FILTER (WHERE v.tps IS NOT NULL) AS tps
        FROM pgperf.sweep_points p
        LEFT JOIN LATERAL pg_catalog.unnest(p.tps_values) v (tps) ON true
        WHERE (p.node_id, p.sweep_id) = (SELECT f.node_id, f.found_id FROM pgperf_internal.find_sweep($1) f)
        GROUP BY p.combination
    ) c
    CROSS JOIN LATERAL pgperf.fit_scalability(COALESCE(c.clients, '{}'), COALESCE(c.tps, '{}')) f
    ORDER BY c.combination;
    END;
COMMENT ON FUNCTION pgperf.sweep_scalability(bigint) IS
    'The Universal Scalability Law fitted to the runs of each combination of a sweep of this node (NULL: the newest): lambda: tps of one client; sigma: contention; kappa: coherency; their standard errors; the share of the variance explained; the predicted peak, or the limit if there is none. reason: why there is no fit';

REVOKE ALL ON FUNCTION pgperf.sweep_scalability(bigint), pgperf.sweep_peak(bigint, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.sweep_scalability(bigint), pgperf.sweep_peak(bigint, float8) TO pg_monitor;
GRANT SELECT ON pgperf.sweep_points, pgperf.sweep_metrics, pgperf.sweep_peak TO pg_monitor;
