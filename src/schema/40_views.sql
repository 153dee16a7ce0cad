CREATE FUNCTION pgperf.histogram_quantiles(histograms bytea[], quantiles float8[]) RETURNS float8[]
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'histogram_quantiles_wrapper';
COMMENT ON FUNCTION pgperf.histogram_quantiles(bytea[], float8[]) IS
    'Quantiles (0 to 1) in milliseconds of the sum of several HdrHistogram V2 histograms in nanoseconds; NULL elements are left out';

CREATE VIEW pgperf.runs AS
SELECT r.node_id,
       r.run_id,
       r.kind,
       r.label,
       r.workload,
       r.role,
       CASE WHEN r.stored_status IN ('finished', 'stopped', 'failed') THEN r.stored_status
            -- The leader of an imported run never lived here; what has not ended is not exported.
            WHEN r.origin_node_id IS NULL AND h.heard_at IS NULL AND pgperf_internal.leader_alive(r.node_id::text, r.run_id) THEN r.stored_status
            -- That of a source lives there.
            WHEN h.heard_at > pg_catalog.clock_timestamp() - GREATEST(interval '1 minute', 3 * (r.spec ->> 'sample_interval_s')::float8 * interval '1 s')
                THEN r.stored_status
            ELSE 'interrupted'
       END AS status,
       r.clients,
       r.query_mode,
       r.scale,
       r.random_seed,
       r.spec,
       r.requested_at,
       r.started_at,
       r.measured_at,
       r.ended_at,
       r.start_lsn,
       r.end_lsn,
       r.start_full_xid,
       r.end_full_xid,
       r.server_version,
       r.origin_node_id,
       r.origin_run_id,
       r.origin_role,
       r.sqlstate,
       r.error,
       a.sweep_id,
       a.point_no AS sweep_point,
       a.repetition AS sweep_repetition,
       r.resumed_at,
       COALESCE((r.spec ->> 'resume')::boolean, false) AS resume,
       r.history_error,
       COALESCE(r.spec ->> 'server',
                -- As they are written in the call: name@weight, in their order.
                (SELECT pg_catalog.string_agg(pg_catalog.concat(t.target ->> 'server', '@', t.target ->> 'weight'), ', ' ORDER BY t.place)
                 FROM pg_catalog.jsonb_path_query(r.spec, '$.servers[*]') WITH ORDINALITY t (target, place))) AS server,
       h.heard_at
FROM pgperf_internal.stored_runs r
LEFT JOIN pgperf_internal.sweep_attempts a USING (node_id, run_id)
LEFT JOIN LATERAL (
    SELECT GREATEST(r.requested_at, r.started_at, r.measured_at, r.resumed_at,
               (SELECT i.started_at + i.seconds * '1 s'::interval FROM pgperf.run_intervals i
                WHERE i.node_id = r.node_id AND i.run_id = r.run_id ORDER BY i.interval_no DESC LIMIT 1),
               (SELECT max(l.taken_at) FROM pgperf.run_receiver_lag l WHERE l.node_id = r.node_id AND l.run_id = r.run_id)) AS heard_at
    FROM pgperf_internal.sources s
    WHERE s.node_id = r.node_id AND r.stored_status NOT IN ('finished', 'stopped', 'failed')) h ON true;
COMMENT ON VIEW pgperf.runs IS
    'All runs; a run that has not ended and whose leader is gone (the leader or the server went down) shows as interrupted';
COMMENT ON COLUMN pgperf.runs.measured_at IS 'When the measured part began; for a resumed run, in its first segment';
COMMENT ON COLUMN pgperf.runs.resumed_at IS 'When it was last resumed (see pgperf.run_segments); NULL: never';
COMMENT ON COLUMN pgperf.runs.resume IS 'Whether it is resumed after an interruption';
COMMENT ON COLUMN pgperf.runs.server IS 'The target to which its clients connected, a foreign server (pgperf_target); several with their weights: a@3, b@1 (see pgperf.run_servers); NULL: this server';
COMMENT ON COLUMN pgperf.runs.heard_at IS 'Of a run of a source (pgperf.subscribe_history) that has not ended: when it was last heard of; it shows as interrupted a minute or three of its sample intervals later. NULL: any other run';
COMMENT ON COLUMN pgperf.runs.history_error IS 'The part of its history that could not be stored, and why; NULL: nothing is missing';

