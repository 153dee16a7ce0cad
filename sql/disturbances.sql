-- What happens beside the load is checked before anything starts.
CREATE TABLE disturbed (i int PRIMARY KEY);
CREATE VIEW seen AS SELECT * FROM disturbed;
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '{}');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "flood", "at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "checkpoint"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "checkpoint", "at": "soon"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "checkpoint", "at": "1 s", "table": "disturbed"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '5 s', disturbances => '[{"kind": "checkpoint", "at": "1 min"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '5 s', disturbances => '[{"kind": "snapshot_holder", "at": "1 s", "for": "10 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "table_scan", "at": "1 s", "table": "missing"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "table_scan", "at": "1 s", "table": "seen"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"sql": "SELECT FROM WHERE", "at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"sql": " ; ", "at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"sql": "COPY disturbed TO STDOUT", "at": "1 s"}]');
SELECT pgperf.start_sweep(script => 'SELECT 1;', disturbances => '[{"kind": "vacuum_full", "at": "1 s", "table": "missing"}]');

-- Stops a run as soon as each of its disturbances has ended at least once.
CREATE PROCEDURE end_after(label text, disturbances int) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    run_id bigint := (SELECT r.run_id FROM pgperf.runs r WHERE r.label = label);
    status text;
BEGIN
    ASSERT run_id IS NOT NULL, 'no such run';
    LOOP
        COMMIT;
        EXIT WHEN (SELECT count(DISTINCT d.disturbance_no) FROM pgperf.run_disturbances d
                   WHERE d.run_id = run_id AND d.ended_at IS NOT NULL) = disturbances;
        PERFORM pg_sleep(0.05);
    END LOOP;
    PERFORM pgperf.stop_run(run_id);
    COMMIT;
    CALL pgperf.wait_run(run_id, NULL, false, status);
END
$$;

-- A session of a disturbance has the rights of the run's role.
CREATE ROLE regress_disturber LOGIN;
GRANT EXECUTE ON FUNCTION pgperf.start_run TO regress_disturber;
SET ROLE regress_disturber;
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "checkpoint", "at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "table_scan", "at": "1 s", "table": "disturbed"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "lock_queue", "at": "1 s", "table": "disturbed"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', disturbances => '[{"kind": "vacuum_full", "at": "1 s", "table": "public.disturbed"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '1 h', rate => 200, label => 'disturbed as a role',
    disturbances => '[{"sql": "INSERT INTO disturbed VALUES (1)", "at": "0.1 s"}]') > 0 AS started;
RESET ROLE;
CALL end_after('disturbed as a role', 1);
SELECT d.name, d.kind, d.status, d.sqlstate, d.error
FROM pgperf.run_disturbances d JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'disturbed as a role';
REVOKE EXECUTE ON FUNCTION pgperf.start_run FROM regress_disturber;

-- Each occurrence is a row, and the intervals say what it cost.
SELECT pgperf.start_run(script => 'SELECT 1;', duration => '1 h', rate => 200, sample_interval => '0.1 s', label => 'disturbed', disturbances => '[
    {"name": "job", "sql": "INSERT INTO disturbed VALUES (1); INSERT INTO disturbed VALUES (2)", "at": "0.1 s", "sessions": 1},
    {"name": "broken", "sql": "BEGIN; INSERT INTO disturbed VALUES (3)", "at": "0.2 s"},
    {"name": "often", "sql": "DELETE FROM disturbed WHERE i > 5", "at": "0.3 s", "every": "0.4 s", "sessions": 2},
    {"kind": "checkpoint", "at": "0.3 s"},
    {"kind": "reindex", "table": "disturbed", "at": "0.5 s"},
    {"kind": "snapshot_holder", "at": "0.3 s", "for": "0.4 s"}]') > 0 AS started;
CALL end_after('disturbed', 6);
SELECT disturbance_no AS no, d.name, d.kind, sessions, min(occurrence_no) AS first, d.status, d.sqlstate, d.error,
       bool_and(d.at_s >= 0 AND duration_s >= 0 AND d.ended_at >= d.began_at AND d.wal_bytes >= 0) AS complete
FROM pgperf.run_disturbances d JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'disturbed' AND d.status <> 'cut off'
GROUP BY 1, 2, 3, 4, d.status, d.sqlstate, d.error ORDER BY 1;
SELECT i FROM disturbed ORDER BY i;
-- Of an interval without a transaction there is no latency.
SELECT name, kind, metric, unit, inside IS NOT NULL AS inside
FROM pgperf.disturbance_impact('disturbed') WHERE name = 'snapshot_holder' AND metric !~ 'latency';
SELECT l ~ '1 occurrence' AS once FROM pgperf.report('disturbed') l WHERE l ~ '^snapshot_holder:';
SELECT bool_or(l ~ 'disturbances => ') AS reproduces FROM pgperf.report('disturbed') l;
SELECT jsonb_array_length(d -> 'disturbances') AS disturbances, d #>> '{disturbances,3,kind}' AS kind,
       d #>> '{disturbances,1,occurrences,0,status}' AS status
FROM pgperf.report_json('disturbed') d;
SELECT page ~ 'id="disturbances"' AS section, page ~ 'job\s+begins' AS marked, page ~ 'job\s+ends' AS ended FROM pgperf.report_html('disturbed') page;
SELECT pgperf.delete_run((SELECT run_id FROM pgperf.runs WHERE label = 'disturbed')) AS deleted;
SELECT pgperf.delete_run((SELECT run_id FROM pgperf.runs WHERE label = 'disturbed as a role')) AS deleted;
SELECT count(*) FROM pgperf.run_disturbances;
DROP ROLE regress_disturber;
DROP PROCEDURE end_after;
DROP VIEW seen;
DROP TABLE disturbed;
