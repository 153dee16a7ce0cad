-- The options of a call as the library reads them, and as the catalog declares them. Those that one side lacks are listed here.
CREATE TEMP VIEW declared AS
    SELECT p.proname AS call, row_number() OVER (PARTITION BY p.oid ORDER BY a.position) AS position, a.name, format_type(a.type, NULL) AS type_name,
           pg_get_function_arg_default(p.oid, a.position::integer) AS default_expression, p.prosrc
    FROM pg_proc p
    CROSS JOIN LATERAL unnest(p.proargnames, COALESCE(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY a (name, type, position)
    WHERE p.pronamespace = 'pgperf'::regnamespace AND p.proname IN ('start_run', 'run', 'start_load', 'init', 'start_sweep')
      AND a.name <> 'run_id';
CREATE TEMP VIEW options AS SELECT * FROM pgperf_internal.call_options();
SELECT call, count(*) > 10 AS has_options, bool_and(default_value IS NOT NULL) AS all_defaults FROM options GROUP BY call ORDER BY call;

-- Defaults are the same if they have the same value.
CREATE FUNCTION pg_temp.text_of(expression text, type_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    value text;
BEGIN
    EXECUTE format('SELECT (%s)::%s::text', COALESCE(expression, 'NULL'), type_name) INTO value;
    RETURN value;
END
$$;

-- Functions and the procedures that call them: the same names in the same order, with the same types and defaults.
SELECT d.call AS declared_by, o.call, o.name AS library, d.name AS catalog, o.position, d.position, o.type_name, d.type_name,
       o.default_value, d.default_expression
FROM (SELECT c.declared_by, o.* FROM options o
      JOIN (VALUES ('start_run', 'start_run'), ('start_run', 'run'), ('start_load', 'start_load'), ('start_load', 'init'))
          c (call, declared_by) USING (call)) o
FULL JOIN (SELECT * FROM declared WHERE call <> 'start_sweep') d ON d.call = o.declared_by AND d.name = o.name
WHERE (o.position, o.type_name) IS DISTINCT FROM (d.position, d.type_name)
   OR pg_temp.text_of(quote_nullable(o.default_value), o.type_name) IS DISTINCT FROM pg_temp.text_of(d.default_expression, d.type_name);

-- The procedures pass all of them on.
SELECT d.call, d.name AS not_passed_on FROM declared d
WHERE d.call IN ('run', 'init') AND d.prosrc !~ format('\m%s\s*=>\s*%s\M', d.name, d.name);

-- A sweep's own options in their order, and all those of a run but resume, without a default.
CREATE TEMP VIEW of_sweep AS
    SELECT o.name, o.type_name, o.default_value, row_number() OVER (ORDER BY o.position) AS place FROM options o WHERE o.call = 'start_sweep'
    UNION ALL
    SELECT o.name, o.type_name, NULL, NULL FROM options o
    WHERE o.call = 'start_run' AND o.name <> ALL ('{resume,start_at,nodes}') AND o.name NOT IN (SELECT s.name FROM options s WHERE s.call = 'start_sweep');
SELECT o.name AS library, d.name AS catalog, o.type_name, d.type_name, o.default_value, d.default_expression, o.place, d.place
FROM of_sweep o
FULL JOIN (SELECT d.*, CASE WHEN o.name IS NOT NULL THEN row_number() OVER (PARTITION BY o.name IS NULL ORDER BY d.position) END AS place
           FROM declared d LEFT JOIN options o ON o.call = d.call AND o.name = d.name
           WHERE d.call = 'start_sweep') d ON d.name = o.name
WHERE (o.type_name, o.place) IS DISTINCT FROM (d.type_name, d.place)
   OR pg_temp.text_of(quote_nullable(o.default_value), o.type_name) IS DISTINCT FROM pg_temp.text_of(d.default_expression, d.type_name);
DROP VIEW of_sweep, options, declared;

-- The clients' name is shown as it was given, or there is an error before anything starts.
SELECT pgperf.start_run(script => 'SELECT 1;', application_name => '');
SELECT pgperf.start_run(script => 'SELECT 1;', application_name => repeat('x', 64));
SELECT pgperf.start_run(script => 'SELECT 1;', application_name => U&'caf\00e9');
SELECT pgperf.start_run(script => 'SELECT 1;', application_name => E'two\nlines');
SELECT pgperf.start_run(script => 'SELECT 1;', application_name => 'shop', settings => '{"Application_Name": "shop"}');
SELECT pgperf.start_sweep(script => 'SELECT 1;', application_name => '');
SELECT pgperf.create_workload('named', script => 'INSERT INTO seen VALUES (current_setting(''application_name''));',
    settings => '{"application_name": "of the workload"}');
CREATE TABLE seen (name text);
CREATE PROCEDURE run(workload text, application_name text DEFAULT NULL, settings jsonb DEFAULT NULL, INOUT call text DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    run_id bigint := pgperf.start_run(workload, transactions_per_client => 1, clients => 2, application_name => application_name, settings => settings);
    status text;
BEGIN
    COMMIT;
    CALL pgperf.wait_run(run_id, NULL, false, status);
    call := substring(pgperf.report_json(run_id) ->> 'call' FROM 'application_name =>\s+''.*''|"application_name":"[^"]*"');
    PERFORM pgperf.delete_run(run_id);
END
$$;
CALL run('named', application_name => repeat('x', 63));
CALL run('named', application_name => 'shop, it''s 2');
CALL run('named', settings => '{"application_name": "as a setting"}');
CALL run('named');
SELECT name, count(*) FROM seen GROUP BY name ORDER BY name COLLATE "C";
SELECT pgperf.drop_workload('named');
DROP PROCEDURE run;
DROP TABLE seen;

-- What a run waits for is checked before anything starts. Here is no standby and no slot.
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '"all"');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{"standby": "all"}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{"standbys": "all", "until": "write"}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{"standbys": "all"}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{"standbys": ["s1"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain => '{"slots": ["it''s \"x\""]}');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_timeout => '1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT true', drain_timeout => '0');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => '');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT true; SELECT true');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT 1');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT true, true');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'CHECKPOINT');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT true INTO drained');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT FROM');
SELECT pgperf.start_run(script => 'SELECT 1;', drain_sql => 'SELECT true FROM missing_table');
SELECT pgperf.start_sweep(script => 'SELECT 1;', drain => '{"slots": "all"}');
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 2, label => 'drained',
    drain_sql => 'SELECT pg_is_in_recovery() OR true ORDER BY 1; ') > 0 AS started;
