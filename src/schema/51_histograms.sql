-- Histograms as in the run tables: HdrHistogram V2, nanoseconds. All times here are milliseconds.
CREATE FUNCTION pgperf_internal.histogram_merge_add(state internal, histogram bytea) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_add_wrapper';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_add(internal, bytea) IS 'Part of pgperf.histogram_merge: adds a histogram';

CREATE FUNCTION pgperf_internal.histogram_merge_combine(state internal, other internal) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_combine_wrapper';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_combine(internal, internal) IS 'Part of pgperf.histogram_merge: adds the state of another process';

CREATE FUNCTION pgperf_internal.histogram_merge_encode(state internal) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_encode_wrapper';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_encode(internal) IS 'Part of pgperf.histogram_merge: encodes the state, as its result or for another process';

CREATE FUNCTION pgperf_internal.histogram_merge_decode(encoded bytea, state internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_merge_decode_wrapper';
COMMENT ON FUNCTION pgperf_internal.histogram_merge_decode(bytea, internal) IS 'Part of pgperf.histogram_merge: reads the state of another process';

CREATE AGGREGATE pgperf.histogram_merge(histogram bytea) (
    SFUNC = pgperf_internal.histogram_merge_add,
    STYPE = internal,
    SSPACE = 34000,
    COMBINEFUNC = pgperf_internal.histogram_merge_combine,
    SERIALFUNC = pgperf_internal.histogram_merge_encode,
    DESERIALFUNC = pgperf_internal.histogram_merge_decode,
    FINALFUNC = pgperf_internal.histogram_merge_encode,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE pgperf.histogram_merge(bytea) IS
    'The histogram of all latencies of several histograms, for percentiles over several runs (averages of percentiles would be wrong); NULLs are left out';

CREATE FUNCTION pgperf.histogram_quantile(histogram bytea, quantile float8) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantile_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantile(bytea, float8) IS
    'The latency in milliseconds that the share quantile (0 to 1) of a histogram does not exceed; NULL for an empty histogram';

CREATE FUNCTION pgperf.histogram_quantile(histogram bytea, quantiles float8[]) RETURNS float8[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantile_each_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantile(bytea, float8[]) IS 'The same for several quantiles at once';

CREATE FUNCTION pgperf.histogram_buckets(
    histogram bytea, buckets integer DEFAULT NULL,
    OUT from_ms float8, OUT to_ms float8, OUT count bigint, OUT cumulative_percent float8)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 100 AS 'MODULE_PATHNAME', 'histogram_buckets_wrapper';
COMMENT ON FUNCTION pgperf.histogram_buckets(bytea, integer) IS
    'The number of latencies from from_ms up to, but not including, to_ms. NULL: one row for each counter in use; otherwise at most that many rows from the lowest to the highest latency without gaps, wider for longer latencies';

CREATE FUNCTION pgperf.histogram_count(histogram bytea) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_count_wrapper';
COMMENT ON FUNCTION pgperf.histogram_count(bytea) IS 'The number of latencies in a histogram';

CREATE FUNCTION pgperf.histogram_mean(histogram bytea) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_mean_wrapper';
COMMENT ON FUNCTION pgperf.histogram_mean(bytea) IS 'The average latency of a histogram in milliseconds, to within 0.4 %; latency_avg_ms is exact';

CREATE FUNCTION pgperf.histogram_max(histogram bytea) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_max_wrapper';
COMMENT ON FUNCTION pgperf.histogram_max(bytea) IS 'The longest latency of a histogram in milliseconds, at most 0.8 % too high; latency_max_ms is exact';

CREATE FUNCTION pgperf.histogram_compress(histogram bytea) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_compress_wrapper';
COMMENT ON FUNCTION pgperf.histogram_compress(bytea) IS 'A histogram in HdrHistogram''s compressed V2 encoding, as used in its logs; every function here reads both encodings';

-- Times in seconds, latencies in milliseconds: the usual divisor of 1,000,000 from nanoseconds. Without a base time
-- the interval's times are since the epoch.
CREATE FUNCTION pgperf_internal.histogram_lines(node_id uuid, run_id bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT l.line
    FROM pgperf_internal.stored_runs r
    CROSS JOIN LATERAL (
        SELECT h.line, h.line_no AS line_no
        FROM pg_catalog.unnest(ARRAY[
            '#[Logged with pgperf]',
            '#[Histogram log format version 1.3]',
            pg_catalog.format('#[StartTime: %s (seconds since epoch), %s]',
                pg_catalog.round(EXTRACT(epoch FROM r.measured_at), 3),
                pg_catalog.to_char(r.measured_at AT TIME ZONE 'UTC', 'Dy Mon DD HH24:MI:SS "UTC" YYYY')),
            '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"']) WITH ORDINALITY h (line, line_no)
        UNION ALL
        SELECT pg_catalog.concat_ws(',',
                   pg_catalog.round(EXTRACT(epoch FROM i.started_at), 3),
                   pg_catalog.round(i.seconds::numeric, 3),
                   pg_catalog.round(COALESCE(i.latency_max_ms, 0)::numeric, 6),
                   pg_catalog.translate(pg_catalog.encode(pgperf.histogram_compress(i.histogram), 'base64'), E'\n', '')),
               5 + i.interval_no
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id AND i.histogram IS NOT NULL
    ) l
    WHERE r.node_id = $1 AND r.run_id = $2
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf_internal.histogram_lines(uuid, bigint) IS 'Implements pgperf.histogram_log';

CREATE FUNCTION pgperf.histogram_log(run_id bigint) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf_internal.require_run($1);
    SELECT l.line FROM pgperf_internal.find_run($1) f
    CROSS JOIN LATERAL pgperf_internal.histogram_lines(f.node_id, f.found_id) WITH ORDINALITY l (line, line_no)
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf.histogram_log(bigint) IS
    'The latency histograms of a run''s intervals as a log (version 1.3) that HdrHistogram''s tools read';

CREATE FUNCTION pgperf.histogram_log(run text) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT l.line FROM pgperf_internal.find_run($1) f
    CROSS JOIN LATERAL pgperf_internal.histogram_lines(f.node_id, f.found_id) WITH ORDINALITY l (line, line_no)
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf.histogram_log(text) IS 'The same for a run by its number, ''node name/run_id'' or label';

REVOKE ALL ON FUNCTION pgperf_internal.histogram_lines(uuid, bigint), pgperf.histogram_log(bigint), pgperf.histogram_log(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.histogram_lines(uuid, bigint), pgperf.histogram_log(bigint), pgperf.histogram_log(text) TO pg_monitor;
