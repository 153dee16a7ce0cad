-- Several sweeps side by side: made-up sweeps of three servers, as if they were imported.
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
CREATE ROLE regress_pgperf_runner;
CREATE ROLE regress_pgperf_stranger;
INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name, host)
SELECT ('00000000-0000-0000-0000-0000000000d' || i)::uuid, 'db' || i || ':5432/bench', 100 + i, 0, 'bench', 'db' || i FROM generate_series(1, 3) i;
CREATE FUNCTION pg_temp.make_sweep(number int, label text, version text, factor float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    node uuid := (SELECT n.node_id FROM pgperf.nodes n WHERE n.name = 'db' || number || ':5432/bench');
    sweep bigint := 880000 + number;
BEGIN
    INSERT INTO pgperf_internal.stored_sweeps (node_id, sweep_id, label, role, repetitions, random_seed, run_order, spec, stored_status,
        requested_at, started_at, ended_at, server_version, origin_node_id, origin_sweep_id, origin_role)
    VALUES (node, sweep, label, 'regress_pgperf_runner', 3, number, '{1,2,3,1,2,3,1,2,3}', jsonb_build_object('run_tries', 1, 'run_order', 'random', 'init', 'never',
            'checkpoint', false, 'call', jsonb_build_object('workload', 'select-only', 'clients', '[1, 2, 4]'::jsonb, 'repetitions', 3, 'duration', '10 s', 'label', label)),
        'finished', '2026-01-01 12:00+00', '2026-01-01 12:00+00', '2026-01-01 12:30+00', version, node, 7, 'postgres');
    INSERT INTO pgperf_internal.stored_sweep_points (node_id, sweep_id, point_no, workload, clients, query_mode, settings, combination, arguments)
    SELECT node, sweep, n, 'select-only', clients, 'prepared', '{}', '', '{}' FROM unnest('{1,2,4}'::int[]) WITH ORDINALITY u (clients, n);
    CREATE TEMP TABLE made_up AS
    SELECT 880000 + 100 * number + row_number() OVER () AS run_id, p.n AS point_no, (r.i - 1) * 3 + p.n AS position, r.i AS repetition, r.tps * factor AS tps
    FROM (VALUES (1, '{1000,1010,990}'::float8[]), (2, '{2000,2020,1980}'), (3, '{1900,1910,1890}')) p (n, rates), unnest(p.rates) WITH ORDINALITY r (tps, i);
    INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status, requested_at, started_at, measured_at, ended_at, server_version, origin_node_id, origin_run_id)
    SELECT node, run_id, 'run', label || ': ' || point_no, 'select-only', 'regress_pgperf_runner', 1, 'prepared', '{"duration_s": 10}', 'finished', m, m, m, m + '10 s', version, node, run_id FROM made_up, (SELECT timestamptz '2026-01-01 12:00+00') t(m);
    INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures, deadlock_failures, retried, retries, skipped, late, warmup_transactions)
    SELECT node, run_id, 10, round(tps * 10), 0, 0, 0, 0, 0, 0, 0, 0 FROM made_up;
    INSERT INTO pgperf_internal.sweep_attempts (node_id, sweep_id, position, attempt, point_no, repetition, run_id, started_at, ended_at, outcome)
    SELECT node, sweep, position, 1, point_no, repetition, run_id, '2026-01-01 12:00+00', '2026-01-01 12:01+00', 'finished' FROM made_up;
    DROP TABLE made_up;
END $$;
SELECT pg_temp.make_sweep(1, 'versions', '15.14', 1), pg_temp.make_sweep(2, 'versions', '17.6', 1.1), pg_temp.make_sweep(3, 'versions', '9.6', 1.002);

SELECT pgperf.sweep_report(ARRAY[880001, 880002, 880003]);
-- A label stands for the sweeps of all nodes that have it, the oldest version first.
SELECT line FROM pgperf.sweep_report('versions') line WHERE line ~ '^  [0-9]+[.][0-9]+$';
SELECT count(*) = 1 FROM pgperf.sweep_report('versions') line WHERE line ~ 'side by side';
SELECT regexp_split_to_table(pgperf.sweep_markdown('{db1:5432/bench/7,db2:5432/bench/7}'::text[]), E'\n');
SELECT page ~ '<h1>3 sweeps side by side</h1>', page ~ '17[.]6', page ~ 'db2', page ~ '2026-01-01 12:00 to 2026-01-01 12:30', page ~ 'start_sweep', page ~ '<svg'
  FROM pgperf.sweep_html('versions') page;
-- For programs.
SELECT s ->> 'name', s ->> 'node', s ->> 'server_version', s ->> 'status', s ->> 'began', jsonb_array_length(s -> 'points'), s #> '{peaks,0,clients}', s ->> 'call'
  FROM jsonb_array_elements(pgperf.sweep_json('versions') -> 'sweeps') s;