CALL pgperf.wait_run();
SELECT r.kind, name, until, r.status, transactions, catch_up_s > 0 AS took_time, sustainable_tps = transactions / (run_s + catch_up_s) AS exact
FROM pgperf.run_receivers r JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'drained';
SELECT metric, unit, direction FROM pgperf.run_metrics JOIN pgperf.runs USING (node_id, run_id)
WHERE label = 'drained' AND metric ~ '^(sustainable|catch)' ORDER BY 1;
SELECT bool_or(l ~ 'drain_sql => ') AS reproduces FROM pgperf.report('drained') l;
SELECT pgperf.delete_run((SELECT run_id FROM pgperf.runs WHERE label = 'drained')) AS deleted;
SELECT count(*) FROM pgperf.run_receivers;

-- Sides that take turns: what the server would not accept is refused before anything starts.
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '[]');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": "4MB"}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", "8MB", "16MB"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", null]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", "a lot"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"shared_buffers": ["16MB", "64MB"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"log_connections": ["on", "off"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"block_size": [8192, 16384]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"checkpoint_timeout": ["5min", "often"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"bgwriter_lru_maxpages": [100, -1]}');
SELECT pgperf.start_sweep(script => 'SELECT 1;', alternate => '{"checkpoint_timeout": ["5min", "10min"]}', settings_grid => '{"bgwriter_delay": [100, 200]}');
CREATE ROLE regress_pgperf_turner LOGIN;
GRANT USAGE ON SCHEMA pgperf TO regress_pgperf_turner;
GRANT EXECUTE ON FUNCTION pgperf.start_run TO regress_pgperf_turner;
SET ROLE regress_pgperf_turner;
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"checkpoint_timeout": ["5min", "10min"]}');
RESET ROLE;
REVOKE ALL ON FUNCTION pgperf.start_run FROM regress_pgperf_turner;
REVOKE USAGE ON SCHEMA pgperf FROM regress_pgperf_turner;
DROP ROLE regress_pgperf_turner;
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"no_such_setting": [1, 2]}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"Work_Mem": ["4MB", "8MB"]}', settings => '{"work_mem": "4MB"}');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", "8MB"]}', resume => true);
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", "8MB"]}', duration => '30 s');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate => '{"work_mem": ["4MB", "8MB"]}', alternate_every => '1 s', settle => '1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', alternate_every => '1 s');
SELECT pgperf.start_run(script => 'SELECT 1;', settle => '1 s');
SELECT pgperf.start_run('select-only, simple-update', alternate => '{"workload": ["select-only", "tpcb-like"]}');
SELECT pgperf.start_run('select-only, simple-update', alternate => '{"script": ["select-only"]}');
SELECT pgperf.start_run('select-only, simple-update', alternate => '{"script": ["a", "b"], "workload": ["a", "b"]}');
SELECT pgperf.start_run('select-only, simple-update', alternate => '{"workload": ["select-only", "select-only"]}');
SELECT pgperf.start_run('select-only, simple-update@0', alternate => '{"workload": ["select-only", "simple-update"]}');
SELECT pgperf.start_run(scripts => ARRAY['SELECT 1;', 'SELECT 2;'], alternate => '{"workload": ["script 1", "script 2"]}');
SELECT pgperf.start_run(scripts => ARRAY['SELECT 1;', 'SELECT 2;'], alternate => '{"script": ["script 1", "script 3"]}');
SELECT pgperf.start_run(scripts => ARRAY['SELECT 1;', 'SELECT 2;'], alternate => '{"script": ["script 1", "script 2"]}', resume => true);
SELECT pgperf.start_sweep(script => 'SELECT 1;', alternate => '{"shared_buffers": ["16MB", "64MB"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, label => 'in turns',
    alternate => '{"work_mem": ["4MB", "8MB"]}', settle => '4 s') > 0 AS started;
