CREATE FUNCTION pgperf_internal.find_sweep(sweep_id bigint, OUT node_id uuid, OUT found_id bigint) RETURNS SETOF record
    LANGUAGE sql VOLATILE ROWS 1
    BEGIN ATOMIC
    SELECT s.node_id, s.sweep_id
    FROM pgperf_internal.stored_sweeps s
    WHERE s.sweep_id = $1
       OR $1 IS NULL AND s.origin_node_id IS NULL AND s.node_id = (SELECT pgperf.local_node())
    ORDER BY s.origin_node_id IS NOT NULL OR s.node_id = (SELECT pgperf.local_node()) DESC, s.sweep_id DESC, s.requested_at DESC
    LIMIT 1;
    END;
COMMENT ON FUNCTION pgperf_internal.find_sweep(bigint) IS
    'The key of a sweep from its number here: of this node''s sweep or an imported one, otherwise of another node''s; NULL: the newest of this node';
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

CREATE PROCEDURE pgperf_internal.await_own_sweep(sweep_id bigint, called text)
    LANGUAGE c AS 'MODULE_PATHNAME', 'await_own_sweep_wrapper';
COMMENT ON PROCEDURE pgperf_internal.await_own_sweep(bigint, text) IS
    'Commits, then waits for the end of a sweep with progress; Ctrl-C stops it; called by calibrate and compare_servers';

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
       CASE WHEN s.status IN ('waiting', 'running') AND COALESCE(n.seconds_per_run, p.seconds_per_run) IS NOT NULL THEN
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

CREATE FUNCTION pgperf_internal.print_sweep_report(sweep_id bigint) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'print_sweep_report_wrapper';
COMMENT ON FUNCTION pgperf_internal.print_sweep_report(bigint) IS 'Sends the report of a sweep as a message; called by CALL pgperf.calibrate';

CREATE PROCEDURE pgperf.calibrate(
    workload text DEFAULT NULL,
    clients integer[] DEFAULT '{1}',
    repetitions integer DEFAULT 5,
    duration interval DEFAULT '10 s',
    round_trips interval[] DEFAULT NULL,
    script text DEFAULT NULL,
    query_mode text DEFAULT NULL,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    INOUT sweep_id bigint DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.calibrate');
    sweep_id := pgperf.start_sweep(workload => workload, clients => clients, repetitions => repetitions, duration => duration, script => script,
        query_mode => query_mode, schema => schema, label => label, transports => '{inside,wire}', round_trips => round_trips);
    CALL pgperf_internal.await_own_sweep(sweep_id, 'pgperf.calibrate');
    PERFORM pgperf_internal.print_sweep_report(sweep_id);
END
$$;
COMMENT ON PROCEDURE pgperf.calibrate IS
    'Measures what client, protocol and network cost: runs a workload in turns inside the server and over the wire, each repetitions times at each number of clients, and prints the report, with the share of the way in the time of each statement (pgperf.sweep_statements). round_trips: with these round trips added to each message, ''{0,1 ms}''. Ctrl-C stops it. Further arguments: start_sweep(transports => ''{inside,wire}'')';

CREATE PROCEDURE pgperf.compare_servers(
    servers text[],
    workload text DEFAULT NULL,
    clients integer[] DEFAULT '{8}',
    scale integer DEFAULT NULL,
    repetitions integer DEFAULT 3,
    duration interval DEFAULT NULL,
    transactions_per_client bigint DEFAULT NULL,
    script text DEFAULT NULL,
    query_mode text DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    before_sql text DEFAULT NULL,
    after_sql text DEFAULT NULL,
    warmup interval DEFAULT NULL,
    init text DEFAULT NULL,
    init_options jsonb DEFAULT NULL,
    checkpoint boolean DEFAULT false,
    schema text DEFAULT NULL,
    label text DEFAULT NULL,
    INOUT sweep_id bigint DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.compare_servers');
    sweep_id := pgperf.start_sweep(servers => servers, workload => workload, clients => clients,
        scales => CASE WHEN scale IS NOT NULL THEN ARRAY[scale] END, init => COALESCE(init, CASE WHEN scale IS NOT NULL THEN 'each' END),
        repetitions => repetitions, duration => duration, transactions_per_client => transactions_per_client, script => script,
        query_mode => query_mode, settings => settings, before_sql => before_sql, after_sql => after_sql, warmup => warmup,
        init_options => init_options, checkpoint => checkpoint, schema => schema, label => label);
    CALL pgperf_internal.await_own_sweep(sweep_id, 'pgperf.compare_servers');
    PERFORM pgperf_internal.print_sweep_report(sweep_id);
END
$$;
COMMENT ON PROCEDURE pgperf.compare_servers IS
    'Compares servers: runs a workload on each of these targets in turns, repetitions times at each number of clients, and prints the report: rates with intervals, and with one number of clients a table of versions for each server beside the first (growth, WAL, hit ratio, autovacuums, sizes, each statement). scale: loads the tables anew before each run (init => ''change'': before the first). Ctrl-C stops it. Further arguments: start_sweep(servers => ...)';

REVOKE ALL ON PROCEDURE pgperf.calibrate, pgperf.compare_servers FROM PUBLIC;
REVOKE ALL ON FUNCTION pgperf.start_sweep, pgperf.find_best, pgperf.resume_sweep(bigint) FROM PUBLIC;
GRANT SELECT ON pgperf.sweeps, pgperf_internal.sweep_plan, pgperf.sweep_runs TO pg_monitor;
