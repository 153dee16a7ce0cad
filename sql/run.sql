-- Runs: from the call to the stored result. Figures differ from run to run, so only booleans and counts are shown.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA run_test;
SET search_path = run_test;
SELECT pgperf.start_load() AS first_id \gset
CALL pgperf.wait_run(:first_id, timeout => '60 s');

-- A number of transactions for each client.
SELECT pgperf.start_run('tpcb-like', clients => 2, transactions_per_client => 50, random_seed => 42, label => 'run_test') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT kind, label, workload, role = current_user AS mine, status, clients, query_mode, scale, random_seed,
       requested_at <= started_at AND started_at <= measured_at AND measured_at <= ended_at AS in_order,
       start_lsn < end_lsn AS wrote_wal, start_full_xid < end_full_xid AS used_xids, sqlstate, error
FROM pgperf.runs WHERE run_id = :run_id;
SELECT workload, clients, status, transactions, duration_s > 0 AS has_duration, abs(tps - transactions / duration_s) < 0.001 AS tps_right,
       latency_avg_ms > 0 AND latency_stddev_ms > 0 AND latency_p50_ms <= latency_p95_ms AND latency_p95_ms <= latency_p99_ms
           AND latency_p99_ms <= latency_p999_ms AND latency_p999_ms <= latency_max_ms AS latencies_in_order,
       failed, retried, retries, skipped, late, wal_bytes > 0 AS wrote_wal,
       abs(wal_bytes_per_tx - wal_bytes / transactions) < 1 AS wal_per_tx_right, hit_percent BETWEEN 0 AND 100 AS hit_right,
       rows_returned, bytes_returned > 0 AS bytes_counted
FROM pgperf.run_summary WHERE run_id = :run_id;
-- Its statements. Meta-commands have no rows and blocks. Whatever reads a page may write WAL, since it may prune it.
SELECT script_no, script, command_no, left(statement, 30) AS statement, is_sql, calls, failed, rows, shared_blks_hit IS NOT NULL AS has_blocks,
       CASE WHEN statement ~ '^(UPDATE|INSERT)' THEN wal_bytes > 0 ELSE wal_bytes >= 0 END AS wal
FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY script_no, command_no;
-- The counts agree with the work that the statements did.
SELECT count(*) AS history FROM pgbench_history;
SELECT bool_and(passed) AS passed FROM pgperf.check();
SELECT sum(transactions) AS transactions FROM pgperf.run_intervals WHERE run_id = :run_id;
SELECT metric, unit FROM pgperf.run_metrics WHERE run_id = :run_id AND category IN ('size', 'pgperf') ORDER BY metric;
SELECT count(*) AS errors FROM pgperf.run_errors WHERE run_id = :run_id;
-- Samples at the start and the end; hit_curve, sessions, sequences and plans only if the run asks for them.
SELECT count(*) >= 2 AS samples, bool_and(o.status = 'ok' OR collector IN ('io', 'locks', 'autovacuum')) AS all_ok,
       count(DISTINCT collector) = (SELECT count(*) FROM pgperf.collectors WHERE name NOT IN ('hit_curve', 'sessions', 'sequences', 'plans')) AS all_collectors
FROM pgperf.sample_outcomes o WHERE run_id = :run_id;
SELECT count(*) > 0 AS bloat FROM pgperf.bloat_history WHERE run_id = :run_id AND relation_name = 'pgbench_accounts';
-- The report, by its id and by its label.
SELECT line FROM pgperf.report(:run_id) AS line WHERE line ~ '^(transaction type|scaling factor|query mode|number of|maximum)';
SELECT pgperf.report_json(:run_id) ->> 'call' AS call;
SELECT count(*) > 30 AS lines FROM pgperf.report('run_test');

-- The same seed leaves the same data, in every query mode.
CREATE TABLE first_run AS SELECT tid, bid, aid, delta FROM pgbench_history;
SELECT pgperf.start_load() AS load_id \gset
CALL pgperf.wait_run(:load_id, timeout => '60 s');
SELECT pgperf.start_run('tpcb-like', clients => 2, transactions_per_client => 50, random_seed => 42, query_mode => 'simple') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT count(*) AS only_in_one FROM ((TABLE first_run EXCEPT ALL SELECT tid, bid, aid, delta FROM pgbench_history)
    UNION ALL (SELECT tid, bid, aid, delta FROM pgbench_history EXCEPT ALL TABLE first_run)) AS d;
