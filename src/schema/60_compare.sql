-- Named runs with which later runs are compared.
CREATE TABLE pgperf.baselines (
    name       text NOT NULL,
    run_no     integer NOT NULL,
    node_id    uuid NOT NULL,
    run_id     bigint NOT NULL,
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (name, run_no)
);
COMMENT ON TABLE pgperf.baselines IS 'Named baselines: the runs for which a name stands in compare and gate; written by set_baseline';
SELECT pg_catalog.pg_extension_config_dump('pgperf.baselines', '');
GRANT SELECT ON pgperf.baselines TO pg_monitor;

CREATE TYPE pgperf.comparison AS (
    category        text,
    object          text,
    metric          text,
    unit            text,
    direction       text,
    baseline        float8,
    candidate       float8,
    change_percent  float8,
    ci_low_percent  float8,
    ci_high_percent float8,
    p_value         float8,
    n_baseline      integer,
    n_candidate     integer,
    verdict         text,
    p_adjusted      float8,
    method          text,
    baseline_text   text,
    candidate_text  text
);
COMMENT ON TYPE pgperf.comparison IS 'Result of compare: a metric on both sides, or a setting or circumstance that differs';
COMMENT ON COLUMN pgperf.comparison.object IS 'Object of the metric: a statement by script and place, a relation, a part; NULL: the run as a whole';
COMMENT ON COLUMN pgperf.comparison.direction IS 'The better direction: higher, lower; NULL: neither by itself';
COMMENT ON COLUMN pgperf.comparison.change_percent IS 'Change in percent of the baseline; with pairs, the mean over the pairs';
COMMENT ON COLUMN pgperf.comparison.ci_low_percent IS 'Lower end of the change''s 95 % interval; NULL: no interval can be computed, for example because the values are the same in all runs';
COMMENT ON COLUMN pgperf.comparison.p_value IS 'Probability of such a change by chance alone, uncorrected';
COMMENT ON COLUMN pgperf.comparison.n_baseline IS 'Number of runs or, depending on method, of intervals or pairs';
COMMENT ON COLUMN pgperf.comparison.verdict IS 'better, worse, differs (neither is better), no significant difference, single observation, or not comparable, with the reason';
COMMENT ON COLUMN pgperf.comparison.p_adjusted IS 'p_value corrected for the number of metrics tested; it decides the verdict: the change is significant below 0.05';
COMMENT ON COLUMN pgperf.comparison.baseline_text IS 'Value of a setting or environment fact';

-- Executable by everybody, as pgperf.report: each checks that the caller may see the runs.
CREATE FUNCTION pgperf_internal.compare_runs(baseline text[], candidate text[], pair_by text) RETURNS SETOF pgperf.comparison
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_runs_wrapper';
COMMENT ON FUNCTION pgperf_internal.compare_runs(text[], text[], text) IS
    'Implements pgperf.compare; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf_internal.compare_lines(baseline text[], candidate text[], pair_by text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_lines_wrapper';
COMMENT ON FUNCTION pgperf_internal.compare_lines(text[], text[], text) IS
    'Implements pgperf.compare_report; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf_internal.run_names(runs bigint[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY(SELECT '#' || u.run FROM pg_catalog.unnest(runs) WITH ORDINALITY AS u (run, n) ORDER BY u.n);
END;
COMMENT ON FUNCTION pgperf_internal.run_names(bigint[]) IS 'Runs of this node as compare_runs names them';

CREATE FUNCTION pgperf.compare(baseline bigint, candidate bigint) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.compare_runs(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL);
END;
COMMENT ON FUNCTION pgperf.compare(bigint, bigint) IS
    'Differences between two runs of this node (NULL: the newest): settings and environment first, then each metric with its change, 95 % interval and verdict. Noise is estimated from the intervals of each run';

