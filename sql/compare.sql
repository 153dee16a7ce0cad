-- Comparisons of made-up runs, so that the truth is known.
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset format unaligned
INSERT INTO pgperf.nodes (node_id, name, system_identifier, database_oid, database_name)
VALUES ('00000000-0000-0000-0000-0000000000c1', 'fast', 1, 1, 'elsewhere'),
       ('00000000-0000-0000-0000-0000000000c2', 'slow', 2, 1, 'elsewhere');
CREATE ROLE regress_pgperf_runner;
CREATE ROLE regress_pgperf_stranger;

-- A finished run with intervals whose rate wanders a little around tps, each a bit like the one before.
CREATE FUNCTION pg_temp.make_run(node text, run_id bigint, label text, tps float8, seconds int DEFAULT 0,
    workload text DEFAULT 'tpcb-like', status text DEFAULT 'finished', version text DEFAULT '15.18') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    id uuid := (SELECT node_id FROM pgperf.nodes n WHERE n.name = node);
BEGIN
    INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, scale, spec,
        stored_status, started_at, measured_at, ended_at, server_version)
    VALUES (id, run_id, 'run', label, workload, 'regress_pgperf_runner', 4, 'prepared', 10,
        jsonb_build_object('duration_s', 20, 'sample_interval_s', CASE WHEN seconds > 0 THEN 1 ELSE 20 END, 'call', '{"duration": "20 s"}'::jsonb), status,
        '2026-01-01 12:00', '2026-01-01 12:00', '2026-01-01 12:00:20', version);
    INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures,
        deadlock_failures, retried, retries, skipped, late, warmup_transactions, latency_avg_ms, latency_p95_ms,
        latency_p99_ms, latency_max_ms, wal_bytes, shared_blks_hit, shared_blks_read)
    VALUES (id, run_id, 20, round(tps * 20), 0, 0, 0, 0, 0, 0, 0, 0, 4000 / tps, 8000 / tps, 9000 / tps, 30,
        round(tps * 20) * 400, 1000, 0);
    INSERT INTO pgperf.run_statements (node_id, run_id, script_no, script, command_no, statement, is_sql, calls,
        failed, latency_avg_ms, wal_bytes)
    VALUES (id, run_id, 1, 's', 1, 'BEGIN;', true, 1000, 0, 100 / tps, 0),
           (id, run_id, 1, 's', 2, 'UPDATE t SET a = 1;', true, 1000, 0, 900 / tps, 400000);
    INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps,
        latency_avg_ms, latency_p95_ms, latency_p99_ms, failed, retried, retries, skipped, late, wal_bytes,
        shared_blks_hit, shared_blks_read, in_checkpoint)
    SELECT id, run_id, i, '2026-01-01 12:00'::timestamptz + i * interval '1 s', 1, t, t, 4000 / t, 8000 / t, 9000 / t,
        0, 0, 0, 0, 0, round(t * 400), 50, 0, i % 20 < 8
    FROM generate_series(1, seconds) i, round(tps * (1 + 0.01 * sin(i * i) + 0.01 * sin(i * i - i))) t;
END $$;

SELECT pg_temp.make_run('fast', i, 'before', tps) FROM unnest('{1000,1010,990,1005,995}'::float8[]) WITH ORDINALITY u (tps, i);
SELECT pg_temp.make_run('fast', 10 + i, 'after', tps * 1.05) FROM unnest('{1002,1012,991,1004,996}'::float8[]) WITH ORDINALITY u (tps, i);
SELECT pg_temp.make_run('slow', 20 + i, 'again', tps) FROM unnest('{1002,1012,991,1004,996}'::float8[]) WITH ORDINALITY u (tps, i);
SELECT pg_temp.make_run('fast', 31, 'single', 1000, 60), pg_temp.make_run('fast', 32, 'equal', 1001, 60),
       pg_temp.make_run('fast', 33, 'slower', 900, 60), pg_temp.make_run('slow', 34, 'elsewhere', 950, 60, version => '17.2'),
       pg_temp.make_run('fast', 35, 'other', 900, 60, 'select-only'), pg_temp.make_run('fast', 36, 'broken', 900, 60, status => 'failed'),
       pg_temp.make_run('fast', 37, 'once', 900, 0, 'simple-update'), pg_temp.make_run('fast', 38, 'once more', 909, 0, 'simple-update');