-- The figures of a segment are those of its intervals. Work after the last interval before an interruption is not counted.
CREATE VIEW pgperf.run_segments AS
SELECT s.node_id,
       s.run_id,
       s.segment_no,
       s.started_at,
       i.ended_at,
       COALESCE(i.seconds, 0) AS seconds,
       COALESCE(i.transactions, 0) AS transactions,
       EXTRACT(epoch FROM s.started_at - COALESCE(b.ended_at, s.previous_started_at))::float8 AS gap_s,
       CASE WHEN s.next_interval_no IS NOT NULL THEN 'interrupted'
            WHEN r.status IN ('finished', 'stopped', 'failed', 'interrupted') THEN r.status
       END AS ended_by,
       CASE WHEN s.next_server_started_at > s.server_started_at THEN 'the server was started again'
            WHEN s.next_interval_no IS NOT NULL THEN 'the leader went away, or all processes after a crash'
            WHEN r.status <> 'finished' AND r.status IN ('stopped', 'failed', 'interrupted') THEN r.error
       END AS reason,
       s.first_interval_no,
       s.server_started_at
FROM (
    SELECT t.*, pg_catalog.lead(t.first_interval_no) OVER w AS next_interval_no,
           pg_catalog.lead(t.server_started_at) OVER w AS next_server_started_at,
           pg_catalog.lag(t.started_at) OVER w AS previous_started_at
    FROM pgperf_internal.stored_segments t
    WINDOW w AS (PARTITION BY t.node_id, t.run_id ORDER BY t.segment_no)
) s
JOIN pgperf.runs r USING (node_id, run_id)
LEFT JOIN LATERAL (
    SELECT pg_catalog.max(n.started_at + n.seconds * '1 s'::interval) AS ended_at,
           pg_catalog.sum(n.seconds) AS seconds,
           pg_catalog.sum(n.transactions)::bigint AS transactions
    FROM pgperf.run_intervals n
    WHERE n.node_id = s.node_id AND n.run_id = s.run_id AND n.interval_no >= s.first_interval_no
      AND (n.interval_no < s.next_interval_no OR s.next_interval_no IS NULL)
) i ON true
LEFT JOIN LATERAL (
    -- The last interval of the segments before.
    SELECT n.started_at + n.seconds * '1 s'::interval AS ended_at
    FROM pgperf.run_intervals n
    WHERE n.node_id = s.node_id AND n.run_id = s.run_id AND s.segment_no > 0 AND n.interval_no = s.first_interval_no - 1
) b ON true;
COMMENT ON VIEW pgperf.run_segments IS
    'One row for each segment of a run with resume => true: interruptions lie between segments, and the figures of the run are the sums over all';
COMMENT ON COLUMN pgperf.run_segments.started_at IS 'When its measured part began, after connecting and a warm-up';
COMMENT ON COLUMN pgperf.run_segments.ended_at IS 'The end of its last stored interval; later work is not counted';
COMMENT ON COLUMN pgperf.run_segments.gap_s IS 'Seconds since the last stored interval of the previous segment; NULL: the first segment';
COMMENT ON COLUMN pgperf.run_segments.ended_by IS 'finished, stopped, failed, interrupted; NULL: it goes on';
COMMENT ON COLUMN pgperf.run_segments.first_interval_no IS 'Its first interval in pgperf.run_intervals, which are numbered over all segments';

