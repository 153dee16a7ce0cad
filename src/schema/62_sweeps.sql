CREATE FUNCTION pgperf_internal.find_sweep(sweep_id bigint, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE sql VOLATILE ROWS 1
    BEGIN ATOMIC
    SELECT s.node_id, s.sweep_id
    FROM pgperf_internal.stored_sweeps s
    WHERE $1 IS NULL AND s.origin_node_id IS NULL AND s.node_id = (SELECT pgperf.local_node())
       OR s.sweep_id = $1 AND (s.origin_node_id IS NOT NULL OR s.node_id = (SELECT pgperf.local_node()))
    ORDER BY s.sweep_id DESC
    LIMIT 1;
    END;
COMMENT ON FUNCTION pgperf_internal.find_sweep(bigint) IS 'The key of a sweep of this node, or of one imported here, from its number here; NULL: the newest of this node';
REVOKE ALL ON FUNCTION pgperf_internal.find_sweep(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.find_sweep(bigint) TO pg_monitor;

CREATE FUNCTION pgperf.resume_sweep(sweep_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'resume_sweep_wrapper';
COMMENT ON FUNCTION pgperf.resume_sweep(bigint) IS
    'Resumes a sweep (NULL: the newest) that was interrupted or stopped, or whose runs failed: it does the missing runs. False if none is missing, or the sweep is running';

CREATE FUNCTION pgperf.stop_sweep(sweep_id bigint DEFAULT NULL) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'stop_sweep_wrapper';
COMMENT ON FUNCTION pgperf.stop_sweep(bigint) IS
    'Stops a sweep (NULL: the newest) and its current run; an interrupted sweep is no longer resumed automatically. False if it had ended';

CREATE FUNCTION pgperf.delete_sweep(sweep_id bigint, runs boolean DEFAULT false) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'delete_sweep_wrapper';
COMMENT ON FUNCTION pgperf.delete_sweep(bigint, boolean) IS
    'Removes a sweep that has ended; runs: also removes its runs and loads, which otherwise stay. False if no sweep has that sweep_id';

CREATE FUNCTION pgperf_internal.sweep_alive(node_id text, sweep_id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sweep_alive_wrapper';
COMMENT ON FUNCTION pgperf_internal.sweep_alive(text, bigint) IS
    'Whether the worker of a sweep of this installation is alive; used by the view pgperf.sweeps';
REVOKE ALL ON FUNCTION pgperf_internal.sweep_alive(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.sweep_alive(text, bigint) TO pg_monitor;

CREATE FUNCTION pgperf.sweep_status(sweep_id bigint DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sweep_status_wrapper';
COMMENT ON FUNCTION pgperf.sweep_status(bigint) IS 'The status of a sweep (NULL: the newest), as in pgperf.sweeps';

-- Like pgperf_internal.await_run, waits with neither snapshot nor transaction id.
CREATE PROCEDURE pgperf_internal.await_sweep(sweep_id bigint, timeout interval, progress boolean)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_sweep_wrapper';
COMMENT ON PROCEDURE pgperf_internal.await_sweep(bigint, interval, boolean) IS
    'Commits, then waits for the end of a sweep; called by wait_sweep';

CREATE PROCEDURE pgperf.wait_sweep(
    sweep_id bigint DEFAULT NULL,
    timeout interval DEFAULT NULL,
    progress boolean DEFAULT false,
    INOUT status text DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.await_sweep(sweep_id, timeout, progress);
    status := pgperf.sweep_status(sweep_id);
END
$$;
COMMENT ON PROCEDURE pgperf.wait_sweep(bigint, interval, boolean, text) IS
    'Waits for the end of a sweep (NULL: the newest), at most for timeout; progress: one line for each run that has ended, with the time left. Ctrl-C leaves the sweep alone. Returns the status';

-- The planned runs of a sweep, in order.
CREATE VIEW pgperf_internal.sweep_plan AS
SELECT p.node_id, p.sweep_id, p.position, p.point_no, p.repetition, a.attempts, a.tries, a.done
FROM (
    SELECT s.node_id, s.sweep_id, COALESCE(s.resumed_at, s.requested_at) AS begun_at, o.position::integer, o.point_no,
           pg_catalog.row_number() OVER (PARTITION BY s.node_id, s.sweep_id, o.point_no ORDER BY o.position)::integer AS repetition
    FROM pgperf_internal.stored_sweeps s
    CROSS JOIN LATERAL pg_catalog.unnest(s.run_order) WITH ORDINALITY o (point_no, position)
) p
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*)::integer AS attempts,
           pg_catalog.count(*) FILTER (WHERE t.started_at >= p.begun_at)::integer AS tries,
           COALESCE(pg_catalog.bool_or(t.outcome = 'finished' AND t.run_id IS NOT NULL), false) AS done
    FROM pgperf_internal.sweep_attempts t
    WHERE t.node_id = p.node_id AND t.sweep_id = p.sweep_id AND t.position = p.position
) a;
COMMENT ON VIEW pgperf_internal.sweep_plan IS 'The planned runs of each sweep in order: point, repetition, number of attempts, and whether the run is done';
COMMENT ON COLUMN pgperf_internal.sweep_plan.tries IS 'The attempts since the sweep was started or resumed';

CREATE VIEW pgperf.sweep_runs AS
SELECT p.node_id,
       p.sweep_id,
       p.position,
       p.point_no,
       p.repetition,
       p.attempts,
       CASE WHEN p.attempts = 0 THEN 'waiting'
            WHEN a.outcome = 'finished' AND a.run_id IS NULL THEN 'deleted'
            WHEN a.outcome IS NOT NULL THEN a.outcome
            WHEN pgperf_internal.sweep_alive(p.node_id::text, p.sweep_id) THEN 'running'
            ELSE 'interrupted'
       END AS status,
       a.run_id,
       a.load_run_id,
       a.started_at,
       a.ended_at,
       r.transactions,
       r.tps,
       r.latency_avg_ms,
       r.latency_p50_ms,
       r.latency_p95_ms,
       r.latency_p99_ms,
       r.latency_p999_ms,
       r.latency_max_ms,
       r.failed,
       r.retries,
       r.wal_bytes_per_tx,
       r.hit_percent,
       a.sqlstate,
       a.error
FROM pgperf_internal.sweep_plan p
LEFT JOIN LATERAL (
    SELECT t.* FROM pgperf_internal.sweep_attempts t
    WHERE t.node_id = p.node_id AND t.sweep_id = p.sweep_id AND t.position = p.position
    ORDER BY t.outcome = 'finished' AND t.run_id IS NOT NULL DESC NULLS LAST, t.attempt DESC
    LIMIT 1
) a ON true
LEFT JOIN pgperf.run_summary r ON r.node_id = a.node_id AND r.run_id = a.run_id;
COMMENT ON VIEW pgperf.sweep_runs IS
    'One row for each planned run of a sweep, with the figures of its finished attempt, or of its last one; the runs of all attempts are in pgperf.runs (sweep_id, sweep_point, sweep_repetition)';
COMMENT ON COLUMN pgperf.sweep_runs.status IS 'waiting, running, finished, stopped, failed, interrupted; deleted: the run finished and has been deleted since';

CREATE FUNCTION pgperf_internal.precision_of(
    tps float8[], wanted float8, fewest integer, most integer,
    OUT precision_percent float8, OUT precise boolean, OUT missing integer
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'precision_of_wrapper';
COMMENT ON FUNCTION pgperf_internal.precision_of(float8[], float8, integer, integer) IS
    'How well the mean of a point''s runs is known, whether that is as well as wanted (a share), and about how many runs are missing; used by the views of sweeps';

CREATE VIEW pgperf.sweeps AS
SELECT s.node_id,
       s.sweep_id,
       s.label,
       s.role,
       s.status,
       p.points,
       s.repetitions,
       s.runs,
       n.finished,
       n.failed,
       n.attempts,
       c.run_id,
       c.load_run_id,
       n.elapsed_s,
       CASE WHEN s.status IN ('waiting', 'running') THEN
           GREATEST((s.runs - n.finished - n.failed + COALESCE(f.further_runs, 0)) * COALESCE(n.seconds_per_run, p.seconds_per_run) - COALESCE(c.elapsed_s, 0), 0)
       END AS eta_s,
       s.random_seed,
       s.spec,
       s.requested_at,
       s.started_at,
       s.resumed_at,
       s.ended_at,
       s.server_version,
       s.sqlstate,
       s.error,
       f.further_runs,
       s.origin_node_id,
       s.origin_sweep_id,
       s.origin_role,
       s.restart
FROM (
    SELECT t.*, pg_catalog.cardinality(t.run_order) AS runs,
           CASE WHEN w.server_started_at = pg_catalog.pg_postmaster_start_time() THEN w.reason END AS restart,
           CASE WHEN t.stored_status IN ('finished', 'stopped', 'failed') THEN t.stored_status
                WHEN pgperf_internal.sweep_alive(t.node_id::text, t.sweep_id) THEN t.stored_status
                WHEN w.settings IS NOT NULL AND w.server_started_at = pg_catalog.pg_postmaster_start_time() THEN 'needs restart'
                ELSE 'interrupted'
           END AS status
    FROM pgperf_internal.stored_sweeps t
    LEFT JOIN pgperf_internal.sweep_restarts w USING (node_id, sweep_id)
) s
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*)::integer AS points,
           -- The duration from the arguments, until a run shows how long it takes.
           pg_catalog.avg(CASE WHEN q.arguments ->> 'transactions_per_client' IS NULL
                               THEN EXTRACT(epoch FROM COALESCE((q.arguments ->> 'duration')::interval, '60 s')
                                                       + COALESCE((q.arguments ->> 'warmup')::interval, '0 s')) END)::float8 AS seconds_per_run
    FROM pgperf_internal.stored_sweep_points q
    WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
) p
CROSS JOIN LATERAL (
    SELECT pg_catalog.count(*) FILTER (WHERE l.done)::integer AS finished,
           -- No tries left, or the sweep has ended without it.
           pg_catalog.count(*) FILTER (WHERE NOT l.done AND (l.bad > 0 OR s.status = 'failed' AND l.ended > 0)
               AND (l.tries >= (s.spec ->> 'run_tries')::integer OR s.status NOT IN ('waiting', 'running', 'needs restart')))::integer AS failed,
           COALESCE(pg_catalog.sum(l.ended), 0)::integer AS attempts,
           COALESCE(pg_catalog.sum(l.seconds), 0)::float8 AS elapsed_s,
           (pg_catalog.sum(l.finished_s) / NULLIF(pg_catalog.count(*) FILTER (WHERE l.done), 0))::float8 AS seconds_per_run
    FROM (
        SELECT q.done, q.tries,
               pg_catalog.count(a.outcome) AS ended,
               pg_catalog.count(*) FILTER (WHERE a.outcome IN ('failed', 'interrupted')) AS bad,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at)) AS seconds,
               EXTRACT(epoch FROM pg_catalog.sum(a.ended_at - a.started_at) FILTER (WHERE a.outcome = 'finished')) AS finished_s
        FROM pgperf_internal.sweep_plan q
        LEFT JOIN pgperf_internal.sweep_attempts a USING (node_id, sweep_id, position)
        WHERE q.node_id = s.node_id AND q.sweep_id = s.sweep_id
        GROUP BY q.position, q.done, q.tries
    ) l
) n
LEFT JOIN LATERAL (
    SELECT a.run_id, a.load_run_id, EXTRACT(epoch FROM pg_catalog.clock_timestamp() - a.started_at)::float8 AS elapsed_s
    FROM pgperf_internal.sweep_attempts a
    WHERE a.node_id = s.node_id AND a.sweep_id = s.sweep_id AND a.outcome IS NULL AND s.status = 'running'
    ORDER BY a.started_at DESC
    LIMIT 1
) c ON true
LEFT JOIN LATERAL (
    -- What each point is missing beyond its planned runs.
    SELECT pg_catalog.sum(GREATEST(w.missing - v.planned, 0))::integer AS further_runs
    FROM (
        SELECT pg_catalog.array_agg(u.tps) FILTER (WHERE u.status = 'finished') AS tps_values,
               pg_catalog.count(*) FILTER (WHERE u.status <> 'finished') AS planned
        FROM pgperf.sweep_runs u
        WHERE u.node_id = s.node_id AND u.sweep_id = s.sweep_id
        GROUP BY u.point_no
    ) v
    CROSS JOIN LATERAL pgperf_internal.precision_of(COALESCE(v.tps_values, '{}'), (s.spec #>> '{precision,wanted}')::float8,
                                                    (s.spec #>> '{precision,fewest}')::integer, (s.spec #>> '{precision,most}')::integer) w
    WHERE s.status IN ('waiting', 'running') AND s.spec -> 'precision' IS NOT NULL
) f ON true;
COMMENT ON VIEW pgperf.sweeps IS
    'All sweeps and their progress; a sweep that has not ended and whose worker is gone (the worker or the server went down) shows as interrupted, or as needs restart if its next point waits for one';
COMMENT ON COLUMN pgperf.sweeps.runs IS 'Number of planned runs: points times repetitions, and the further ones so far where start_sweep has until_precise';
COMMENT ON COLUMN pgperf.sweeps.failed IS 'Number of these that it could not do';
COMMENT ON COLUMN pgperf.sweeps.run_id IS 'The current run; NULL: loading (load_run_id) or between two runs';
COMMENT ON COLUMN pgperf.sweeps.elapsed_s IS 'Seconds spent on the attempts that have ended';
COMMENT ON COLUMN pgperf.sweeps.eta_s IS 'Seconds until it ends if its runs keep taking as long; NULL: it is not running';
COMMENT ON COLUMN pgperf.sweeps.restart IS 'Why the server has to be restarted: for the next point, or for the settings that the sweep found; NULL: it has not to be';
COMMENT ON COLUMN pgperf.sweeps.further_runs IS 'About how many runs are still to be planned until each point is precise, if runs vary as so far; NULL: it is not running, has no until_precise, or its runs say nothing yet';

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
       w.precise
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
           pg_catalog.max(u.error) AS error
    FROM pgperf.sweep_runs u
    JOIN pgperf_internal.stored_sweeps s USING (node_id, sweep_id)
    LEFT JOIN pgperf_internal.run_totals t ON t.node_id = u.node_id AND t.run_id = u.run_id
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

CREATE FUNCTION pgperf.find_best(
    settings_grid jsonb DEFAULT NULL,
    metric text DEFAULT 'tps',
    margin text DEFAULT '1%',
    workload text DEFAULT NULL,
    clients integer[] DEFAULT '{1}',
    repetitions integer DEFAULT 10,
    duration interval DEFAULT NULL,
    script text DEFAULT NULL,
    label text DEFAULT NULL,
    sweep_options jsonb DEFAULT NULL
) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'find_best_wrapper';
COMMENT ON FUNCTION pgperf.find_best IS
    'Starts a sweep that searches the best point of a grid when the transaction commits, and returns its sweep_id: all points run in rounds, at most repetitions of them, and those significantly worse than the leader leave. metric: of pgperf.run_summary or pgperf.run_metrics; margin: who is worse by no more is as good; sweep_options: further arguments of start_sweep, by name. See pgperf.sweep_race';

CREATE FUNCTION pgperf.sweep_race(
    sweep_id bigint DEFAULT NULL,
    OUT point_no integer, OUT combination text, OUT clients integer, OUT runs integer, OUT mean float8,
    OUT change_percent float8, OUT worst_percent float8, OUT left_after integer, OUT verdict text
) RETURNS SETOF record
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_race_wrapper';
COMMENT ON FUNCTION pgperf.sweep_race(bigint) IS
    'How a search of find_best stands (NULL: the newest sweep of this node), the best first: each point''s runs, their mean, the difference from the leader over the rounds that both ran and the worst that it may be, the round after which it left, and a verdict; for the sweep''s role and members of pg_monitor. Other sweeps have no rows';

CREATE FUNCTION pgperf.sweep_report(sweep_id bigint DEFAULT NULL) RETURNS SETOF text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_report_wrapper';
COMMENT ON FUNCTION pgperf.sweep_report(bigint) IS
    'A sweep''s results as text; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';

CREATE FUNCTION pgperf.sweep_markdown(sweep_id bigint DEFAULT NULL) RETURNS text
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sweep_markdown_wrapper';
COMMENT ON FUNCTION pgperf.sweep_markdown(bigint) IS
    'A sweep''s results as Markdown, for a pull request; NULL: the newest of this node; for the sweep''s role and members of pg_monitor';

REVOKE ALL ON FUNCTION pgperf.start_sweep, pgperf.find_best, pgperf.resume_sweep(bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION pgperf.sweep_scalability(bigint), pgperf.sweep_peak(bigint, float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf.sweep_scalability(bigint), pgperf.sweep_peak(bigint, float8) TO pg_monitor;
GRANT SELECT ON pgperf.sweeps, pgperf_internal.sweep_plan, pgperf.sweep_runs, pgperf.sweep_points, pgperf.sweep_metrics, pgperf.sweep_peak TO pg_monitor;
