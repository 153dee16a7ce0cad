-- Histograms of known latencies: two of 1 and 2 ms, two of 3 and 4 ms (each the top of its counter).
\set VERBOSITY default
CREATE TABLE known (name text, histogram bytea);
INSERT INTO known VALUES
    ('first', '\x1c84931300000006000000000000000200000000000000080000034630b8a0003ff0000000000000e71502fd0102'),
    ('second', '\x1c84931300000005000000000000000200000000000000080000034630b8a0003ff0000000000000ed18027702'),
    ('none', NULL);
SELECT name, pgperf.histogram_count(histogram), round(pgperf.histogram_mean(histogram)::numeric, 2) AS mean,
       pgperf.histogram_max(histogram), pgperf.histogram_quantile(histogram, 0.5) AS median
FROM known;
SELECT pgperf.histogram_quantile(histogram, ARRAY[0, 0.5, NULL, 1]) AS first FROM known WHERE name = 'first';
SELECT pgperf.histogram_count(m) AS count, pgperf.histogram_quantile(m, ARRAY[0.25, 0.5, 0.75, 1]) AS quantiles
FROM (SELECT pgperf.histogram_merge(histogram) AS m FROM known) q;
SELECT pgperf.histogram_quantiles(array_agg(histogram), ARRAY[0.25, 0.5, 0.75, 1]) AS of_all FROM known;
SELECT pgperf.histogram_merge(histogram) IS NULL AS nothing FROM known WHERE name = 'none';
SELECT name, pgperf.histogram_merge(histogram) = (array_agg(histogram))[1] AS itself FROM known WHERE name <> 'none' GROUP BY name ORDER BY name;
SELECT b.* FROM (SELECT pgperf.histogram_merge(histogram) AS m FROM known) q, pgperf.histogram_buckets(m) b;
SELECT round(from_ms::numeric, 3) AS from_ms, round(to_ms::numeric, 3) AS to_ms, count, cumulative_percent
FROM (SELECT pgperf.histogram_merge(histogram) AS m FROM known) q, pgperf.histogram_buckets(m, 3);
SELECT count(*) FROM pgperf.histogram_buckets(NULL);

-- Compressed and decompressed.
SELECT pgperf.histogram_merge(pgperf.histogram_compress(histogram)) = (array_agg(histogram))[1] AS same FROM known WHERE name = 'first';

-- Bytes that are not a histogram.
SELECT pgperf.histogram_count('');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.histogram_count('no histogram at all');
SELECT pgperf.histogram_merge(substr(histogram, 1, 42)) FROM known;
-- A histogram whose header claims 4 GB.
SELECT pgperf.histogram_max(overlay(histogram PLACING '\xffffffff' FROM 5)) FROM known WHERE name = 'first';
-- Other bounds.
SELECT pgperf.histogram_mean(overlay(histogram PLACING '\x03' FROM 16)) FROM known WHERE name = 'first';
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.histogram_quantile(histogram, 1.5) FROM known;
SELECT * FROM pgperf.histogram_buckets('', 0);
-- The parts of the aggregate must not be called. The server's words for this depend on its minor release.
DO $$
DECLARE
    part text;
BEGIN
    FOREACH part IN ARRAY '{histogram_merge_encode(NULL), "histogram_merge_add(NULL, NULL::bytea)"}'::text[] LOOP
        BEGIN
            EXECUTE 'SELECT pgperf_internal.' || part;
            RAISE 'pgperf_internal.% can be called', part;
        EXCEPTION
            WHEN undefined_function OR feature_not_supported THEN RAISE NOTICE 'refused: %', part;
        END;
    END LOOP;
END $$;

-- A run's log: a line for each interval that has a histogram.
\pset format unaligned
\pset tuples_only on
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, spec, stored_status, measured_at, server_version)
VALUES (pgperf.local_node(), 5001, 'run', 'script', 'nobody', 1, 'simple', '{}', 'finished', '2026-01-01 00:00:00.25+00', '15.20');
INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps, latency_max_ms,
    failed, retried, retries, skipped, late, wal_bytes, shared_blks_hit, shared_blks_read, histogram)
SELECT pgperf.local_node(), 5001, n - 1, '2026-01-01 00:00:00.25+00'::timestamptz + (n - 1) * interval '1 s', 1, 2, 2, 2 * n,
       0, 0, 0, 0, 0, 0, 0, 0, histogram
FROM known, LATERAL (SELECT CASE name WHEN 'first' THEN 1 WHEN 'second' THEN 2 ELSE 3 END) l (n);
SELECT left(pgperf.histogram_log(5001), 90);
SELECT count(*) FROM pgperf.histogram_log(4711);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM pgperf.transaction_log(4711);
SELECT pgperf.histogram_count(decode(split_part(l, ',', 4), 'base64')) FROM pgperf.histogram_log(5001) l WHERE l LIKE '1%';
SELECT count(pgperf_internal.remove_run(r.node_id, r.run_id)) > 0 AS removed FROM pgperf_internal.stored_runs r WHERE r.run_id = 5001;
DROP TABLE known;