CREATE FUNCTION pgperf.compare(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.compare_runs(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(bigint[], bigint[], text) IS
    'The same for repeated runs, with noise estimated from their spread. pair_by: node, label or repetition, for runs that belong together in pairs';

CREATE FUNCTION pgperf.compare(baseline text, candidate text) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.compare_runs(ARRAY[baseline], ARRAY[candidate], NULL);
END;
COMMENT ON FUNCTION pgperf.compare(text, text) IS
    'The same for runs named by label, which stands for the newest run that has it and the repetitions of that, ''node name/run_id'', run_id, or the name of a baseline';

-- Not a default of the function above, which version 1.0 had. Without any, names of an unknown type could be arrays as well.
CREATE FUNCTION pgperf.compare(baseline text, candidate text, pair_by text) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.compare_runs(ARRAY[baseline], ARRAY[candidate], pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(text, text, text) IS 'The same for the repetitions of two labels, or two baselines, that belong together in pairs';

CREATE FUNCTION pgperf.compare(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS SETOF pgperf.comparison
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.compare_runs(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare(text[], text[], text) IS
    'The same for repeated runs of any node, each named by label, ''node name/run_id'' or run_id';

CREATE FUNCTION pgperf.compare_report(baseline bigint, candidate bigint) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.compare_lines(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL);
END;
COMMENT ON FUNCTION pgperf.compare_report(bigint, bigint) IS 'pgperf.compare as text: the answer, other differences, the summary, and the details that differ';

CREATE FUNCTION pgperf.compare_report(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.compare_lines(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(bigint[], bigint[], text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.compare_report(baseline text, candidate text) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.compare_lines(ARRAY[baseline], ARRAY[candidate], NULL);
END;
COMMENT ON FUNCTION pgperf.compare_report(text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.compare_report(baseline text, candidate text, pair_by text) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.compare_lines(ARRAY[baseline], ARRAY[candidate], pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(text, text, text) IS 'The same for repetitions or baselines in pairs';

CREATE FUNCTION pgperf.compare_report(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.compare_lines(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
END;
COMMENT ON FUNCTION pgperf.compare_report(text[], text[], text) IS 'The same for repeated runs by name';

-- Executable by everybody, as the others.
CREATE FUNCTION pgperf_internal.compare_comment(baseline text[], candidate text[], pair_by text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'compare_comment_wrapper';
COMMENT ON FUNCTION pgperf_internal.compare_comment(text[], text[], text) IS
    'Implements pgperf.compare_markdown; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.compare_markdown(baseline bigint, candidate bigint) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_comment(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL);
COMMENT ON FUNCTION pgperf.compare_markdown(bigint, bigint) IS 'pgperf.compare_report as Markdown, for a pull request';

CREATE FUNCTION pgperf.compare_markdown(baseline bigint[], candidate bigint[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_comment(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by);
COMMENT ON FUNCTION pgperf.compare_markdown(bigint[], bigint[], text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.compare_markdown(baseline text, candidate text, pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_comment(ARRAY[baseline], ARRAY[candidate], pair_by);
COMMENT ON FUNCTION pgperf.compare_markdown(text, text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.compare_markdown(baseline text[], candidate text[], pair_by text DEFAULT NULL) RETURNS text
    LANGUAGE sql
    RETURN pgperf_internal.compare_comment(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by);
COMMENT ON FUNCTION pgperf.compare_markdown(text[], text[], text) IS 'The same for repeated runs by name';

CREATE FUNCTION pgperf_internal.version_rows(baseline text[], candidate text[], pair_by text, style text, relation text) RETURNS SETOF text
    LANGUAGE c AS 'MODULE_PATHNAME', 'version_rows_wrapper';
COMMENT ON FUNCTION pgperf_internal.version_rows(text[], text[], text, text, text) IS
    'Implements pgperf.version_table; runs are named as there, or as #run_id';

CREATE FUNCTION pgperf.version_table(baseline bigint, candidate bigint, style text DEFAULT 'text', relation text DEFAULT NULL) RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.version_rows(pgperf_internal.run_names(ARRAY[baseline]), pgperf_internal.run_names(ARRAY[candidate]), NULL, style, relation);
END;
COMMENT ON FUNCTION pgperf.version_table(bigint, bigint, text, text) IS
    'A comparison of two server versions, from two runs of this node (NULL: the newest): mean statement time, growth, WAL, hit ratio, live tuples, autovacuums, sizes of tables and indexes; live tuples, autovacuums and sizes of the table relation; for each statement, its mean latency, and the changes of the mean and the standard deviation. style: text or markdown';

CREATE FUNCTION pgperf.version_table(baseline bigint[], candidate bigint[], style text DEFAULT 'text', pair_by text DEFAULT NULL, relation text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.version_rows(pgperf_internal.run_names(baseline), pgperf_internal.run_names(candidate), pair_by, style, relation);
END;
COMMENT ON FUNCTION pgperf.version_table(bigint[], bigint[], text, text, text) IS 'The same for repeated runs';

CREATE FUNCTION pgperf.version_table(baseline text, candidate text, style text DEFAULT 'text', pair_by text DEFAULT NULL, relation text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.version_rows(ARRAY[baseline], ARRAY[candidate], pair_by, style, relation);
END;
COMMENT ON FUNCTION pgperf.version_table(text, text, text, text, text) IS 'The same for runs or baselines by name';

CREATE FUNCTION pgperf.version_table(baseline text[], candidate text[], style text DEFAULT 'text', pair_by text DEFAULT NULL, relation text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE sql
BEGIN ATOMIC
    SELECT pgperf_internal.version_rows(COALESCE(baseline, '{}'), COALESCE(candidate, '{}'), pair_by, style, relation);
END;
COMMENT ON FUNCTION pgperf.version_table(text[], text[], text, text, text) IS 'The same for repeated runs of any node by name';

CREATE TYPE pgperf.steadiness AS (
    steady        boolean,
    from_interval integer,
    warmup_s      float8,
    tps_before    float8,
    tps           float8,
    advice        text
);
COMMENT ON TYPE pgperf.steadiness IS 'Result of steady_state';
COMMENT ON COLUMN pgperf.steadiness.steady IS 'Whether the rate became steady; NULL: too few intervals to decide';
COMMENT ON COLUMN pgperf.steadiness.warmup_s IS 'Seconds until the rate became steady; tps_before is the rate until then, tps the rate from then on';

CREATE FUNCTION pgperf_internal.steady_state_of(run text) RETURNS SETOF pgperf.steadiness
    LANGUAGE c AS 'MODULE_PATHNAME', 'steady_state_of_wrapper';
COMMENT ON FUNCTION pgperf_internal.steady_state_of(text) IS 'Implements pgperf.steady_state; the run is named as in pgperf.compare, or as #run_id';

CREATE FUNCTION pgperf.steady_state(run_id bigint DEFAULT NULL) RETURNS SETOF pgperf.steadiness
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.steady_state_of('#' || run_id);
END;
COMMENT ON FUNCTION pgperf.steady_state(bigint) IS
    'Estimates the interval from which the rate of a run (NULL: the newest) is steady, and the warm-up that would have excluded the intervals before (MSER-5)';

CREATE FUNCTION pgperf.steady_state(run text) RETURNS SETOF pgperf.steadiness
    LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM pgperf_internal.steady_state_of(run);
END;
COMMENT ON FUNCTION pgperf.steady_state(text) IS 'The same for a run by name';

-- Whole cycles only: from the start of one checkpoint to the start of the next.
CREATE VIEW pgperf.run_checkpoint_cycle AS
SELECT p.node_id,
       p.run_id,
       p.tenth,
       pg_catalog.count(DISTINCT p.cycle) AS cycles,
       pg_catalog.count(*) AS intervals,
       pg_catalog.sum(p.seconds) AS seconds,
       pg_catalog.sum(p.transactions) / NULLIF(pg_catalog.sum(p.seconds), 0) AS tps,
       pg_catalog.sum(p.transactions * p.latency_avg_ms) / NULLIF(pg_catalog.sum(p.transactions), 0)::float8 AS latency_avg_ms,
       pgperf.histogram_quantile(pgperf.histogram_merge(p.histogram), 0.99) AS latency_p99_ms,
       pg_catalog.sum(p.wal_bytes) / NULLIF(pg_catalog.sum(p.transactions), 0) AS wal_bytes_per_tx,
       100.0::float8 * COALESCE(pg_catalog.sum(p.seconds) FILTER (WHERE p.in_checkpoint), 0)
           / NULLIF(pg_catalog.sum(p.seconds), 0) AS in_checkpoint_percent
FROM (
    SELECT c.*,
           1 + LEAST(9, pg_catalog.floor(10 * c.since_s / NULLIF(c.length_s, 0)))::integer AS tenth
    FROM (
        SELECT n.*,
               pg_catalog.sum(n.seconds) OVER cycle AS length_s,
               pg_catalog.sum(n.seconds) OVER (cycle ORDER BY n.interval_no) - n.seconds AS since_s,
               pg_catalog.max(n.cycle) OVER (PARTITION BY n.node_id, n.run_id) AS last_cycle
        FROM (
            SELECT b.*,
                   pg_catalog.count(*) FILTER (WHERE b.begins)
                       OVER (PARTITION BY b.node_id, b.run_id ORDER BY b.interval_no) AS cycle
            FROM (
                SELECT i.node_id, i.run_id, i.interval_no, i.seconds, i.transactions, i.latency_avg_ms, i.histogram,
                       i.wal_bytes, i.in_checkpoint,
                       -- Runs of 1.0 recorded only whether one was being written.
                       COALESCE(i.checkpoint_began, i.in_checkpoint
                           AND pg_catalog.lag(i.in_checkpoint) OVER (PARTITION BY i.node_id, i.run_id ORDER BY i.interval_no)
                           IS FALSE) AS begins
                FROM pgperf.run_intervals i
            ) b
        ) n
        WINDOW cycle AS (PARTITION BY n.node_id, n.run_id, n.cycle)
    ) c
    WHERE c.cycle > 0 AND c.cycle < c.last_cycle
) p
GROUP BY p.node_id, p.run_id, p.tenth;
COMMENT ON VIEW pgperf.run_checkpoint_cycle IS
    'A run''s averages by position in the checkpoint cycle, in tenths from the start of a checkpoint to the start of the next, over all whole cycles';
COMMENT ON COLUMN pgperf.run_checkpoint_cycle.latency_p99_ms IS '99th percentile of the latency in ms, from the merged histograms of the intervals';
GRANT SELECT ON pgperf.run_checkpoint_cycle TO pg_monitor;
