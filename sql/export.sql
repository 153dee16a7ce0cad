-- A made-up run, exported and imported again. tests/results/export.rs does this with another server.
\set SHOW_CONTEXT never
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_pgperf_runner;
CREATE ROLE regress_pgperf_stranger;
SELECT pgperf.local_node() AS node \gset
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status, server_version, start_lsn, start_full_xid)
VALUES (:'node', 6001, 'run', 'it''s "one"', 'script', 'regress_pgperf_runner', 1, 'simple', '{"call": {"script": "SELECT 1;"}}', 'finished', '15.20', '1/2', '4294967300');
INSERT INTO pgperf.run_intervals (node_id, run_id, interval_no, started_at, seconds, transactions, tps, latency_max_ms,
    failed, retried, retries, skipped, late, wal_bytes, shared_blks_hit, shared_blks_read, histogram)
VALUES (:'node', 6001, 0, '2026-01-01 00:00:00.25+00', 1, 2, 2, 2.5, 0, 0, 0, 0, 0, 0, 0, 0,
        '\x1c84931300000006000000000000000200000000000000080000034630b8a0003ff0000000000000e71502fd0102');
INSERT INTO pgperf.run_metrics (node_id, run_id, metric, value, unit) VALUES (:'node', 6001, 'pgperf_none', 1e300, 'per minute');
INSERT INTO pgperf.samples (node_id, sample_id, taken_at, run_id, epoch, elapsed_ms, rows, pages, wal_bytes, outcomes, cadence)
VALUES (:'node', 6001, '2026-01-01', 6001, 1, 1, 1, 0, 0, '{"wal": {"status": "ok"}}', '1 day 2 hours');
CREATE TABLE document AS SELECT pgperf.export_run(6001) AS d;
SELECT d ->> 'format', d -> 'version', d -> 'contents', d -> 'node' -> 'node_id' = d -> 'run' -> 'node_id' FROM document;
SELECT k FROM document, jsonb_object_keys(d) k ORDER BY k;
SELECT d -> 'run' ->> 'label', (d -> 'run' ->> 'start_lsn')::pg_lsn = '1/2', d -> 'run' ->> 'start_full_xid', d -> 'run' ? 'leader_pid' FROM document;
SELECT d -> 'tables' -> 'run_intervals' -> 'rows' -> 0 -> 2, d #>> '{tables,run_intervals,rows,0,-5}' FROM document;

-- The run is here already.
SELECT pgperf.import_run(d) FROM document;
-- A document cannot create a run that was measured on this node.
SELECT pgperf.delete_run(6001);
SELECT pgperf.import_run(d) FROM document;
-- The same as a run of another server, with a number of its own.
\set elsewhere 00000000-0000-4000-8000-000000000001
UPDATE document SET d = jsonb_set(jsonb_set(d, '{run,node_id}', to_jsonb(:'elsewhere'::text)), '{node}',
    d -> 'node' || jsonb_build_object('node_id', :'elsewhere', 'name', 'elsewhere', 'database_oid', 0::oid, 'first_of', NULL));
SELECT pgperf.import_run(d, 'back') AS run_id FROM document \gset
SELECT :run_id <> 6001, :run_id = pgperf.import_run(d) FROM document;
SELECT label, status, origin_node_id = :'elsewhere', origin_run_id, origin_role, role = current_user, start_lsn = '1/2', start_full_xid FROM pgperf.runs WHERE run_id = :run_id;
SELECT started_at = '2026-01-01 00:00:00.25+00', latency_max_ms, pgperf.histogram_count(histogram), in_checkpoint IS NULL FROM pgperf.run_intervals WHERE run_id = :run_id;
SELECT metric, value FROM pgperf.run_metrics WHERE run_id = :run_id;
SELECT cadence, outcomes FROM pgperf.samples WHERE run_id = :run_id;
SELECT count(*) FROM pgperf_internal.pinned_runs WHERE run_id = :run_id;
SELECT line ~ 'imported: run 6001 on node' FROM pgperf.report(:run_id) line WHERE line LIKE 'run %';
-- Exported again, the document is the same.
SELECT pgperf.export_run(:run_id) - '{exported_at,run}'::text[] = d - '{exported_at,run}'::text[],
       (pgperf.export_run(:run_id) -> 'run') - 'label' = (d -> 'run') - 'label' FROM document;
SELECT pgperf.delete_run(:run_id);

-- Anything that is not a document, or a damaged one, leaves nothing behind.
\set VERBOSITY default
SELECT pgperf.import_run(NULL);
SELECT pgperf.import_run('{}');
SELECT pgperf.import_run(d || '{"version": 2}') FROM document;
\echo :LAST_ERROR_SQLSTATE
SELECT pgperf.import_run(d - 'run') FROM document;
SELECT pgperf.import_run(d #- '{tables,run_intervals,rows,0}') FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows,0,0}', '"x; DROP TABLE x"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,samples,rows,0,0}', 'null')) IS NULL FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,samples,rows,0,1}', '"infinity"')) IS NULL FROM document;
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY terse
SELECT pgperf.import_run(jsonb_set(d, '{version}', '"1"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{run,run_id}', '-1')) FROM document;
SELECT pgperf.import_run(d #- '{contents,run_intervals}') FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows}', '{}')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,columns}', '"tps"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,columns,3}', '"tps"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows,0,4}', '"NaN"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows,0,1}', '"infinity"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows,0,2}', '-5')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables,run_intervals,rows,0,1}', '"1999-12-31T00:00:00Z"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{run,ended_at}', '"2099-01-01T00:00:00Z"')) FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{tables}', 'null')) FROM document;
SELECT pgperf.import_run(d #- '{run,kind}') FROM document;
SELECT pgperf.import_run(jsonb_set(d, '{run,kind}', '"sprint"')) FROM document;
SELECT count(*) FROM pgperf_internal.stored_runs WHERE origin_run_id = 6001;
-- Contents that only another version knows are left out.
SELECT pgperf.import_run(jsonb_set(d, '{contents,run_dreams}', '3')) AS run_id FROM document \gset
SET client_min_messages = warning;
SELECT pgperf.import_run(d, label => 'another') = :run_id FROM document;
RESET client_min_messages;
SELECT pgperf.delete_run(:run_id);

-- Privileges.
\set VERBOSITY terse
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, workload, role, clients, query_mode, spec, stored_status, server_version)
VALUES (:'node', 6002, 'run', 'script', 'regress_pgperf_runner', 1, 'simple', '{}', 'finished', '15.20');
SET ROLE regress_pgperf_stranger;
SELECT pgperf.export_run(6002);
SELECT pgperf.import_run('{}');
SELECT pgperf_internal.run_document(NULL, 1, true, true);
SELECT pgperf_internal.store_document('{}', NULL, NULL);
SET ROLE regress_pgperf_runner;
SELECT pgperf.export_run(6002) ->> 'format';
RESET ROLE;
SELECT pgperf.delete_run(6002);
SELECT pgperf.export_run(4711);
DROP TABLE document;
DROP ROLE regress_pgperf_runner, regress_pgperf_stranger;