\set before '''{fast/1,fast/2,fast/3,fast/4,fast/5}''::text[]'
\set after '''{fast/11,fast/12,fast/13,fast/14,fast/15}''::text[]'
\set again '''{slow/21,slow/22,slow/23,slow/24,slow/25}''::text[]'

-- Repeated runs: a difference of five percent is found, and where there is none, none is reported.
SELECT category, object, metric, direction, round(baseline::numeric, 3) AS baseline, round(candidate::numeric, 3) AS candidate,
       round(change_percent::numeric, 2) AS change, ci_low_percent < change_percent AND change_percent < ci_high_percent AS inside,
       n_baseline, n_candidate, verdict, method
FROM pgperf.compare(:before, :after) WHERE metric IN ('tps', 'latency_avg_ms', 'wal_bytes', 'wal_bytes_per_tx', 'failed');
SELECT verdict, count(*) > 10 AS many FROM pgperf.compare(:before, :again) WHERE baseline_text IS NULL GROUP BY verdict;
SELECT p_value < 0.001 AS p, p_adjusted = p_value AS alone FROM pgperf.compare(:before, :after) WHERE metric = 'tps';
SELECT bool_and(p_adjusted >= p_value) FROM pgperf.compare(:before, :after) WHERE p_value IS NOT NULL AND metric NOT IN ('latency_avg_ms', 'transactions');
-- These two are the rate in other words, and have its p.
SELECT count(*), count(DISTINCT p_adjusted), count(DISTINCT verdict) FROM pgperf.compare(:before, :after)
WHERE category = 'summary' AND metric IN ('tps', 'latency_avg_ms', 'transactions');

-- Single runs are compared by their intervals.
SELECT metric, n_baseline, verdict, method FROM pgperf.compare('single', 'slower')
WHERE metric IN ('tps', 'latency_p99_ms', 'latency_max_ms') AND object IS NULL;
SELECT metric, verdict FROM pgperf.compare('single', 'equal') WHERE metric IN ('tps', 'latency_avg_ms', 'latency_p99_ms') AND object IS NULL;
-- Another node and major version: these differences come first.
SELECT row_number() OVER (), category, object, metric, baseline_text, candidate_text, verdict
FROM pgperf.compare('fast/31', 'slow/34') LIMIT 1;
-- One run against five; single runs with peers, on one node and on two; nothing to estimate the noise from.
SELECT verdict, method FROM pgperf.compare(:before, ARRAY['slower']) WHERE metric = 'tps';
SELECT verdict, n_baseline, n_candidate, round(p_value::numeric, 2) AS p, method FROM pgperf.compare('fast/1', 'fast/2') WHERE metric = 'tps';
SELECT verdict, n_baseline, n_candidate, round(p_value::numeric, 2) AS p FROM pgperf.compare('fast/1', 'slow/22') WHERE metric = 'tps';
SELECT verdict, p_value, round(change_percent::numeric, 1) FROM pgperf.compare('once', 'once more') WHERE metric = 'tps';
-- Runs under another setting are not peers.
BEGIN;
INSERT INTO pgperf.run_settings (node_id, run_id, name, setting, unit, source)
SELECT '00000000-0000-0000-0000-0000000000c1'::uuid, run_id, 'work_mem', '8192', 'kB', 'run' FROM unnest('{3,4,11}'::int[]) run_id;
SELECT n_baseline, n_candidate FROM pgperf.compare('fast/1', 'fast/2') WHERE metric = 'tps';
UPDATE pgperf.run_settings SET setting = 16384 WHERE node_id = '00000000-0000-0000-0000-0000000000c1' AND run_id = 4;
SELECT object, metric, baseline_text, candidate_text FROM pgperf.compare('fast/3', 'fast/4') WHERE category = 'settings';
SELECT n_baseline, n_candidate FROM pgperf.compare('fast/3', 'fast/5') WHERE metric = 'tps';
ROLLBACK;

-- If runs cannot be compared, the verdict says why.
SELECT verdict FROM pgperf.compare('single', 'other') WHERE metric = 'tps';
SELECT verdict FROM pgperf.compare('single', 'broken') WHERE metric = 'tps';

-- Runs of another program are compared on request alone, with a caution before all else.
BEGIN;
UPDATE pgperf_internal.stored_runs SET spec = spec || '{"results": {"program": "pgbench"}}' WHERE label = 'slower';
SELECT verdict, change_percent, p_value FROM pgperf.compare('single', 'slower') WHERE metric = 'tps';
SELECT * FROM pgperf.compare_report('single', 'slower') LIMIT 3;
SAVEPOINT before_gate;
\set VERBOSITY terse
SELECT pgperf.gate('slower', 'single');
\set VERBOSITY default
ROLLBACK TO before_gate;
SET LOCAL pgperf.compare_programs = on;
SELECT verdict, change_percent < 0 AS slower FROM pgperf.compare('single', 'slower') WHERE metric = 'tps';
SELECT * FROM pgperf.compare_report('single', 'slower') LIMIT 3;
SELECT * FROM pgperf.version_table('single', 'slower') LIMIT 3;
SELECT line FROM regexp_split_to_table(pgperf.compare_markdown('single', 'slower'), E'\n') AS line LIMIT 3;
-- Of the same program over another transport, where both are known.
UPDATE pgperf_internal.stored_runs SET spec = spec || '{"results": {"program": "pgbench", "transport": "tcp"}}' WHERE label = 'single';
SET LOCAL pgperf.compare_programs = off;
SELECT verdict FROM pgperf.compare('single', 'slower') WHERE metric = 'tps';
UPDATE pgperf_internal.stored_runs SET spec = spec || '{"results": {"program": "pgbench", "transport": "socket"}}' WHERE label = 'slower';
SELECT verdict FROM pgperf.compare('single', 'slower') WHERE metric = 'tps';
ROLLBACK;

-- Pairs.
SELECT verdict, n_baseline, method FROM pgperf.compare(ARRAY['fast/1', 'slow/21', 'fast/33'], ARRAY['fast/11', 'slow/22', 'fast/31'], 'repetition') WHERE metric = 'tps';
SELECT n_baseline, n_candidate FROM pgperf.compare(ARRAY['fast/1', 'slow/21'], ARRAY['fast/11', 'fast/12', 'slow/22'], pair_by => 'node') WHERE metric = 'tps';
-- Three hosts. Each of them is 5 % faster, but they differ more from each other. The labels say which is which.
SELECT pg_temp.make_run('fast', 40 + i, 'host ' || i, tps, workload => 'simple-update'),
       pg_temp.make_run('fast', 50 + i, 'host ' || i, tps * (1.05 + 0.001 * i), workload => 'simple-update')
FROM unnest('{900,1200,1400}'::float8[]) WITH ORDINALITY u (tps, i);
SELECT pair_by, verdict, n_baseline, n_candidate, round(change_percent::numeric, 1) AS change, method
FROM unnest('{label,repetition,NULL}'::text[]) pair_by,
     pgperf.compare('{fast/41,fast/42,fast/43}'::text[], '{fast/53,fast/51,fast/52}', pair_by) WHERE metric = 'tps' ORDER BY pair_by;
SELECT * FROM pgperf.compare(:before, ARRAY['fast/11'], 'repetition');
SELECT * FROM pgperf.compare(:before, :after, 'label');
SELECT * FROM pgperf.compare(:before, :after, 'day');
SELECT * FROM pgperf.compare(:before, '{}'::text[]);
-- A run given several times would show no variation at all. A label stands for its newest run and the repetitions of that.
SELECT * FROM pgperf.compare('{before,before}'::text[], '{after,after}');
SELECT * FROM pgperf.compare(:before, '{fast/11,fast/12,fast/11}'::text[]);
SELECT pgperf.set_baseline('twice', '{fast/1,before,fast/5}'::text[]);
SELECT verdict FROM pgperf.compare('{fast/1,fast/2}'::text[], '{fast/2,fast/1}') WHERE metric = 'tps';
SELECT verdict, n_baseline, n_candidate, round(change_percent::numeric, 2) AS change, method FROM pgperf.compare('before', 'after') WHERE metric = 'tps';
-- Their repetitions belong together in the order of time.
SELECT verdict, n_baseline, n_candidate, round(change_percent::numeric, 2) AS change, method FROM pgperf.compare('before', 'after', pair_by => 'repetition') WHERE metric = 'tps';
SELECT (SELECT count(*) FROM pgperf.compare_report('before', 'after', pair_by => 'repetition') AS line WHERE line ~ 'paired by repetition') > 0 AS report,
       pgperf.compare_markdown('before', 'after', pair_by => 'repetition') ~ 'paired by repetition' AS markdown,
       pgperf.compare_html('before', 'after', pair_by => 'repetition') ~ 'paired\s+by\s+repetition' AS page,
       (SELECT count(*) FROM pgperf.version_table('before', 'after', pair_by => 'repetition') AS line WHERE line ~ 'pair') > 0 AS versions;
SELECT verdict, n_baseline, n_candidate FROM pgperf.compare('{before,again}'::text[], '{after}') WHERE metric = 'tps';
BEGIN;
-- Another node, version, number of clients or option: no repetition; nor is a run that failed. One that has not finished stands alone.
SELECT pg_temp.make_run('slow', 70, 'before', 500), pg_temp.make_run('fast', 71, 'after', 500, version => '17.6'),
       pg_temp.make_run('fast', 72, 'after', 500, status => 'failed');
UPDATE pgperf_internal.stored_runs SET requested_at = '2026-01-01' WHERE run_id BETWEEN 70 AND 79;
SELECT n_baseline, n_candidate FROM pgperf.compare('before', 'after') WHERE metric = 'tps';
UPDATE pgperf_internal.stored_runs SET requested_at = '2126-01-01', clients = 5 WHERE run_id = 71;
SELECT n_baseline, n_candidate FROM pgperf.compare('before', 'after') WHERE metric = 'tps';
UPDATE pgperf_internal.stored_runs SET requested_at = '2127-01-01' WHERE run_id = 72;
SELECT verdict FROM pgperf.compare('before', 'after') WHERE metric = 'tps';
ROLLBACK;
SELECT pgperf.set_baseline('labelled', '{before}'::text[]), pgperf.drop_baseline('labelled');
SELECT count(*) FROM pgperf.steady_state('before');
SELECT * FROM pgperf.compare(NULL::text[], :after);
SELECT * FROM pgperf.compare(4711, 4712);
SELECT * FROM pgperf.compare('single', 'nothing of that name');

-- Further metrics of any kind, and relations.
INSERT INTO pgperf.run_metrics (node_id, run_id, metric, value, unit, direction, category)
SELECT '00000000-0000-0000-0000-0000000000c1'::uuid, run_id, 'nopm', 100 + run_id, 'per minute', 'higher', 'workload' FROM generate_series(1, 2) run_id
UNION ALL SELECT '00000000-0000-0000-0000-0000000000c1'::uuid, run_id, 'wal_bytes.Heap', 50, 'bytes', 'lower', 'wal' FROM generate_series(1, 2) run_id;
INSERT INTO pgperf.run_relations (node_id, run_id, relation_oid, schema_name, relation_name, relation_kind, start_size_bytes, end_size_bytes, autovacuum_count)
SELECT '00000000-0000-0000-0000-0000000000c1', run_id, 5, 'public', 't', 'table', 8192, 8192 * (1 + run_id), 1 FROM generate_series(1, 2) run_id;
SELECT category, object, metric, unit, direction, baseline, candidate, verdict FROM pgperf.compare('fast/1', 'fast/2')
WHERE category NOT IN ('summary', 'statements');

-- As text.
SELECT pgperf.compare_report(:before, :after);
SELECT count(*) > 10, max(length(line)) <= 80 FROM pgperf.compare_report('single', 'slower') AS line;

-- As a comment of a pull request, and the rows of a version comparison.
SELECT regexp_split_to_table(pgperf.compare_markdown(:before, :after), E'\n');
SELECT pgperf.version_table(:before, :after);
SELECT pgperf.version_table('fast/1', 'fast/2', style => 'markdown');
SELECT count(*) FROM pgperf.version_table('{fast/1,fast/2}'::text[], '{fast/11,fast/12}', 'text', 'repetition') AS line WHERE line LIKE '%pairs%';
SELECT pgperf.version_table('fast/1', 'fast/2', 'html');
SELECT length(pgperf.compare_markdown('single', 'slower')) > 500 AS long;

-- Named baselines stand for their runs.
SELECT pgperf.set_baseline('nightly', :before);
SELECT name, run_no, run_id FROM pgperf.baselines ORDER BY run_no;
SELECT verdict, n_baseline FROM pgperf.compare('nightly', 'slower') WHERE metric = 'tps';
SELECT pgperf.set_baseline('nightly', ARRAY['single']);
SELECT verdict, n_baseline FROM pgperf.compare('nightly', 'slower') WHERE metric = 'tps';
SELECT pgperf.set_baseline('#1', ARRAY['single']);
SELECT pgperf.set_baseline('nothing', ARRAY['nothing of that name']);
-- A baseline must make sense, and must have runs that others can be compared with.
SELECT pgperf.set_baseline(NULL, ARRAY['single']);
SELECT pgperf.set_baseline('nothing', NULL::text[]);
SELECT pgperf.set_baseline('nothing', ARRAY[NULL]::bigint[]);
SELECT pgperf.set_baseline('nothing', NULL::bigint);
SELECT pgperf.set_baseline('nothing', '{}'::bigint[]);
SELECT pgperf.set_baseline('nothing', ARRAY['single', 'broken']);
SELECT name, run_id FROM pgperf.baselines;
SELECT pgperf.drop_baseline('nightly'), pgperf.drop_baseline('nightly');

-- Where the rate is steady.
SELECT steady, warmup_s, from_interval = 1 AS at_once, advice FROM pgperf.steady_state('single');
UPDATE pgperf.run_intervals SET tps = tps * (1 - exp(-interval_no / 4.0)), transactions = transactions * (1 - exp(-interval_no / 4.0))
WHERE run_id = 31 AND node_id = '00000000-0000-0000-0000-0000000000c1';
SELECT steady, warmup_s BETWEEN 10 AND 30 AS after_a_while, tps_before < 0.9 * tps AS slower_before,
       advice LIKE 'steady after % s: warmup => %' AS advised FROM pgperf.steady_state('single');
SELECT steady, advice FROM pgperf.steady_state('fast/1');
-- Whole cycles: from 20 to 39, and from 40 to 59.
SELECT tenth, cycles, intervals, in_checkpoint_percent, round(tps::numeric, -2) AS tps FROM pgperf.run_checkpoint_cycle
WHERE node_id = '00000000-0000-0000-0000-0000000000c1' AND run_id = 33 ORDER BY tenth;
-- One checkpoint follows another without a gap.
BEGIN;
UPDATE pgperf.run_intervals SET in_checkpoint = true, checkpoint_began = interval_no % 10 = 0
WHERE node_id = '00000000-0000-0000-0000-0000000000c1' AND run_id = 33;
SELECT count(*) AS tenths, min(cycles) AS cycles, sum(intervals) AS intervals, min(in_checkpoint_percent) AS in_checkpoint_percent
FROM pgperf.run_checkpoint_cycle WHERE node_id = '00000000-0000-0000-0000-0000000000c1' AND run_id = 33;
ROLLBACK;

-- Only a role that may see the runs can compare them.
SET ROLE regress_pgperf_stranger;
SELECT * FROM pgperf.compare('single', 'equal');
SELECT * FROM pgperf.steady_state('single');
SELECT pgperf.set_baseline('mine', ARRAY['single']);
SET ROLE regress_pgperf_runner;
SELECT count(*) > 10 FROM pgperf.compare('single', 'equal');
RESET ROLE;

SELECT count(pgperf_internal.remove_run(r.node_id, r.run_id)) > 0 AS removed FROM pgperf_internal.stored_runs r WHERE r.node_id IN (SELECT node_id FROM pgperf.nodes WHERE name IN ('fast', 'slow'));
DELETE FROM pgperf.nodes WHERE name IN ('fast', 'slow');
DROP ROLE regress_pgperf_runner;
DROP ROLE regress_pgperf_stranger;
