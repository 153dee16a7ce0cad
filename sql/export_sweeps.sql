-- A made-up sweep, exported and imported again. tests/results/sweep_documents.rs does this with another server.
\set SHOW_CONTEXT never
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_pgperf_runner;
CREATE ROLE regress_pgperf_stranger;
SELECT pgperf.local_node() AS node \gset
INSERT INTO pgperf_internal.stored_sweeps (node_id, sweep_id, label, role, repetitions, random_seed, run_order, spec, stored_status, server_version, worker_pid)
VALUES (:'node', 7001, 'it''s "one"', 'regress_pgperf_runner', 2, 1, '{1,2,2,1}', '{"run_tries": 1, "run_order": "given", "init": "never", "checkpoint": false}', 'stopped', '15.20', 1);
INSERT INTO pgperf_internal.stored_sweep_points (node_id, sweep_id, point_no, workload, clients, query_mode, settings, combination, arguments)
SELECT :'node', 7001, n, 'select-only', clients, 'prepared', '{"jit": false}', '', '{"workload": "select-only"}' FROM unnest('{1,4}'::int[]) WITH ORDINALITY u (clients, n);
CREATE TEMP TABLE made_up AS
SELECT 7000 + position AS run_id, position, point_no, repetition, tps
FROM (VALUES (1, 1, 1, 1000), (2, 2, 1, 3000), (3, 2, 2, 3100)) v (position, point_no, repetition, tps);
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status, started_at, measured_at, ended_at, server_version)
SELECT :'node', run_id, 'run', 'one: clients=1', 'select-only', 'regress_pgperf_runner', 1, 'prepared', '{"duration_s": 20}', 'finished', '2026-01-01', '2026-01-01', '2026-01-01', '15.20' FROM made_up;
INSERT INTO pgperf_internal.run_totals (node_id, run_id, seconds, transactions, failed, serialization_failures, deadlock_failures, other_failures, retried, retries, skipped, late, warmup_transactions, reconnects)
SELECT :'node', run_id, 20, tps * 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM made_up;
-- The load before the first run is gone, and the last run has failed.
INSERT INTO pgperf_internal.sweep_attempts (node_id, sweep_id, position, attempt, point_no, repetition, run_id, started_at, ended_at, outcome)
SELECT :'node', 7001, position, 1, point_no, repetition, run_id, '2026-01-01', '2026-01-01', 'finished' FROM made_up;
INSERT INTO pgperf_internal.sweep_attempts (node_id, sweep_id, position, attempt, point_no, repetition, started_at, ended_at, outcome, sqlstate, error)
VALUES (:'node', 7001, 4, 1, 1, 2, '2026-01-01', '2026-01-01', 'failed', '22012', 'division by zero');
CREATE TABLE document AS SELECT pgperf.export_sweep(7001) AS d;
SELECT d ->> 'format', d -> 'version', d -> 'contents', d -> 'node' -> 'node_id' = d -> 'sweep' -> 'node_id' FROM document;
SELECT k FROM document, jsonb_object_keys(d) k ORDER BY k;
SELECT d -> 'sweep' ->> 'label', d -> 'sweep' -> 'run_order', d -> 'sweep' ? 'worker_pid', d #> '{points,1,clients}', d #> '{attempts,3,error}' FROM document;
SELECT r ->> 'format', r #> '{run,run_id}' FROM document, jsonb_array_elements(d -> 'runs') r;

-- The sweep is here already.
SELECT pgperf.import_sweep(d) FROM document;
-- A document cannot create one of this node.
SELECT pgperf.delete_sweep(7001, runs => true);
SELECT pgperf.import_sweep(d) FROM document;
-- The same as a sweep of another server, with numbers of its own.
UPDATE document SET d = replace(replace(d::text, (d -> 'node')::text, (d -> 'node' || jsonb_build_object('name', 'afar', 'database_oid', 0::oid, 'first_of', NULL))::text),
    :'node', '00000000-0000-4000-8000-000000000002')::jsonb;
SELECT pgperf.import_sweep(d, 'back') AS sweep_id FROM document \gset
SELECT :sweep_id <> 7001, :sweep_id = pgperf.import_sweep(d) FROM document;
SET client_min_messages = warning;
SELECT pgperf.import_sweep(d, 'again') = :sweep_id FROM document;
RESET client_min_messages;
SELECT label, status, runs, finished, failed, origin_sweep_id, origin_role, role = current_user, origin_node_id = '00000000-0000-4000-8000-000000000002'
  FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT clients, n, tps, tps_values, failed_runs, error FROM pgperf.sweep_points WHERE sweep_id = :sweep_id ORDER BY clients;
