-- Sweeps by values of settings: the shape of sweep_values and of sweep_buffers. What they say of real sizes of shared_buffers is tested in
-- tests/run/sweeps/values.rs.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA sweep_values_test;
SET search_path = sweep_values_test;
CREATE TABLE numbers AS SELECT i, repeat('x', 200) AS filler FROM generate_series(1, 2000) i;
CREATE ROLE regress_pgperf_stranger;

-- There is no such sweep.
SELECT pgperf.sweep_values(0);
\echo :LAST_ERROR_SQLSTATE

-- Sizes are in the order of their amounts, whatever the order in which they were given; the one before the sweep is the baseline.
SET work_mem = '4MB';
SELECT pgperf.start_sweep(script => 'SELECT count(filler) FROM numbers;', clients => '{2}', repetitions => 2, transactions_per_client => 20,
    settings_grid => '{"work_mem": ["64MB", "512kB", "4MB"]}', random_seed => 7, collectors => '{buffers}', label => 'by size') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT workload, clients, value, is_baseline, metric, unit, is_headline, n, mean >= 0 AS has_mean, ci_low <= mean AND mean <= ci_high AS within,
       change_percent IS NULL AS no_change, ci_low_percent <= change_percent AND change_percent <= ci_high_percent AS change_within,
       p_value BETWEEN 0 AND 1 AS has_p, p_adjusted >= p_value AS adjusted, verdict IS NOT NULL AS has_verdict
FROM pgperf.sweep_values(:sweep_id) WHERE metric <> 'hit_percent';
-- A change is that of the means, and one value is the best.
SELECT bool_and(abs(v.change_percent - 100 * (v.mean - b.mean) / b.mean) < 1e-6) AS changes, count(*) FILTER (WHERE v.verdict = 'best') AS best,
       max(v.mean) = max(v.mean) FILTER (WHERE v.verdict = 'best') AS is_highest
FROM pgperf.sweep_values(:sweep_id) v, pgperf.sweep_values(:sweep_id) b WHERE b.is_baseline AND v.metric = 'tps' AND b.metric = v.metric;
SELECT count(DISTINCT metric) AS metrics, count(*) FILTER (WHERE verdict IS NOT NULL) > 0 AS judged FROM pgperf.sweep_values(:sweep_id, 20);
SELECT pgperf.sweep_values(:sweep_id, 0);
SELECT pgperf.sweep_values(:sweep_id, 'NaN');
\echo :LAST_ERROR_SQLSTATE

-- The last sample of each point's last run has all buffers, of which the table has as many as pages.
SELECT p.settings ->> 'work_mem' AS value, count(DISTINCT b.sample_id) AS samples, bool_and(b.run_id = p.run_ids[2]) AS of_last_run,
       sum(b.bytes) = pg_size_bytes(current_setting('shared_buffers')) AS all_of_them, round(sum(b.percent)::numeric, 3) AS percent,
       sum(b.buffers) FILTER (WHERE b.relation_name = 'numbers' AND b.schema_name = 'sweep_values_test') >= pg_relation_size('numbers') / 8192 AS whole_table,
       bool_and(b.usage_count BETWEEN 0 AND 5) AS counts
FROM pgperf.sweep_points p JOIN pgperf.sweep_buffers b USING (sweep_id, point_no) WHERE p.sweep_id = :sweep_id GROUP BY p.point_no, 1 ORDER BY p.point_no;

-- Two settings: each point has the values of both.
SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1}', transactions_per_client => 5, settings_grid => '{"enable_material": ["off", "on"], "work_mem": ["1MB", "2MB"]}',
    collectors => '{}', label => 'two settings') AS two \gset
CALL pgperf.wait_sweep(:two, timeout => '60 s');
SELECT value, n, ci_low IS NULL AS one_run, p_value IS NULL AS no_p FROM pgperf.sweep_values(:two) WHERE metric = 'tps' ORDER BY value COLLATE "C";
SELECT count(*) AS no_samples FROM pgperf.sweep_buffers WHERE sweep_id = :two;

-- Nothing varies besides the clients: there are no values.
SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', transactions_per_client => 5, collectors => '{}') AS plain \gset
CALL pgperf.wait_sweep(:plain, timeout => '60 s');
SELECT count(*) AS no_values FROM pgperf.sweep_values(:plain);

-- Whoever may not see the sweep sees nothing of it.
SET ROLE regress_pgperf_stranger;
\set VERBOSITY sqlstate
SELECT pgperf.sweep_values(:sweep_id);
SELECT count(*) AS hidden FROM pgperf.sweep_buffers;
\set VERBOSITY default
RESET ROLE;
SELECT pgperf.delete_sweep(s, runs => true) FROM unnest(ARRAY[:sweep_id, :two, :plain]::bigint[]) s;
DROP SCHEMA sweep_values_test CASCADE;
DROP ROLE regress_pgperf_stranger;
