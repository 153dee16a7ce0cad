-- Sessions by wait event.
SET client_min_messages = warning;
SELECT pgperf.start_run(script => 'SELECT pg_sleep(600);', clients => 3, duration => '1 h', sample_interval => '1 s', collectors => '{waits}') AS run_id \gset
DO $$
BEGIN
    FOR i IN 1..1500 LOOP
        -- All three sleep.
        EXIT WHEN (SELECT count(*) >= 2 FROM pgperf.wait_rates
                   WHERE source = 'run clients' AND state = 'active' AND wait_event = 'PgSleep' AND seen = 3 * looks);
        PERFORM pg_sleep(0.02);
    END LOOP;
END
$$;
SELECT min(sample_id) AS sample FROM pgperf.snapshot('{waits}') \gset
-- One look at everybody: the run's clients are among them.
SELECT source, state, wait_event_type, wait_event, looks, seen, average_sessions
FROM pgperf.wait_rates WHERE sample_id = :sample AND backend_type = 'pgperf client';
SELECT bool_and(wait_event_type IS DISTINCT FROM 'Activity') AS nobody_idle_for_want_of_work, abs(sum(percent) - 100) < 0.001 AS all_is_100_percent
FROM pgperf.wait_rates WHERE sample_id = :sample;
-- Many looks at the run's clients.
SELECT backend_type, state, wait_event_type, wait_event, bool_and(looks > 1) AS many_looks, bool_and(seen <= 3 * looks) AS three_at_most,
       max(average_sessions) > 2 AS most_of_the_time
FROM pgperf.wait_rates WHERE run_id = :run_id AND source = 'run clients' AND wait_event = 'PgSleep' GROUP BY 1, 2, 3, 4;
SELECT pgperf.stop_run(:run_id);
SELECT pgperf.stop_run(:run_id) IS NOT NULL AS again;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
-- Only the requested collector was run.
SELECT DISTINCT collector FROM pgperf.sample_outcomes WHERE run_id = :run_id;
SELECT pgperf.delete_run(:run_id);

-- The collectors of a run: bad input.
\set VERBOSITY terse
SELECT pgperf.start_run(script => 'SELECT 1;', collectors => '{wal,walls}');
SELECT pgperf.start_run(script => 'SELECT 1;', collectors => '{wal@0 s}');
SELECT pgperf.start_run(script => 'SELECT 1;', collectors => '{wal@soon}');
SELECT pgperf.start_run(script => 'SELECT 1;', collectors => '{wal,waits,wal@2s}');
SELECT pgperf.start_run(script => 'SELECT 1;', collectors => ARRAY[NULL]);
\set VERBOSITY default
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, collectors => '{}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT count(*) AS samples FROM pgperf.samples WHERE run_id = :run_id;
SELECT pgperf.delete_run(:run_id);
-- One collector with an interval of its own, one at the start and end of the run.
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '1.2 s', sample_interval => '0.1 s', rate => 20, collectors => '{wal@0.5 s, settings}') AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT collector, count(*) > 2 AS in_between FROM pgperf.sample_outcomes WHERE run_id = :run_id GROUP BY 1 ORDER BY 1;
SELECT pgperf.delete_run(:run_id);