SELECT position, status, tps, error FROM pgperf.sweep_runs WHERE sweep_id = :sweep_id ORDER BY position;
SELECT r.sweep_point, r.sweep_repetition, r.origin_run_id, r.label FROM pgperf.runs r WHERE r.sweep_id = :sweep_id ORDER BY r.origin_run_id;
SELECT clients, n, tps FROM pgperf.sweep_peak(:sweep_id);
SELECT combination, loads, n, reason FROM pgperf.sweep_scalability(:sweep_id);
SELECT regexp_replace(line, '^sweep [0-9]+(.*), [0-9.]+ s$', 'sweep #\1') FROM pgperf.sweep_report(:sweep_id) AS line WHERE line ~ '^sweep|peak:';
SELECT pgperf.sweep_status(:sweep_id), pgperf.sweep_html(:sweep_id) ~ '>back<';
-- It ran elsewhere.
\set VERBOSITY sqlstate
SELECT pgperf.resume_sweep(:sweep_id);
\set VERBOSITY terse
SELECT pgperf.stop_sweep(:sweep_id);
-- Exported again, the document is the same.
SELECT jsonb_set(a, '{sweep,label}', 'null') - '{exported_at,runs,pgperf_version}'::text[] = jsonb_set(d, '{sweep,label}', 'null') - '{exported_at,runs,pgperf_version}'::text[],
       (SELECT jsonb_agg(r - 'exported_at') FROM jsonb_array_elements(a -> 'runs') r) = (SELECT jsonb_agg(r - 'exported_at') FROM jsonb_array_elements(d -> 'runs') r)
  FROM document, pgperf.export_sweep(:sweep_id) a;
-- Without the sweep, its runs stay; without its runs, it takes those that are here.
SELECT pgperf.delete_sweep(:sweep_id);
SELECT pgperf.import_sweep(d || '{"runs": []}' || jsonb_build_object('contents', d -> 'contents' || '{"runs": 0}')) AS sweep_id FROM document \gset
SELECT finished, label FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT pgperf.export_sweep(:sweep_id, runs => false) -> 'contents';
SELECT pgperf.delete_sweep(:sweep_id, runs => true);
SELECT pgperf.import_sweep(d || '{"runs": []}' || jsonb_build_object('contents', d -> 'contents' || '{"runs": 0}')) FROM document;
\echo :LAST_ERROR_SQLSTATE

-- Anything that is not a document, or a damaged one, leaves nothing behind.
\set VERBOSITY default
SELECT pgperf.import_sweep(NULL);
SELECT pgperf.import_sweep('{}');
SELECT pgperf.import_sweep(d #> '{runs,0}') FROM document;
SELECT pgperf.import_sweep(d || '{"version": 2}') FROM document;
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.import_sweep(d - 'sweep') FROM document;
\set VERBOSITY terse
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,sweep_id}', '-1')) FROM document;
SELECT pgperf.import_sweep(d #- '{points,0}') FROM document;
SELECT pgperf.import_sweep(d - 'attempts') FROM document;
SELECT pgperf.import_sweep(d #- '{runs,0,tables,run_totals,rows,0}') FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{runs,0,run,node_id}', '"00000000-0000-4000-8000-000000000003"')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{runs,0,run,spec,duration_s}', '"long"')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,spec}', '{}')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,spec,precision}', '{"wanted": "x"}')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,run_order}', '[1,2,2,3]')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,requested_at}', '"infinity"')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{sweep,stored_status}', '"dreaming"')) IS NULL FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{attempts,0,run_id}', '7002')) IS NULL FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{attempts,0,run_id}', '4711')) FROM document;
SELECT pgperf.import_sweep(jsonb_set(d, '{points,0,clients}', '"many"')) FROM document;
SELECT count(*) FROM pgperf_internal.stored_sweeps WHERE origin_sweep_id = 7001;
SELECT count(*) FROM pgperf_internal.stored_runs WHERE origin_run_id BETWEEN 7001 AND 7003;

-- Privileges: as for runs.
GRANT EXECUTE ON FUNCTION pgperf.import_run, pgperf.import_sweep TO regress_pgperf_runner;
INSERT INTO pgperf_internal.stored_sweeps (node_id, sweep_id, role, repetitions, random_seed, run_order, spec, stored_status)
VALUES (:'node', 7002, 'regress_pgperf_runner', 1, 1, '{}', '{"run_tries": 1, "run_order": "given", "init": "never", "checkpoint": false}', 'finished');
SET ROLE regress_pgperf_stranger;
SELECT pgperf.export_sweep(7002);
SELECT pgperf.import_sweep('{}');
SELECT pgperf_internal.sweep_document(NULL, 1, true, true, true);
SELECT pgperf_internal.store_sweep_document('{}', NULL, NULL);
SET ROLE regress_pgperf_runner;
SELECT pgperf.export_sweep(7002) ->> 'format';
RESET ROLE;
SELECT pgperf.delete_sweep(7002);
-- A run that is here already is that of another role.
GRANT SELECT ON document TO regress_pgperf_runner;
SELECT pgperf.import_run(d #> '{runs,0}') AS run_id FROM document \gset
SET ROLE regress_pgperf_runner;
\set VERBOSITY sqlstate
SELECT pgperf.import_sweep(d) FROM document;
\set VERBOSITY terse
RESET ROLE;
SELECT pgperf.delete_run(:run_id);
SET ROLE regress_pgperf_runner;
SELECT pgperf.import_sweep(d) AS sweep_id FROM document \gset
SELECT count(*) FROM pgperf.sweep_report(:sweep_id) AS line WHERE line ~ 'peak:';
RESET ROLE;
SELECT role, origin_role FROM pgperf.sweeps WHERE sweep_id = :sweep_id;
SELECT pgperf.delete_sweep(:sweep_id, runs => true);
SELECT pgperf.export_sweep(4711);
DROP TABLE document;
REVOKE EXECUTE ON FUNCTION pgperf.import_run, pgperf.import_sweep FROM regress_pgperf_runner;
DROP ROLE regress_pgperf_runner, regress_pgperf_stranger;