SELECT query_mode, transactions FROM pgperf.run_summary WHERE run_id = :run_id;

-- A mix, for a given time, after a warm-up, in extended query mode, with the result rows discarded.
SELECT pgperf.start_run('select-only@9, simple-update@1', clients => 2, duration => '1 s', warmup => '200 ms', sample_interval => '200 ms',
    query_mode => 'extended', result_mode => 'discard', settings => '{"synchronous_commit": "off"}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT workload, query_mode, status, transactions > 0 AS has_transactions, warmup_transactions > 0 AS warmed_up,
       duration_s BETWEEN 0.9 AND 5 AS as_long_as_asked, rows_returned > 0 AS rows, bytes_returned
FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT count(*) BETWEEN 2 AND 7 AS intervals, bool_and(seconds > 0) AS have_seconds, min(interval_no) AS first_no,
       sum(transactions) = (SELECT transactions FROM pgperf.run_summary WHERE run_id = :run_id) AS add_up
FROM pgperf.run_intervals WHERE run_id = :run_id;
SELECT script_no, script, count(*) AS commands, bool_and(calls > 0) AS all_called FROM pgperf.run_statements WHERE run_id = :run_id GROUP BY 1, 2 ORDER BY 1;
SELECT count(DISTINCT s.sample_id) > 2 AS samples, bool_and(cadence = '200 ms') FILTER (WHERE cadence IS NOT NULL) AS cadence_right
FROM pgperf.samples s WHERE run_id = :run_id;

-- A scale that differs from that of the tables is ignored, as in pgbench.
SELECT pgperf.start_run('select-only', scale => 3, transactions_per_client => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT scale FROM pgperf.runs WHERE run_id = :run_id;

-- A user's own script, with variables.
CREATE TABLE written (client int, doubled int);
SELECT pgperf.start_run(script => E'\\set twice 2 * :start\nINSERT INTO written VALUES (:client_id, :twice);\nSELECT count(*) FROM written;\n',
    clients => 3, transactions_per_client => 4, variables => '{"start": 21}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT client, doubled, count(*) FROM written GROUP BY 1, 2 ORDER BY 1;
SELECT workload, scale, transactions FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT command_no, statement, is_sql, calls, rows FROM pgperf.run_statements WHERE run_id = :run_id ORDER BY command_no;
-- A client is a session like any other: with its name, its role, and the settings of the run.
CREATE TABLE seen (application_name text, role name, work_mem text, type text);
SELECT pgperf.start_run(script => $$INSERT INTO seen SELECT current_setting('application_name'), current_user, current_setting('work_mem'),
    (SELECT backend_type FROM pg_stat_activity WHERE pid = pg_backend_pid());$$,
    transactions_per_client => 1, settings => '{"work_mem": "7MB"}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT application_name = format('pgperf run %s client 0', :run_id) AS named, role = current_user AS mine, work_mem, type FROM seen;

-- An error ends its client, and the run says which.
SELECT pgperf.start_run(script => E'SELECT 1;\nSELECT 1 / (:client_id - 1);', clients => 2, transactions_per_client => 2) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, sqlstate, error FROM pgperf.runs WHERE run_id = :run_id;
SELECT client_id, script, command_no, sqlstate, message, occurrences FROM pgperf.run_errors WHERE run_id = :run_id;
SELECT transactions FROM pgperf.run_summary WHERE run_id = :run_id;

-- Throttled, with a latency limit.
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '1 s', rate => 50, latency_limit => '10 s', random_seed => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT transactions BETWEEN 10 AND 100 AS about_fifty, lag_avg_ms >= 0 AS has_lag, skipped, late FROM pgperf.run_summary WHERE run_id = :run_id;

-- Its number names it in quotes, too.
SELECT count(*) > 5 AS by_number FROM pgperf.report(:'run_id');

-- While it runs, a run can be watched and stopped, but not deleted.
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', clients => 2, duration => '1 h', label => 'endless') AS run_id \gset
DO $$
BEGIN
    FOR i IN 1..600 LOOP
        EXIT WHEN (SELECT transactions > 0 FROM pgperf.progress ORDER BY run_id DESC LIMIT 1);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;
CALL pgperf.wait_run(:run_id, timeout => '10 ms');
SELECT label, status, clients, elapsed_s > 0 AS elapsed, percent < 1 AS just_begun, eta_s > 3000 AS long_to_go, transactions > 0 AS has_transactions
FROM pgperf.progress WHERE run_id = :run_id;
SELECT count(*) AS clients FROM pg_stat_activity WHERE application_name LIKE format('pgperf run %s client %%', :run_id);
DO $$
BEGIN
    PERFORM pgperf.delete_run(max(run_id)) FROM pgperf.runs;
EXCEPTION WHEN object_in_use THEN
    RAISE WARNING '%', regexp_replace(SQLERRM, '\d+', 'N');
END
$$;
SELECT pgperf.stop_run(:run_id);
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, transactions > 0 AS has_transactions, ended_at IS NOT NULL AS ended, error FROM pgperf.runs JOIN pgperf.run_summary USING (run_id, status, ended_at) WHERE run_id = :run_id;
SELECT pgperf.stop_run(:run_id) AS stopped_again;
SELECT pgperf.run_status() AS newest;
-- Nothing is known of the end of one that warms up.
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h', warmup => '1 h') AS run_id \gset
SELECT percent, eta_s FROM pgperf.progress WHERE run_id = :run_id;
SELECT pgperf.stop_run(:run_id);
CALL pgperf.wait_run(:run_id, timeout => '60 s');
-- Two runs at once.
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h') AS run_1,
       pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h') AS run_2 \gset
SELECT pgperf.stop_all();
CALL pgperf.wait_run(:run_1, timeout => '60 s');
CALL pgperf.wait_run(:run_2, timeout => '60 s');
SELECT pgperf.stop_all();

-- A run belongs to the transaction that started it.
BEGIN;
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1) AS run_id \gset
SELECT status FROM pgperf.runs WHERE run_id = :run_id;
ROLLBACK;
SELECT count(*) AS runs FROM pgperf.runs WHERE run_id = :run_id;
BEGIN;
SAVEPOINT s;
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1) AS undone \gset
ROLLBACK TO s;
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1) AS run_id \gset
COMMIT;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT count(*) AS runs FROM pgperf.runs WHERE run_id IN (:undone, :run_id);

-- A variable that nothing sets is NULL, which a notice says. Another script or the call may set it.
BEGIN;
SET LOCAL client_min_messages = notice;
SELECT pgperf.start_run(script => E'\\set aid 1\nSELECT :aid::int, :adi::int;', transactions_per_client => 1) > 0 AS started;
SELECT pgperf.start_run(script => 'SELECT :adi::int;', query_mode => 'extended', transactions_per_client => 1) > 0 AS started;
SELECT pgperf.start_run(script => 'SELECT :adi::int;', variables => '{"adi": "1"}', transactions_per_client => 1) > 0 AS started;
SELECT pgperf.start_run(scripts => ARRAY['SELECT :adi::int;', E'SELECT 1 AS i \\gset ad'], transactions_per_client => 1) > 0 AS started;
SELECT pgperf.start_sweep(script => 'SELECT :adi::int;', clients => '{1,2}', repetitions => 1, duration => '1 s') > 0 AS started;
ROLLBACK;

-- The run is deleted with everything that belongs to it.
SELECT run_id FROM pgperf.runs WHERE label = 'run_test' \gset
SELECT pgperf.delete_run(:run_id);
SELECT (SELECT count(*) FROM pgperf_internal.stored_runs WHERE run_id = :run_id) AS runs,
       (SELECT count(*) FROM pgperf_internal.run_totals WHERE run_id = :run_id) AS totals,
       (SELECT count(*) FROM pgperf.run_intervals WHERE run_id = :run_id) AS intervals,
       (SELECT count(*) FROM pgperf.run_statements WHERE run_id = :run_id) AS statements,
       (SELECT count(*) FROM pgperf.run_metrics WHERE run_id = :run_id) AS metrics,
       (SELECT count(*) FROM pgperf.samples WHERE run_id = :run_id) AS samples,
       (SELECT count(*) FROM pgperf.bloat_history WHERE run_id = :run_id) AS bloat,
       (SELECT count(*) FROM pgperf.wal_history WHERE run_id = :run_id) AS wal;
SELECT pgperf.delete_run(:run_id) AS deleted_again;

SELECT bool_and(pgperf.delete_run(run_id)) AS all_deleted FROM pgperf.runs WHERE run_id >= :first_id;
DELETE FROM pgperf.data_sets WHERE schema_name = 'run_test';
DROP SCHEMA run_test CASCADE;
