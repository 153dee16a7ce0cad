-- Names of nodes: chosen before the first run, and always different.
\set VERBOSITY default
SELECT pgperf.local_node() AS node \gset
SELECT name AS old_name FROM pgperf.nodes WHERE node_id = :'node' \gset
BEGIN;
DELETE FROM pgperf.nodes;
SELECT pgperf.set_node_name('  lab ') = pgperf.local_node() AS is_local;
SELECT count(*), min(name) FROM pgperf.nodes;
ROLLBACK;
SELECT pgperf.set_node_name('lab') = pgperf.local_node() AS is_local;
SELECT pgperf.set_node_name('lab') = pgperf.local_node() AS again;
SELECT pgperf.set_node_name(NULL);
SELECT pgperf.set_node_name(' ');

-- Imported nodes with a name that is in use get a number; renaming a node to such a name is an error.
COPY pgperf.nodes (node_id, name, system_identifier, database_oid, database_name) FROM STDIN;
00000000-0000-0000-0000-0000000000a1	lab	1	1	app
00000000-0000-0000-0000-0000000000a2	lab	2	2	app
00000000-0000-0000-0000-0000000000a3	other	3	3	app
\.
SELECT node_id, name FROM pgperf.nodes WHERE node_id::text LIKE '%-0000000000a_' ORDER BY 1;
SELECT pgperf.set_node_name('lab (2)');
\set VERBOSITY sqlstate
SELECT pgperf.set_node_name('lab (2)');
UPDATE pgperf.nodes SET name = 'lab' WHERE name = 'other';
\set VERBOSITY default
SET session_replication_role = replica;
UPDATE pgperf.nodes SET name = 'lab' WHERE name = 'other';
RESET session_replication_role;
SELECT name FROM pgperf.nodes WHERE node_id::text LIKE '%-0000000000a3';

-- A document of a node whose name is in use here stays apart from the node with this name.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status)
VALUES ('00000000-0000-0000-0000-0000000000a1', 7001, 'run', 'regress of a1', 'script', current_user, 1, 'simple', '{}', 'finished');
UPDATE pgperf.nodes SET name = 'a1, moved' WHERE node_id::text LIKE '%-0000000000a1';
SELECT pgperf_internal.run_document('00000000-0000-0000-0000-0000000000a1', 7001, false, false) AS document \gset

-- A run of another node, as a dump or pg_upgrade brings it, is found by its number; it cannot go on here.
SELECT count(*) FROM pgperf.report(7001) line WHERE line LIKE '%"regress of a1"%';
SELECT pgperf.export_run(7001) #>> '{run,label}' AS exported, pgperf.pin_run(7001) AS pinned, pgperf.pin_run(7001, false) AS unpinned,
       pgperf.run_status(7001), pgperf.stop_run(7001) AS stopped;
SELECT count(*) FROM pgperf.transaction_log(7001);
SELECT count(*) > 0 AS logged FROM pgperf.histogram_log(7001);
SELECT pgperf.resume_run(7001);

-- Its name, with that of its node or with the node's id, is enough for every call. A number is one as a text, too, and no label hides it.
SELECT pgperf.export_run('a1, moved/7001') #>> '{run,label}' AS by_name, pgperf.export_run('00000000-0000-0000-0000-0000000000A1/7001') #>> '{run,label}' AS by_id,
       pgperf.export_run('regress of a1') #>> '{run,run_id}' AS by_label, pgperf.export_run('7001') #>> '{run,label}' AS by_text;
SELECT pgperf.pin_run('a1, moved/7001') AS pinned, pgperf.pin_run('7001', false) AS unpinned, pgperf.pin_run('regress of a1', pinned => false) AS again,
       pgperf.run_status('a1, moved/7001'), pgperf.stop_run('a1, moved/7001') AS stopped;
SELECT count(*) FROM pgperf.transaction_log('a1, moved/7001');
SELECT count(*) > 0 AS logged FROM pgperf.histogram_log('a1, moved/7001');
SELECT pgperf.report_junit('a1, moved/7001') LIKE '%<testsuite %' AS tested, pgperf.report_junit('7001', baseline => NULL) LIKE '%<testsuite %' AS by_text;
SELECT pgperf.require_expectations('a1, moved/7001');
SELECT pgperf.set_baseline('of a1', 'a1, moved/7001'), pgperf.drop_baseline('of a1');
SELECT pgperf.rate_search_report('a1, moved/7001');
CALL pgperf.wait_run('a1, moved/7001');