-- Totals as the leader wrote them at the end; for a run without totals (it is running, or was interrupted),
-- the sums over its intervals so far. Means and variances are pooled with the transactions as weights,
-- percentiles come from the merged histograms.
CREATE VIEW pgperf.run_summary AS
SELECT r.node_id,
       r.run_id,
       r.kind,
       r.label,
       r.workload,
       r.clients,
       r.status,
       f.transactions,
       f.seconds AS duration_s,
       f.transactions / NULLIF(f.seconds, 0) AS tps,
       f.latency_avg_ms,
       f.latency_stddev_ms,
       f.latency_p50_ms,
       f.latency_p95_ms,
       f.latency_p99_ms,
       f.latency_p999_ms,
       f.latency_max_ms,
       f.failed,
       f.retried,
       f.retries,
       f.skipped,
       f.late,
       f.wal_bytes,
       f.wal_bytes::float8 / NULLIF(f.transactions, 0) AS wal_bytes_per_tx,
       100.0::float8 * f.shared_blks_hit / NULLIF(f.shared_blks_hit + f.shared_blks_read, 0) AS hit_percent,
       r.started_at,
       r.measured_at,
       r.ended_at,
       r.scale,
       r.query_mode,
       f.serialization_failures,
       f.deadlock_failures,
       f.other_failures,
       f.warmup_transactions,
       f.latency_p90_ms,
       f.latency_p9999_ms,
       f.lag_avg_ms,
       f.lag_max_ms,
       f.connect_ms,
       f.reconnects,
       f.reconnect_avg_ms,
       f.rows_returned,
       f.bytes_returned,
       f.wal_records,
       f.wal_fpi,
       f.shared_blks_hit,
       f.shared_blks_read,
       f.shared_blks_dirtied,
       m.database_growth_bytes,
       m.own_history_bytes,
       m.own_wal_bytes,
       m.own_xids,
       t.run_id IS NOT NULL AS has_totals,
       t.parse_ms,
       t.plan_ms,
       t.execute_ms,
       t.commit_ms,
       t.retry_ms,
       t.first_byte_ms,
       t.receive_ms
FROM pgperf.runs r
LEFT JOIN pgperf_internal.run_totals t USING (node_id, run_id)
CROSS JOIN LATERAL (
    SELECT t.seconds, t.transactions, t.failed, t.serialization_failures, t.deadlock_failures, t.other_failures,
           t.retried, t.retries, t.skipped, t.late, t.warmup_transactions,
           t.latency_avg_ms, t.latency_stddev_ms,
           t.latency_p50_ms, t.latency_p90_ms, t.latency_p95_ms, t.latency_p99_ms, t.latency_p999_ms, t.latency_p9999_ms,
           t.latency_max_ms, t.lag_avg_ms, t.lag_max_ms, t.connect_ms, t.reconnects, t.reconnect_avg_ms, t.rows_returned, t.bytes_returned,
           t.wal_bytes, t.wal_records, t.wal_fpi, t.shared_blks_hit, t.shared_blks_read, t.shared_blks_dirtied
    WHERE t.run_id IS NOT NULL
    UNION ALL
    SELECT s.seconds, s.transactions, s.failed, NULL::bigint, NULL::bigint, NULL::bigint,
           s.retried, s.retries, s.skipped, s.late, NULL::bigint,
           s.latency_avg_ms,
           -- Rounding can leave a tiny negative difference where all latencies are equal.
           CASE WHEN s.latency_square_ms2 IS NOT NULL THEN pg_catalog.sqrt(GREATEST(s.latency_square_ms2 - s.latency_avg_ms ^ 2, 0)) END,
           q.ms[1], q.ms[2], q.ms[3], q.ms[4], q.ms[5], q.ms[6],
           s.latency_max_ms, s.lag_avg_ms, s.lag_max_ms, NULL::float8, NULL::bigint, NULL::float8, NULL::bigint, NULL::bigint,
           s.wal_bytes, NULL::bigint, NULL::bigint, s.shared_blks_hit, s.shared_blks_read, NULL::bigint
    FROM (
        SELECT pg_catalog.sum(i.seconds) AS seconds,
               pg_catalog.sum(i.transactions)::bigint AS transactions,
               pg_catalog.sum(i.failed)::bigint AS failed,
               pg_catalog.sum(i.retried)::bigint AS retried,
               pg_catalog.sum(i.retries)::bigint AS retries,
               pg_catalog.sum(i.skipped)::bigint AS skipped,
               pg_catalog.sum(i.late)::bigint AS late,
               pg_catalog.sum(i.transactions * i.latency_avg_ms)
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_avg_ms IS NOT NULL), 0)::float8
                   AS latency_avg_ms,
               pg_catalog.sum(i.transactions * (i.latency_stddev_ms ^ 2 + i.latency_avg_ms ^ 2))
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.latency_stddev_ms IS NOT NULL), 0)::float8
                   AS latency_square_ms2,
               pgperf.histogram_quantiles(pg_catalog.array_agg(i.histogram),
                   '{0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}') AS quantiles_ms,
               pg_catalog.max(i.latency_max_ms) AS latency_max_ms,
               pg_catalog.sum(i.transactions * i.lag_avg_ms)
                   / NULLIF(pg_catalog.sum(i.transactions) FILTER (WHERE i.lag_avg_ms IS NOT NULL), 0)::float8
                   AS lag_avg_ms,
               pg_catalog.max(i.lag_max_ms) AS lag_max_ms,
               pg_catalog.sum(i.wal_bytes)::bigint AS wal_bytes,
               pg_catalog.sum(i.shared_blks_hit)::bigint AS shared_blks_hit,
               pg_catalog.sum(i.shared_blks_read)::bigint AS shared_blks_read
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
    ) s
    CROSS JOIN LATERAL (
        -- A quantile is the upper end of its bucket, which can lie above the true maximum.
        SELECT pg_catalog.array_agg(CASE WHEN u.ms > s.latency_max_ms THEN s.latency_max_ms ELSE u.ms END ORDER BY u.n) AS ms
        FROM pg_catalog.unnest(s.quantiles_ms) WITH ORDINALITY AS u (ms, n)
    ) q
    WHERE t.run_id IS NULL
) f
LEFT JOIN LATERAL (
    SELECT pg_catalog.max(m.value) FILTER (WHERE m.metric = 'database_growth_bytes')::bigint AS database_growth_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_history_bytes')::bigint AS own_history_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_wal_bytes')::bigint AS own_wal_bytes,
           pg_catalog.max(m.value) FILTER (WHERE m.metric = 'pgperf_xids')::bigint AS own_xids
    FROM pgperf.run_metrics m
    WHERE m.node_id = r.node_id AND m.run_id = r.run_id
) m ON true;
COMMENT ON VIEW pgperf.run_summary IS
    'The figures of each run in one row, for running and interrupted runs so far; own_*: the share of pgperf itself, not part of the other figures';

