-- Runs that continue after an interruption: the calls that resume_run refuses before anything starts, and the rows it leaves.
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_pgperf_resumer LOGIN;
CREATE ROLE regress_pgperf_resumed LOGIN;
GRANT USAGE ON SCHEMA pgperf TO regress_pgperf_resumer, regress_pgperf_resumed;
SELECT count(*) AS granted FROM information_schema.role_routine_grants
WHERE routine_schema = 'pgperf' AND routine_name = 'resume_run' AND grantee = 'PUBLIC';
SELECT nextval('pgperf_internal.run_id_seq') AS first_id \gset
SET ROLE regress_pgperf_resumer;
SELECT pgperf.resume_run();
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT pgperf.resume_run(0);
\echo :LAST_ERROR_SQLSTATE

-- A run that reaches its end needs nothing afterwards. It has one segment.
SELECT pgperf.start_run(script => 'SELECT 1;', clients => 2, transactions_per_client => 10, resume => true) AS run_id \gset
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT status, resume, resumed_at IS NULL AS never_resumed FROM pgperf.runs WHERE run_id = :run_id;
SELECT segment_no, transactions, gap_s, ended_by, reason, first_interval_no, seconds > 0 AS measured, ended_at > started_at AS ended,
       server_started_at = pg_postmaster_start_time() AS here
FROM pgperf.run_segments WHERE run_id = :run_id;
SELECT count(*) AS points FROM pgperf_internal.resume_points;
SELECT count(*) AS told FROM pgperf.report(:run_id) line WHERE line ~ 'interrupted';
SELECT (pgperf.report_json(:run_id) -> 'segments' -> 0 ->> 'transactions')::int AS transactions;
SELECT pgperf.report_json(:run_id) ->> 'call' ~ 'resume => true' AS resumes;
DO $$ BEGIN PERFORM pgperf.resume_run(); EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'); END $$;

-- A run that was started without resume.
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h', sample_interval => '0.1 s') AS run_id \gset
DO $$
BEGIN
    FOR i IN 1..600 LOOP
        EXIT WHEN pgperf.run_status() = 'running';
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;
DO $$ BEGIN PERFORM pgperf.resume_run(); EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT pg_terminate_backend(leader_pid) FROM pgperf_internal.stored_runs WHERE run_id = :run_id;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
DO $$ BEGIN PERFORM pgperf.resume_run(); EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'); END $$;
SELECT pgperf.stop_run(:run_id) AS stopped;
SELECT count(*) AS segments FROM pgperf.run_segments WHERE run_id = :run_id;

-- A run that was started with it, by a role that may no longer start runs. Another role must not resume it either.
GRANT EXECUTE ON FUNCTION pgperf.start_run, pgperf.resume_run(bigint) TO regress_pgperf_resumed;
GRANT EXECUTE ON FUNCTION pgperf.resume_run(bigint) TO regress_pgperf_resumer;
SET ROLE regress_pgperf_resumed;
SELECT pgperf.start_run(script => 'SELECT pg_sleep(0.01);', duration => '1 h', sample_interval => '0.1 s', resume => true) AS run_id \gset
RESET ROLE;
DO $$
BEGIN
    FOR i IN 1..600 LOOP
        EXIT WHEN (SELECT count(*) FROM pgperf.run_intervals WHERE run_id = (SELECT max(run_id) FROM pgperf_internal.stored_runs)) > 2;
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;
SELECT pg_terminate_backend(leader_pid) FROM pgperf_internal.stored_runs WHERE run_id = :run_id;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT ended_by, reason FROM pgperf.run_segments WHERE run_id = :run_id;
REVOKE EXECUTE ON FUNCTION pgperf.start_run FROM regress_pgperf_resumed;
DO $$ BEGIN PERFORM pgperf.resume_run(); EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'); END $$;
GRANT EXECUTE ON FUNCTION pgperf.start_run TO regress_pgperf_resumed;
SET ROLE regress_pgperf_resumer;
DO $$ BEGIN PERFORM pgperf.resume_run(); EXCEPTION WHEN OTHERS THEN RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N'); END $$;
RESET ROLE;
SET default_transaction_read_only = on;
SELECT pgperf.resume_run();
\echo :LAST_ERROR_SQLSTATE
RESET default_transaction_read_only;
-- A document of the run has its segments, but the run cannot be resumed elsewhere.
SELECT d -> 'contents' ? 'stored_segments' AS segments, d -> 'contents' ? 'resume_points' AS points
FROM pgperf.export_run(:run_id) d;
SELECT count(*) AS points FROM pgperf_internal.resume_points;
SELECT pgperf.resume_run() = :run_id AS resumed;
DO $$
BEGIN
    FOR i IN 1..600 LOOP
        EXIT WHEN (SELECT max(segment_no) = 1 AND bool_and(seconds > 0) FROM pgperf.run_segments
                   WHERE run_id = (SELECT max(run_id) FROM pgperf_internal.stored_runs));
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;
SELECT pgperf.stop_run() AS stopped;
CALL pgperf.wait_run(:run_id, timeout => '60 s');
SELECT segment_no, ended_by, reason, gap_s > 0 AS gap, seconds > 0 AS measured, transactions > 0 AS counted
FROM pgperf.run_segments WHERE run_id = :run_id ORDER BY segment_no;
SELECT (SELECT sum(transactions) FROM pgperf.run_intervals WHERE run_id = :run_id) = transactions AS adds_up,
       (SELECT sum(seconds) FROM pgperf.run_intervals WHERE run_id = :run_id) - duration_s < 0.001 AS seconds_too
FROM pgperf.run_summary WHERE run_id = :run_id;
SELECT line ~ 'interrupted once' AS told FROM pgperf.report(:run_id) line WHERE line ~ 'interrupted';

-- The runs are deleted with everything that belongs to them.
SELECT bool_and(pgperf.delete_run(run_id)) AS all_deleted FROM pgperf.runs WHERE run_id >= :first_id;
SELECT (SELECT count(*) FROM pgperf_internal.stored_segments WHERE run_id >= :first_id) AS segments,
       (SELECT count(*) FROM pgperf_internal.resume_points WHERE run_id >= :first_id) AS points;
DROP OWNED BY regress_pgperf_resumer, regress_pgperf_resumed;
DROP ROLE regress_pgperf_resumer, regress_pgperf_resumed;