-- Two nodes have a run of one number: a repository has them. What only the run's own server can do is not done to a run of that number here.
INSERT INTO pgperf_internal.stored_runs (node_id, run_id, kind, label, workload, role, clients, query_mode, spec, stored_status)
VALUES ('00000000-0000-0000-0000-0000000000a2', 7001, 'run', '7001', 'script', current_user, 1, 'simple', '{}', 'running');
SELECT pgperf.export_run('a1, moved/7001') #>> '{run,label}' AS of_a1, pgperf.run_status('lab (3)/7001') AS of_a2;
SELECT pgperf.stop_run('lab (3)/7001');
SELECT pgperf.alter_run('lab (3)/7001', 10);
SELECT pgperf.resume_run('lab (3)/7001');
CALL pgperf.wait_run('lab (3)/7001');
DELETE FROM pgperf_internal.stored_runs WHERE node_id = '00000000-0000-0000-0000-0000000000a2';
SELECT pgperf.delete_run('lab (3)/7001') AS deleted, pgperf.delete_run('nobody/1') AS again, pgperf.delete_run(NULL) IS NULL AS unnamed;
SELECT pgperf.stop_run('nobody/1');
SELECT pgperf.stop_run('0');

-- Groups.
SELECT pgperf.set_node_group(' production ', node => 'a1, moved') = '00000000-0000-0000-0000-0000000000a1' AS grouped;
SELECT pgperf.set_node_group('staging') = pgperf.local_node() AS grouped;
SELECT group_name, count(*) FROM pgperf.nodes WHERE group_name IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT pgperf.set_node_group(NULL) = pgperf.local_node() AS ungrouped;
SELECT pgperf.set_node_group('x', node => 'nobody');
-- A change on the node itself, which is replicated, leaves it in its group.
SET session_replication_role = replica;
UPDATE pgperf.nodes SET name = 'a1, moved', group_name = NULL WHERE node_id::text LIKE '%-0000000000a1';
RESET session_replication_role;
SELECT group_name FROM pgperf.nodes WHERE name = 'a1, moved';
SELECT pgperf.delete_run(7001), pgperf.delete_run(7001) AS again;
DELETE FROM pgperf.nodes WHERE node_id::text LIKE '%-0000000000a1';
SELECT pgperf.import_run(jsonb_set(:'document', '{node,name}', '"lab"')) AS imported \gset
SELECT name FROM pgperf.nodes WHERE node_id::text LIKE '%-0000000000a1';
SELECT count(*) FROM pgperf.report('lab (2)/7001') line WHERE line LIKE '%"regress of a1"%';
SELECT count(*) FROM pgperf.report('lab/7001');

-- A new node on this installation does not take the name of another one.
BEGIN;
SELECT pgperf.new_node() <> (SELECT node_id FROM pgperf.nodes WHERE name = 'lab') AS is_new;
SELECT pgperf.new_node() IS NOT NULL AS is_new;
SELECT count(*) = count(DISTINCT name) AS all_differ FROM pgperf.nodes;
ROLLBACK;

SELECT pgperf.delete_run(:imported);
DELETE FROM pgperf.nodes WHERE node_id::text LIKE '%-0000000000a_';
SELECT pgperf.set_node_name(:'old_name') = pgperf.local_node() AS named_as_before;
CREATE ROLE regress_pgperf_stranger;
SET ROLE regress_pgperf_stranger;
SELECT pgperf.set_node_name('mine');
SELECT pgperf.set_node_group('mine');
SELECT * FROM pgperf_internal.find_run('nobody/1');
RESET ROLE;
DROP ROLE regress_pgperf_stranger;

-- Figures are rounded like numeric values; counts lose no digit.
SELECT pgperf.round(15906.880506916636, 2), pgperf.round(15906.880506916636::float8, -2), pgperf.round(9007199254740993, 0),
       pgperf.round(NULL::float8, 1), pgperf.round('NaN'::float8, 1);
SET search_path = public, pgperf;
SELECT round(0.1234567::float8, 3), round(12.345, 1), round(7, 1), round(9007199254740993, 0);
SELECT count(*) FROM (SELECT round(tps, 2), round(latency_p99_ms, 3), round(hit_percent, 1), round(wal_bytes, -3) FROM run_summary) s WHERE false;
RESET search_path;
