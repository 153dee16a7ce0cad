-- Runs on several nodes, and at a given moment: what is refused before anything is asked of a node.
\set VERBOSITY terse
SELECT pgperf.start_run(script => 'SELECT 1;', start_at => '2020-01-01');
SELECT pgperf.start_run(script => 'SELECT 1;', start_at => 'infinity');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{}');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a,a@2}', clients => 2);
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a,NULL}', clients => 2);
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a@0}');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a,b}');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{nowhere}');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', server => 'a');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', servers => '{a}');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', transport => 'wire');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', resume => true);
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', until_precise => '2%');
SELECT pgperf.start_run(script => 'SELECT 1;', nodes => '{a}', alternate => '{"work_mem": ["4MB", "8MB"]}');
SELECT count(*) FROM pgperf.runs WHERE spec ? 'nodes';

-- What a node is asked is for roles that may call start_run there, and about their runs.
CREATE ROLE regress_pgperf_stranger LOGIN;
SET ROLE regress_pgperf_stranger;
SELECT pgperf_internal.check_part('{"script": "SELECT 1;"}', 0, 1);
SELECT pgperf_internal.start_part('{"script": "SELECT 1;"}', 0, 1, 'group');
RESET ROLE;
SELECT jsonb_typeof(pgperf_internal.check_part('{"script": "SELECT 1;"}', 0, 1) -> 'system_identifier') AS identifier;
SELECT pgperf_internal.check_part('{"script": "SELECT 1;", "no_such": 1}', 0, 1);

-- A part is a run whose clients are counted with those of others. Without a number, a run is never a part of another.
CREATE TABLE numbered (client integer, clients integer);
SELECT pgperf_internal.start_part('{"script": "INSERT INTO numbered VALUES (:client_id, :pgperf_clients);", "clients": 2, "transactions_per_client": 1}', 3, 9, 'group') AS part \gset
CALL pgperf.wait_run(:part);
SELECT * FROM numbered ORDER BY client;
SELECT spec ->> 'group_id' AS group_id, spec -> 'share' AS share FROM pgperf.runs WHERE run_id = :part;
SELECT p ->> 'status' AS status, p -> 'is_ready' AS is_ready, jsonb_array_length(p -> 'intervals') > 0 AS has_intervals
FROM pgperf_internal.part_progress(:part, 0) p;
SELECT (SELECT found_id FROM pgperf_internal.find_run(NULL::bigint)) IS DISTINCT FROM :part AS is_another;
SET ROLE regress_pgperf_stranger;
\set VERBOSITY sqlstate
SELECT pgperf_internal.part_progress(:part, 0);
RESET ROLE;
SELECT pgperf.delete_run(:part);
DROP TABLE numbered;
DROP ROLE regress_pgperf_stranger;