SELECT p ->> 'workload', s ->> 'name', s -> 'point_nos', s -> 'peak_tps', round((s ->> 'change_percent')::numeric, 2), (s ->> 'p_adjusted')::float8 < 0.05
  FROM jsonb_array_elements(pgperf.sweep_json(ARRAY[880001, 880002, 880003]) -> 'panels') p, jsonb_array_elements(p -> 'sides') s;
SELECT jsonb_array_length(pgperf.sweep_json(880002) -> 'sweeps'), pgperf.sweep_json(ARRAY['880003']) #>> '{sweeps,0,sweep_id}';
-- One of them is reported alone.
SELECT line FROM pgperf.sweep_report('db2:5432/bench/7') line WHERE line ~ '^sweep|peak: 2,200';
SELECT line FROM pgperf.sweep_report(ARRAY['880003']) line WHERE line ~ '^sweep';
SELECT count(*) > 3 FROM regexp_split_to_table(pgperf.sweep_markdown('880001'), E'\n') line;
SELECT pgperf.sweep_html(ARRAY[880001]) ~ '<h1>versions';

-- Two, point by point.
SELECT workload, combination, clients, baseline_tps, candidate_tps, round(change_percent::numeric, 2) AS change, ci_low_percent < change_percent AND change_percent < ci_high_percent AS inside,
       p_value <= p_adjusted AS p, n_baseline, n_candidate, verdict
FROM pgperf.compare_sweeps(880001, 880002);
SELECT clients, verdict FROM pgperf.compare_sweeps('db1:5432/bench/7', '880003');
DELETE FROM pgperf_internal.sweep_attempts WHERE sweep_id = 880003 AND (point_no = 1 OR point_no = 2 AND repetition > 1);
DELETE FROM pgperf_internal.stored_sweep_points WHERE sweep_id = 880003 AND point_no = 3;
SELECT clients, n_baseline, n_candidate, p_value, verdict FROM pgperf.compare_sweeps(880001, 880003);

-- Each workload has a panel with its own points.
UPDATE pgperf_internal.stored_sweep_points SET workload = 'simple-update' WHERE sweep_id IN (880001, 880002) AND point_no = 3;
SELECT p ->> 'workload', s ->> 'name', s -> 'point_nos'
  FROM jsonb_array_elements(pgperf.sweep_json(ARRAY[880001, 880002]) -> 'panels') p, jsonb_array_elements(p -> 'sides') s;

-- What names no sweep.
SELECT pgperf.sweep_report('{}'::bigint[]);
SELECT pgperf.sweep_report(NULL::text[]);
SELECT pgperf.sweep_report(ARRAY[880001, 880001]);
SELECT pgperf.sweep_report('nothing of that name');
SELECT pgperf.sweep_html('db1:5432/bench/8');
SELECT pgperf.sweep_markdown('4711');
SELECT pgperf.sweep_report(ARRAY[880001, 4711]);
SELECT * FROM pgperf.compare_sweeps('versions', '880001');
\set VERBOSITY terse
SET ROLE regress_pgperf_stranger;
SELECT pgperf.sweep_report('versions');
SELECT pgperf.sweep_report(ARRAY[880001, 880002]);
SELECT * FROM pgperf.compare_sweeps(880001, 880002);
SELECT pgperf.sweep_json('versions');
SET ROLE regress_pgperf_runner;
SELECT count(*) > 10 FROM pgperf.sweep_report('versions');
RESET ROLE;
-- A label stands for what one may see.
UPDATE pgperf_internal.stored_sweeps SET role = 'regress_pgperf_stranger' WHERE sweep_id = 880002;
SET ROLE regress_pgperf_stranger;
SELECT line FROM pgperf.sweep_report('versions') line WHERE line ~ '^sweep';
RESET ROLE;

-- A sweep of another node that no document brought, but a dump or pg_upgrade, is found by its number; it cannot go on here.
UPDATE pgperf_internal.stored_sweeps SET origin_node_id = NULL, origin_sweep_id = NULL, origin_role = NULL, stored_status = 'running' WHERE sweep_id = 880002;
SELECT line FROM pgperf.sweep_report(880002) line WHERE line ~ '^sweep';
SELECT clients FROM pgperf.sweep_peak(880002);
SELECT pgperf.export_sweep(880002) ->> 'format' AS format, pgperf.stop_sweep(880002) AS stopped;
\set VERBOSITY default
SELECT pgperf.resume_sweep(880002);

SELECT pgperf.delete_sweep(880000 + i, runs => true) FROM generate_series(1, 3) i;
DELETE FROM pgperf_internal.run_totals WHERE run_id / 10000 = 88;
DELETE FROM pgperf_internal.stored_runs WHERE run_id / 10000 = 88;
DELETE FROM pgperf.nodes WHERE name LIKE 'db_:5432/bench';
DROP ROLE regress_pgperf_runner, regress_pgperf_stranger;