CALL pgperf.wait_run();
SELECT DISTINCT turn_no, side FROM pgperf.run_intervals JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'in turns';
SELECT metric, unit, direction, a, change_percent, p_value, blocks, verdict FROM pgperf.alternation('in turns');
SELECT setting FROM pgperf.run_settings JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'in turns' AND name = 'work_mem';
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, label => 'without turns') > 0 AS started;
CALL pgperf.wait_run();
DO $$ DECLARE hint text; BEGIN
    PERFORM pgperf.alternation('without turns');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE WARNING '% %', SQLSTATE, regexp_replace(SQLERRM, '\d+', 'N') USING HINT = hint;
END $$;
SELECT pgperf.delete_run(run_id) AS deleted FROM pgperf.runs WHERE label IN ('in turns', 'without turns');

-- Until the mean is known well enough.
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2');
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '0%');
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', transactions_per_client => 100);
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', rate => 100);
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', alternate => '{"work_mem": ["4MB", "8MB"]}');
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', disturbances => '[{"kind": "checkpoint", "at": "1 s"}]');
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', resume => true);
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', duration => '10 s');
SELECT pgperf.start_run(script => 'SELECT 1;', until_precise => '2%', sample_interval => '1 min');
SELECT round(precision_percent::numeric, 2) AS precision_percent, last_interval
FROM (VALUES ('{}'::float8[]), ('{7}'), ('{100,101,100,101,100,101,100,101,100,101,100,101}'), (array_fill(0::float8, '{40}'))) v (tps), pgperf_internal.series_precision(tps, 0.02);

-- The caches before a run.
SELECT pgperf.start_run(script => 'SELECT 1;', caches => 'hot');
SELECT pgperf.start_run(script => 'SELECT 1;', caches => 'cold', warmup => '1 s');
SELECT pgperf.start_sweep(script => 'SELECT 1;', caches => 'COLD');
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, caches => 'warm', label => 'warm') > 0 AS started;
CALL pgperf.wait_run();
SELECT e.name, value IS NOT NULL AS known, unit, note FROM pgperf.run_environment e JOIN pgperf.runs USING (node_id, run_id)
WHERE label = 'warm' AND e.name ~ '^caches' ORDER BY e.name COLLATE "C";
SELECT pgperf.delete_run((SELECT run_id FROM pgperf.runs WHERE label = 'warm')) AS deleted;

-- Over the wire.
SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'pigeon');
SELECT pgperf.start_run(script => 'SELECT 1;', workers => 2);
SELECT pgperf.start_run(script => 'SELECT 1;', connect_each_transaction => true);
SELECT pgperf.start_run(script => 'SELECT 1;', reconnect_on_loss => true);
SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire', workers => 0);
SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire', result_mode => 'discard');
SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire', hit_curve => true);
SELECT pgperf.start_run(script => 'SELECT 1;', transport => 'wire', connect_each_transaction => true, reconnect => 2);
SELECT pgperf.start_sweep(script => 'SELECT 1;', transport => 'pigeon');
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1, clients => 3, transport => 'wire', workers => 2, label => 'wire') > 0 AS started;
CALL pgperf.wait_run();
SELECT spec ->> 'transport' AS transport, spec ->> 'workers' AS workers FROM pgperf.runs WHERE label = 'wire';
SELECT line FROM pgperf.report('wire') line WHERE line ~ '^transport';
SELECT rows, calls, parse_ms, plan_ms, execute_ms, commit_ms, shared_blks_hit, wal_bytes FROM pgperf.run_statements
JOIN pgperf.runs USING (node_id, run_id) WHERE label = 'wire';
SELECT pgperf.delete_run(run_id) AS deleted FROM pgperf.runs WHERE label = 'wire';