-- The server's round(value, digits) takes only numeric, and figures here are float8. With pgperf in the search_path,
-- round(tps, 2) works; the bigint variant keeps the server from treating large integers as float8, which it would prefer.
CREATE FUNCTION pgperf.round(value float8, digits integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.round($1::pg_catalog.numeric, $2);
COMMENT ON FUNCTION pgperf.round(float8, integer) IS 'A figure rounded to the given number of decimal places';

CREATE FUNCTION pgperf.round(value bigint, digits integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.round($1::pg_catalog.numeric, $2);
COMMENT ON FUNCTION pgperf.round(bigint, integer) IS 'The same for a count';
GRANT EXECUTE ON FUNCTION pgperf.round(float8, integer), pgperf.round(bigint, integer) TO PUBLIC;

CREATE FUNCTION pgperf_internal.require_run(run_id bigint) RETURNS void
    LANGUAGE c STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'require_run_wrapper';
COMMENT ON FUNCTION pgperf_internal.require_run(bigint) IS 'Fails unless a run has that number';
REVOKE ALL ON FUNCTION pgperf_internal.require_run(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.require_run(bigint) TO pg_monitor;

-- pgbench writes seconds and microseconds since 1970; the lag only with a rate, retries only if the run allows them.
CREATE FUNCTION pgperf_internal.transaction_lines(node_id uuid, run_id bigint, failures_detailed boolean) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pg_catalog.concat_ws(' ',
        t.client_id,
        t.transaction_no,
        CASE WHEN t.outcome = 'done' THEN pg_catalog.round((t.latency_ms * 1000)::numeric)::text
             WHEN t.outcome = 'skipped' OR $3 THEN t.outcome
             ELSE 'failed'
        END,
        t.script_no,
        pg_catalog.floor(EXTRACT(epoch FROM t.ended_at)),
        (EXTRACT(microseconds FROM t.ended_at) % 1000000)::bigint,
        CASE WHEN r.spec ->> 'rate' IS NOT NULL THEN pg_catalog.round((COALESCE(t.lag_ms, 0) * 1000)::numeric) END,
        CASE WHEN (r.spec ->> 'max_tries')::bigint <> 1 THEN t.retries END)
    FROM pgperf.run_transactions t
    JOIN pgperf_internal.stored_runs r USING (node_id, run_id)
    WHERE t.node_id = $1 AND t.run_id = $2
    ORDER BY t.ended_at, t.client_id, t.transaction_no;
    END;
COMMENT ON FUNCTION pgperf_internal.transaction_lines(uuid, bigint, boolean) IS 'Implements pgperf.transaction_log';

CREATE FUNCTION pgperf.transaction_log(run_id bigint, failures_detailed boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT pgperf_internal.require_run($1);
    SELECT l.line FROM pgperf_internal.find_run($1) f
    CROSS JOIN LATERAL pgperf_internal.transaction_lines(f.node_id, f.found_id, $2) WITH ORDINALITY l (line, line_no)
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf.transaction_log(bigint, boolean) IS
    'The transaction log of a run as lines in the format of pgbench -l; failures_detailed: failed transactions by kind of failure';

CREATE FUNCTION pgperf.transaction_log(run text, failures_detailed boolean DEFAULT false) RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT l.line FROM pgperf_internal.find_run($1) f
    CROSS JOIN LATERAL pgperf_internal.transaction_lines(f.node_id, f.found_id, $2) WITH ORDINALITY l (line, line_no)
    ORDER BY l.line_no;
    END;
COMMENT ON FUNCTION pgperf.transaction_log(text, boolean) IS 'The same for a run by its number, ''node name/run_id'' or label';

REVOKE ALL ON FUNCTION pgperf_internal.transaction_lines(uuid, bigint, boolean),
    pgperf.transaction_log(bigint, boolean), pgperf.transaction_log(text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgperf_internal.transaction_lines(uuid, bigint, boolean),
    pgperf.transaction_log(bigint, boolean), pgperf.transaction_log(text, boolean) TO pg_monitor;

-- Only runs that are alive here: an ended run has no progress, an imported one ran elsewhere.
CREATE FUNCTION pgperf_internal.rate_at(rate text, seconds float8) RETURNS float8
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'rate_at_wrapper';
COMMENT ON FUNCTION pgperf_internal.rate_at(text, float8) IS
    'The rate of a run, from its spec, at a moment of its measured part; NULL: as fast as they go. Used by the view pgperf.progress';

CREATE FUNCTION pgperf_internal.series_precision(
    tps float8[], wanted float8, OUT precision_percent float8, OUT last_interval integer
) RETURNS SETOF record
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'series_precision_wrapper';
COMMENT ON FUNCTION pgperf_internal.series_precision(float8[], float8) IS
    'How well the mean of a run''s intervals is known, and after about how many of them it is known as well as wanted (a share). Used by the view pgperf.progress';

CREATE VIEW pgperf.progress AS
SELECT p.node_id,
       p.run_id,
       p.label,
       p.workload,
       p.status,
       p.clients,
       p.elapsed_s,
       100 * p.done AS percent,
       -- How long the last transactions take, and receivers to catch up, is not known.
       CASE WHEN p.status = 'draining' THEN NULL WHEN p.ends_s < p.elapsed_s THEN 0 ELSE p.ends_s - p.elapsed_s END AS eta_s,
       p.transactions,
       p.tps,
       p.latency_avg_ms,
       p.latency_stddev_ms,
       p.failed,
       p.lag_avg_ms,
       p.rate,
       p.precision_percent
FROM (
    SELECT r.node_id, r.run_id, r.label, r.workload, r.status, r.clients,
           c.elapsed_s,
           CASE WHEN d.done > 1 THEN 1 ELSE d.done END AS done,
           -- By time: after the duration. By count: at the pace so far.
           COALESCE(c.duration_s, s.seconds / NULLIF(d.done, 0)) AS ends_s,
           s.transactions, l.tps, l.latency_avg_ms, l.latency_stddev_ms, l.failed, l.lag_avg_ms,
           pgperf_internal.rate_at(r.spec ->> 'rate', COALESCE(c.elapsed_s, 0)) AS rate,
           c.precision_percent
    FROM pgperf.runs r
    LEFT JOIN LATERAL (
        SELECT s.started_at, s.first_interval_no FROM pgperf_internal.stored_segments s
        WHERE s.node_id = r.node_id AND s.run_id = r.run_id
        ORDER BY s.segment_no DESC
        LIMIT 1
    ) g ON r.resumed_at IS NOT NULL
    CROSS JOIN LATERAL (
        -- Of a resumed run, seconds_here are those of this segment.
        SELECT pg_catalog.sum(i.transactions)::bigint AS transactions,
               pg_catalog.sum(i.transactions + i.failed + i.skipped)::float8 AS attempts,
               COALESCE(pg_catalog.sum(i.seconds), 0) AS seconds,
               COALESCE(pg_catalog.sum(i.seconds) FILTER (WHERE i.interval_no >= COALESCE(g.first_interval_no, 0)), 0) AS seconds_here
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
    ) s
    -- A run that ends as soon as its mean is known well enough.
    LEFT JOIN LATERAL (
        SELECT v.precision_percent, v.last_interval
        FROM (
            SELECT pg_catalog.array_agg(i.tps ORDER BY i.interval_no) AS tps
            FROM pgperf.run_intervals i
            WHERE i.node_id = r.node_id AND i.run_id = r.run_id AND r.spec ->> 'until_precise' IS NOT NULL
        ) t
        CROSS JOIN LATERAL pgperf_internal.series_precision(t.tps, (r.spec ->> 'until_precise')::float8) v
    ) u ON true
    -- What the intervals have measured; the wall clock, which may be set, tells but what came since.
    CROSS JOIN LATERAL (
        SELECT CASE WHEN r.measured_at IS NOT NULL THEN s.seconds + CASE WHEN g.started_at < r.resumed_at THEN 0 ELSE
                    LEAST(GREATEST(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - COALESCE(g.started_at, r.measured_at))::float8
                                   - s.seconds_here, 0),
                          (r.spec ->> 'sample_interval_s')::float8 + 2) END END AS elapsed_s,
               LEAST((r.spec ->> 'duration_s')::float8, u.last_interval * (r.spec ->> 'sample_interval_s')::float8) AS duration_s,
               u.precision_percent,
               COALESCE((r.spec ->> 'transactions')::float8, r.clients * (r.spec ->> 'transactions_per_client')::float8) AS wanted
    ) c
    LEFT JOIN LATERAL (
        SELECT i.tps, i.latency_avg_ms, i.latency_stddev_ms, i.failed, i.lag_avg_ms, i.done_percent
        FROM pgperf.run_intervals i
        WHERE i.node_id = r.node_id AND i.run_id = r.run_id
        ORDER BY i.interval_no DESC
        LIMIT 1
    ) l ON true
    CROSS JOIN LATERAL (
        SELECT COALESCE(c.elapsed_s / NULLIF(c.duration_s, 0), s.attempts / NULLIF(c.wanted, 0), l.done_percent / 100) AS done
    ) d
    WHERE r.origin_node_id IS NULL
      AND r.status IN ('waiting', 'preparing', 'warming up', 'running', 'draining')
) p;
COMMENT ON VIEW pgperf.progress IS
    'The runs alive now: their progress, the time left, and their last interval (tps, latency, failed, lag), and the rate that they are to have now';
COMMENT ON COLUMN pgperf.progress.precision_percent IS 'How far the mean tps so far may be off; NULL: the run has no until_precise, or fewer than ten intervals';

GRANT SELECT ON pgperf.runs, pgperf.run_segments, pgperf.run_summary, pgperf.progress TO pg_monitor;
