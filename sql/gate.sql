-- Calls that raise an error if a run is not good enough.
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name)
VALUES ('00000000-0000-0000-0000-0000000000d1', 'ci', 1, 1, 'elsewhere');
CREATE FUNCTION pg_temp.make_run(run_id bigint, tps float8, expect jsonb DEFAULT NULL, status text DEFAULT 'finished') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, scale, spec, stored_status, server_version)
    VALUES (pgperf.local_node(), run_id, 'run', 'nightly <' || run_id || '>', 'tpcb-like', CURRENT_USER, 4, 'prepared', 10,
        jsonb_build_object('duration_s', 20, 'call', jsonb_strip_nulls(jsonb_build_object('expect', expect))), status, '15.18');
    INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures,
        deadlock_failures, retried, retries, skipped, late, warmup_transactions, latency_avg_ms, latency_p95_ms, latency_p99_ms)
    VALUES (pgperf.local_node(), run_id, 20, round(tps * 20), 0, 0, 0, 0, 0, 0, 0, 0, 4000 / tps, 8000 / tps, 9000 / tps);
END $$;
\set first 9000000000000100
SELECT pg_temp.make_run(:first + i, tps) FROM unnest('{1000,1010,990}'::float8[]) WITH ORDINALITY u (tps, i);
SELECT pg_temp.make_run(:first + 11, 1001), pg_temp.make_run(:first + 12, 850);
SELECT pg_temp.make_run(:first + 21, 1000, '{"tps": ">= 900", "failed": "= 0"}'),
       pg_temp.make_run(:first + 22, 1000, '{"tps": ">= 900", "latency_p99_ms": "< 5", "failed": "= 0"}'),
       pg_temp.make_run(:first + 23, 1000, '{"tps": ">= 900"}', 'stopped');
SELECT pgperf.set_baseline('nightly', ARRAY[:first + 1, :first + 2, :first + 3]);

-- A run that is good enough, and one that is not.
SELECT pgperf.gate(:first + 11, 'nightly');
SELECT pgperf.gate(:first + 12, 'nightly');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.gate(:first + 12, 'nightly', max_regression => '20%');
SELECT pgperf.gate(:first + 12, 'nightly', metrics => '{failed}');
SELECT pgperf.gate(:first + 12, 'nightly', metrics => '{nopm}');
SELECT pgperf.gate(:first + 12, 'nightly', metrics => '{}');
SELECT pgperf.gate(:first + 12, 'nightly', metrics => '{NULL}');
SELECT pgperf.gate(:first + 12, 'nightly', metrics => '{tps,tps}');
SELECT pgperf.gate(:first + 12, 'nightly', 'five');
SELECT count(*) FROM pgperf.gate(ARRAY[:first + 1, :first + 2], ARRAY[:first + 2, :first + 3]);
SELECT count(*) FROM pgperf.gate(:first + 1, :first + 2);
SELECT count(*) FROM pgperf.gate('nightly', 'nightly');
SELECT pgperf.gate(ARRAY[:first + 1, :first + 1], ARRAY[:first + 2, :first + 3]);

-- The expectations for a run are checked before anything starts.
CALL pgperf.run('select-only', expect => '{"tpx": "> 5"}');
CALL pgperf.run('select-only', expect => '{"tps": "fast"}');
CALL pgperf.run('select-only', expect => '"fast"');
SELECT pgperf.start_run('select-only', expect => '{"tps": 100}');
SELECT pgperf.require_expectations(:first + 21);
SELECT pgperf.require_expectations(:first + 22);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.require_expectations(:first + 23);
-- Without expectations, nothing can fail.
SELECT pgperf.require_expectations(:first + 12);

-- The same in JUnit's format.
SELECT pgperf.report_junit(:first + 22);
SELECT pgperf.report_junit(:first + 12, 'nightly');
SELECT xpath('count(//testcase)', pgperf.report_junit(:first + 12, 'nightly')::xml);
SELECT pgperf.report_junit(:first + 12, 'nightly', NULL) = pgperf.report_junit(:first + 12, 'nightly') AS same;
SELECT pgperf.report_junit(4711);

-- A baseline keeps its runs.
SELECT pgperf.delete_run(:first + 2);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.drop_baseline('nightly');
SELECT pgperf.delete_run(:first + 2);

SELECT count(pgperf_internal.remove_run(r.node_id, r.run_id)) > 0 AS removed FROM pgperf_internal.stored_runs r WHERE r.run_id BETWEEN :first AND :first + 100;
SELECT count(*) FROM pgperf.baselines;
DELETE FROM pgperf.nodes WHERE name = 'ci';
