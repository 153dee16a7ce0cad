-- Sweeps: calls that are refused, and the shape of a sweep's results. Events during a sweep are tested in tests/run/sweeps.rs.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA sweeps_test;
SET search_path = sweeps_test;
SELECT pgperf.start_load() AS load_id \gset
CALL pgperf.wait_run(:load_id, timeout => '60 s');
SELECT count(*) AS sweeps_before FROM pgperf.sweeps \gset

-- There is no sweep yet.
SELECT pgperf.sweep_status(0);
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.stop_sweep(0);
SELECT pgperf.resume_sweep(0);
SELECT pgperf.sweep_report(0);
SELECT pgperf.sweep_peak(0);
SELECT pgperf.sweep_scalability(0);
SELECT pgperf.delete_sweep(0);

-- The grid.
SELECT pgperf.start_sweep(clients => '{}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(clients => '{1,NULL}');
SELECT pgperf.start_sweep(clients => '{1,2,1}');
SELECT pgperf.start_sweep(clients => '{{1,2},{3,4}}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(clients => '{1}', workloads => '{tpcb-like,select,tpcb}');
SELECT pgperf.start_sweep(clients => '{1}', settings_grid => '{"work_mem": ["4MB", "64MB", "4096kB"]}');
SELECT pgperf.start_sweep(clients => '{1}', settings_grid => '{"jit": [true, "off", "on"]}');
SHOW work_mem;
SELECT pgperf.start_sweep(clients => '{1,0}');
SELECT pgperf.start_sweep(repetitions => 0);
SELECT pgperf.start_sweep(run_tries => 0);
SELECT pgperf.start_sweep(repetitions => 100000);
SELECT pgperf.start_sweep(until_precise => '2');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(until_precise => '0%');
SELECT pgperf.start_sweep(until_precise => '-2%');
SELECT pgperf.start_sweep(until_precise => '51%');
SELECT pgperf.start_sweep(until_precise => '2%', max_repetitions => 3, repetitions => 1);
SELECT pgperf.start_sweep(until_precise => '2%', max_repetitions => 7, repetitions => 8);
SELECT pgperf.start_sweep(until_precise => '2%', max_repetitions => -1);
SELECT pgperf.start_sweep(max_repetitions => 30);
SELECT pgperf.start_sweep(until_precise => '2%', max_repetitions => 2501);
SELECT pgperf.start_sweep(run_order => 'sorted');
SELECT pgperf.start_sweep('select-only', workloads => '{tpcb-like}');
SELECT pgperf.start_sweep(workloads => '{tpcb-like}', script => 'SELECT 1;');
SELECT pgperf.start_sweep(query_mode => 'simple', query_modes => '{simple,prepared}');
SELECT pgperf.start_sweep(settings_grid => '["work_mem"]');
SELECT pgperf.start_sweep(settings_grid => '{"work_mem": "4MB"}');
SELECT pgperf.start_sweep(settings_grid => '{"work_mem": []}');
SELECT pgperf.start_sweep(settings_grid => '{"work_mem": ["4MB"]}', settings => '{"Work_Mem": "1MB"}');

-- Each point is refused as start_run would refuse it: the last value is checked before the first run.
SELECT pgperf.start_sweep(workloads => '{tpcb-like,nosuch}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(query_modes => '{simple,fast}');
SELECT pgperf.start_sweep(settings_grid => '{"work_mem": ["4MB", "much"]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(settings_grid => '{"no_such_setting": [1]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(settings_grid => '{"shared_buffers": ["1GB", "much"]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(clients => '{1}', settings_grid => '{"shared_buffers": ["64MB", "65536kB"]}');
SELECT pgperf.start_sweep(settings_grid => '{"shared_buffers": ["64MB", "128MB"]}', until_precise => '2%');
SELECT pgperf.start_sweep(settings_grid => '{"block_size": [8192]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(settings_grid => '{"checkpoint_timeout": ["1min", "often"]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(clients => '{1}', settings_grid => '{"checkpoint_timeout": ["1min", "60s"]}');
SELECT pgperf.start_sweep(settings_grid => '{"bgwriter_delay": ["10ms\n"]}');
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.start_sweep(duration => '1 s', transactions_per_client => 1);
SELECT pgperf.start_sweep(script => 'SELEC 1;');
SELECT pgperf.start_sweep(schema => 'nowhere');
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY sqlstate
SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,1000}');
\set VERBOSITY default

-- Loads.
SELECT pgperf.start_sweep(init => 'always');
SELECT pgperf.start_sweep(init => 'each');
SELECT pgperf.start_sweep(partitions => '{0,2}');
SELECT pgperf.start_sweep(scales => '{1,2}', init => 'never');
SELECT pgperf.start_sweep(scales => '{1,2}', scale => 1);
SELECT pgperf.start_sweep(scales => '{1,0}');
SELECT pgperf.start_sweep(scales => '{1}', fillfactors => '{5}');
SELECT pgperf.start_sweep(init_options => '{"jobs": 1}');
SELECT pgperf.start_sweep(scales => '{1}', init_options => '{"speed": 1}');
SELECT pgperf.start_sweep(scales => '{1}', init_options => '{"scale": 1}');
SELECT pgperf.start_sweep(scales => '{1}', init_options => '[]');
CREATE SCHEMA sweeps_foreign;
CREATE TABLE sweeps_foreign.pgbench_accounts ();
SELECT pgperf.start_sweep(scales => '{1}', schema => 'sweeps_foreign');
\echo :LAST_ERROR_SQLSTATE
DROP SCHEMA sweeps_foreign CASCADE;
BEGIN READ ONLY;
SELECT pgperf.start_sweep();
ROLLBACK;
SELECT count(*) - :sweeps_before AS stored FROM pgperf.sweeps;

-- A small sweep: two settings by two numbers of clients.
SELECT pgperf.start_sweep('select-only', clients => '{1,2}', repetitions => 2, settings_grid => '{"Work_Mem": ["4MB", "64MB"]}',
    run_order => 'given', transactions_per_client => 20, settings => '{"jit": "off"}', random_seed => 7, label => 'memory') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT label, role = current_user AS mine, status, points, repetitions, runs, finished, failed, attempts, run_id, eta_s, random_seed,
       elapsed_s > 0 AS took_time, requested_at <= started_at AND started_at <= ended_at AS in_order, resumed_at,
       spec ->> 'init' AS init, spec ->> 'run_order' AS run_order, sqlstate, error
FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT position, point_no, repetition, attempts, status, transactions, tps > 0 AS has_tps, latency_p99_ms > 0 AS has_latency, failed, error
FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id ORDER BY position;
SELECT point_no, combination, workload, clients, scale, partitions, fillfactor, query_mode, settings, n, cardinality(tps_values) AS values,
       cardinality(run_ids) AS runs, tps_ci_low <= tps AND tps <= tps_ci_high AS within,
       abs(tps - (tps_values[1] + tps_values[2]) / 2) < 1e-6 AS is_mean, latency_p95_ms > 0 AS has_latency, failed_runs, error
FROM pgperf.sweep_points WHERE sweep_id = :sweep_id ORDER BY point_no;
SELECT p.combination, p.settings, p.n, p.tps = (SELECT max(o.tps) FROM pgperf.sweep_points o WHERE o.sweep_id = p.sweep_id AND o.combination = p.combination) AS is_highest,
       p.clients = ANY (p.as_good_clients) AS itself, untested_clients
FROM pgperf.sweep_peak p WHERE sweep_id = :sweep_id ORDER BY combination;
SELECT combination, loads, n, lambda, peak_clients, reason FROM pgperf.sweep_scalability(:sweep_id);
-- Its runs are ordinary ones. All points of a repetition draw the same random values.
SELECT label, clients, random_seed, sweep_point, sweep_repetition, spec -> 'settings' AS settings, status
FROM pgperf.runs WHERE sweep_id = :sweep_id ORDER BY run_id;
SELECT regexp_replace(regexp_replace(regexp_replace(line, '[0-9]+(,[0-9]+)*(\.[0-9]+)?%?', '#', 'g'), '[█▏▎▍▌▋▊▉]+$|(# min )?# s$', '='), ' +', ' ', 'g') AS line
FROM (
    -- Without the conditions, which are those of the machine.
    SELECT line, number, count(*) FILTER (WHERE line = '') OVER w AS blanks, bool_or(line = 'Conditions') OVER w AS at_end
    FROM pgperf.sweep_report(:sweep_id) WITH ORDINALITY r(line, number) WINDOW w AS (ORDER BY number)
) r WHERE NOT at_end AND (number < 3 OR blanks > 0) AND line !~ 'peak:|undecided' ORDER BY number;
SELECT max(length(line)) <= 80 AS fits FROM pgperf.sweep_report(:sweep_id) AS line;
SELECT pgperf.sweep_status(), pgperf.stop_sweep(), pgperf.resume_sweep();
-- Percentiles are those of all transactions of a point's runs together, and not above the longest of them.
SELECT p.point_no, ARRAY[p.latency_p50_ms, p.latency_p95_ms, p.latency_p99_ms, p.latency_p999_ms] = (
           SELECT array_agg(least(q, h.longest) ORDER BY n) FROM unnest(pgperf.histogram_quantile(h.histogram, '{0.5,0.95,0.99,0.999}'::float8[])) WITH ORDINALITY u (q, n)) AS merged,
       pgperf.histogram_count(h.histogram) AS transactions
FROM pgperf.sweep_points p
CROSS JOIN LATERAL (SELECT pgperf.histogram_merge(t.histogram) AS histogram, max(t.latency_max_ms) AS longest
                    FROM pgperf_internal.run_totals t WHERE t.node_id = p.node_id AND t.run_id = ANY (p.run_ids)) h
WHERE p.sweep_id = :sweep_id ORDER BY p.point_no;
-- A deleted run counts as missing.
SELECT pgperf.delete_run(min(run_id)) FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id;
SELECT position, status FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id AND status <> 'finished';
SELECT n, tps_ci_low FROM pgperf.sweep_points WHERE sweep_id = :sweep_id AND point_no = 1;
SELECT pgperf.delete_sweep(:sweep_id, runs => true);
SELECT count(*) FROM pgperf_internal.sweep_attempts WHERE sweep_id = :sweep_id;
SELECT count(*) FROM pgperf_internal.stored_runs WHERE label LIKE 'memory: %';

-- No run is as even as that: each point is run as often as it may be. At least four runs are planned.
SELECT pgperf.start_sweep(script => 'SELECT 1;', clients => '{1,2}', repetitions => 1, until_precise => '0.000001%', max_repetitions => 5,
    transactions_per_client => 5, collectors => '{}') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT status, repetitions, runs, finished, failed, further_runs, eta_s, spec -> 'precision' AS precision FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT clients, n, precision_percent > 0 AS has_precision, precise FROM pgperf.sweep_points WHERE sweep_id = :sweep_id ORDER BY clients;
SELECT count(*) AS runs, count(DISTINCT (point_no, repetition)) AS repetitions, min(position) AS first, max(position) AS last, min(repetition) FILTER (WHERE position > 8) AS further
FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id AND status = 'finished';
SELECT regexp_replace(line, 'seed [0-9]+', 'seed #') AS line FROM pgperf.sweep_report(:sweep_id) AS line WHERE line ~ 'within [^5]';
SELECT pgperf.sweep_html(:sweep_id) ~ 'within 0\.000001 %' AS on_page, pgperf.resume_sweep(:sweep_id);
-- A deleted run is made again, and decides with the others.
SELECT pgperf.delete_run(max(run_id)) FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id;
SELECT pgperf.resume_sweep(:sweep_id);
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT runs, finished FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT pgperf.delete_sweep(:sweep_id, runs => true);
-- A point whose runs fail gets no further ones; the others do.
SELECT pgperf.start_sweep(script => 'SELECT 1 / (:client_id - 1);', clients => '{1,2}', repetitions => 1, run_tries => 1, until_precise => '0.000001%',
    max_repetitions => 5, transactions_per_client => 5, collectors => '{}') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT clients, n, failed_runs, precise FROM pgperf.sweep_points WHERE sweep_id = :sweep_id ORDER BY clients;
SELECT pgperf.delete_sweep(:sweep_id, runs => true);

-- A race that cannot be.
SELECT pgperf.find_best();
SELECT pgperf.find_best('{"work_mem": ["4MB"]}');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', metric => 'speed');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', metric => 'wal_bytes');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', margin => '1');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', repetitions => 2);
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', sweep_options => '[]');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', sweep_options => '{"run_order": "given"}');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', sweep_options => '{"label": "again"}');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', sweep_options => '{"no_such_option": 1}');
SELECT pgperf.find_best('{"work_mem": ["4MB", "8MB"]}', sweep_options => '{"run_tries": "often"}');
SELECT pgperf.find_best('{"work_mem": ["4MB", "much"]}');
-- One whose points fail has no winner.
SELECT pgperf.find_best(clients => '{1,2}', script => 'SELECT 1 / 0;', repetitions => 3, label => 'nobody',
    sweep_options => '{"transactions_per_client": 5, "run_tries": 1, "collectors": []}') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT status, repetitions, runs, finished, spec -> 'race' AS race FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT * FROM pgperf.sweep_race(:sweep_id) ORDER BY point_no;
SELECT regexp_replace(line, '[0-9]+ s', '# s', 'g') AS line FROM pgperf.sweep_report(:sweep_id) AS line WHERE line ~ 'Race|grid';
SELECT pgperf.sweep_html(:sweep_id) ~ 'nobody has run yet' AS on_page, pgperf.sweep_markdown(:sweep_id) ~ 'nobody has run yet' AS in_comment;
SELECT pgperf.delete_sweep(:sweep_id, runs => true);

-- Nothing is claimed about points that never ran.
SELECT pgperf.start_sweep(script => 'SELECT 1 / (:client_id - 1);', clients => '{1,2,3}', repetitions => 2, run_tries => 1, run_order => 'given',
    transactions_per_client => 20, collectors => '{}') AS sweep_id \gset
CALL pgperf.wait_sweep(:sweep_id, timeout => '60 s');
SELECT clients, n, failed_runs, tps_ci_low >= 0 AS not_below_zero FROM pgperf.sweep_points WHERE sweep_id = :sweep_id ORDER BY clients;
SELECT clients, as_good_clients, untested_clients FROM pgperf.sweep_peak WHERE sweep_id = :sweep_id;
SELECT regexp_replace(line, '[0-9,]+ tps', '# tps') AS line FROM pgperf.sweep_report(:sweep_id) AS line WHERE line ~ 'peak|untested';
SELECT pgperf.delete_sweep(:sweep_id, runs => true);

-- The numbers of clients that are as good as the peak, with made-up runs: 4 is the peak, 8 is slower by 1.5 %, 1 by 7 %; 2 varies
-- too much for an answer; 16 has one run, 32 has none.
INSERT INTO pgperf_internal.stored_sweeps (node_id, sweep_id, role, repetitions, random_seed, run_order, spec, stored_status)
SELECT pgperf.local_node(), 999999, current_user, 5, 1, ARRAY(SELECT 1 + i / 5 FROM generate_series(0, 29) i), '{"run_tries": 1, "run_order": "given", "init": "never", "checkpoint": false}', 'finished';
INSERT INTO pgperf_internal.stored_sweep_points (node_id, sweep_id, point_no, workload, clients, query_mode, settings, combination, arguments)
SELECT pgperf.local_node(), 999999, n, 'select-only', clients, 'prepared', '{}', '', '{}' FROM unnest('{1,2,4,8,16,32}'::int[]) WITH ORDINALITY u (clients, n);
CREATE TEMP TABLE made_up AS
SELECT 900000 + row_number() OVER () AS run_id, p.n AS point_no, (p.n - 1) * 5 + r.i AS position, r.i AS repetition, r.tps
FROM (VALUES (1, '{930,941,921,935,925}'::float8[]), (2, '{400,1100,950,200,1500}'), (3, '{1000,1010,990,1005,995}'), (4, '{985,995,975,990,980}'), (5, '{999}')) p (n, rates),
     unnest(p.rates) WITH ORDINALITY r (tps, i);
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, spec, stored_status, started_at, measured_at, ended_at, server_version)
SELECT pgperf.local_node(), run_id, 'run', 'select-only', current_user, 1, 'prepared', '{"duration_s": 20}', 'finished', now(), now(), now(), '15' FROM made_up;
INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures, deadlock_failures, retried, retries, skipped, late, warmup_transactions)
SELECT pgperf.local_node(), run_id, 20, tps * 20, 0, 0, 0, 0, 0, 0, 0, 0 FROM made_up;
INSERT INTO pgperf_internal.sweep_attempts (node_id, sweep_id, position, attempt, point_no, repetition, run_id, started_at, ended_at, outcome)
SELECT pgperf.local_node(), 999999, position, 1, point_no, repetition, run_id, now(), now(), 'finished' FROM made_up;
SELECT clients, n, tps, as_good_clients, undecided_clients, untested_clients, margin_percent FROM pgperf.sweep_peak WHERE sweep_id = 999999;
SELECT m AS margin, clients, as_good_clients, undecided_clients, untested_clients FROM unnest('{1,5,10}'::float8[]) m, pgperf.sweep_peak(999999, margin_percent => m) ORDER BY m;
SELECT as_good_clients FROM pgperf.sweep_peak(999999, NULL);
SELECT * FROM pgperf.sweep_peak(999999, margin_percent => 0);
SELECT * FROM pgperf.sweep_peak(-1);
SELECT line FROM pgperf.sweep_report(999999) AS line WHERE line ~ 'peak:|untested|undecided';
SELECT line FROM regexp_split_to_table(split_part(pgperf.sweep_markdown(999999), '<details>', 1), E'\n') AS line WHERE line ~ '^[|*]';
SELECT pgperf_internal.peak_of('{1,1}', '{1}', 5);
-- Had the first four raced; 2 varies so much that nothing can be told apart.
SELECT count(*) AS not_raced FROM pgperf.sweep_race(999999);
UPDATE pgperf_internal.stored_sweeps SET run_order = run_order[1:20], spec = spec || '{"race": {"metric": "tps", "rounds": 5, "more_is_better": true, "margin": 0.02}}' WHERE sweep_id = 999999;
SELECT clients, runs, mean, round(change_percent::numeric, 1) AS change_percent, worst_percent <= change_percent AS is_bound, left_after, verdict FROM pgperf.sweep_race(999999);
UPDATE pgperf_internal.stored_sweeps SET run_order = ARRAY(SELECT 1 + i / 5 FROM generate_series(0, 29) i), spec = spec - 'race' WHERE sweep_id = 999999;
-- Had each mean to be known within 2 %:
UPDATE pgperf_internal.stored_sweeps SET spec = spec || '{"precision": {"wanted": 0.02, "fewest": 5, "most": 30}}' WHERE sweep_id = 999999;
SELECT clients, n, round(precision_percent::numeric, 2) AS precision_percent, precise FROM pgperf.sweep_points WHERE sweep_id = 999999 ORDER BY clients;
SELECT line FROM pgperf.sweep_report(999999) AS line WHERE line ~ '^ +[0-9]|within|98';
SELECT line FROM regexp_split_to_table(split_part(pgperf.sweep_markdown(999999), '<details>', 1), E'\n') AS line WHERE line ~ '^[|*]';
-- How well a mean is known, and how many runs like these are missing.
SELECT tps, round(precision_percent::numeric, 2) AS precision_percent, precise, missing
FROM (VALUES ('{}'::float8[]), ('{7}'), ('{7,7,7}'), ('{7,7,7,7,7}'), ('{50,150,50,150}'), ('{0,0,0,0,0}')) v (tps), pgperf_internal.precision_of(tps, 0.02, 4, 30);
SELECT count(*) AS no_precision FROM pgperf_internal.precision_of('{7,7}', NULL, 4, 30);
SELECT pgperf.delete_sweep(999999, runs => true);

-- Statistics with known answers: R's t.test(sleep$extra ~ sleep$group), and its package usl (see crates/measure).
SELECT n, round(mean::numeric, 2) AS mean, round(ci_low::numeric, 7) AS ci_low, round(ci_high::numeric, 7) AS ci_high
FROM pgperf.mean_interval('{0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0}');
SELECT * FROM pgperf.mean_interval('{3,NULL}');
SELECT * FROM pgperf.mean_interval('{}');
SELECT round(pgperf.welch_p_value('{0.7,-1.6,-0.2,-1.2,-0.1,3.4,3.7,0.8,0.0,2.0}', '{1.9,0.8,1.1,0.1,-0.1,4.4,5.5,1.6,4.6,3.4}')::numeric, 6) AS p;
SELECT pgperf.welch_p_value('{1}', '{1,2}') AS p;
SELECT round(lambda::numeric, 3) AS lambda, round(sigma::numeric, 6) AS sigma, round(kappa::numeric, 9) AS kappa, round(sigma_error::numeric, 5) AS sigma_error,
       round(r_squared::numeric, 5) AS r_squared, round(residual_tps::numeric, 1) AS residual_tps, round(peak_clients::numeric, 1) AS peak_clients, limit_tps, reason
FROM pgperf.fit_scalability('{1,18,36,72,108,144,216}', '{64.9,995.9,1652.4,1853.2,1828.9,1775.0,1702.2}');
SELECT * FROM pgperf.fit_scalability('{1,2,2}', '{10,20,21}') \gx
SELECT * FROM pgperf.fit_scalability('{1,2,4}', '{10,20}');
SELECT * FROM pgperf.fit_scalability('{0,2,4}', '{10,20,30}');
SELECT pgperf.delete_run(:load_id);
DELETE FROM pgperf.data_sets WHERE schema_name = 'sweeps_test';
DROP SCHEMA sweeps_test CASCADE;
