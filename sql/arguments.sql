-- Arguments that are hostile rather than wrong: numbers beyond any type, deep nesting, endless scripts. Each is an error before
-- anything is stored or started.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
SELECT count(*) AS runs_before FROM pgperf.runs \gset

-- The answer of a call.
CREATE FUNCTION said(call text, OUT state text, OUT message text, OUT has_hint boolean) LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE 'SELECT ' || call;
    state := '00000';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    has_hint := hint <> '';
END
$$;

-- Numbers of a jsonb value that are neither integers of 64 bits nor doubles.
SELECT n AS number, c.call, s.* FROM
    unnest('{1e400,-1e400,1e-400,18446744073709551616,-9223372036854775809}'::text[]) WITH ORDINALITY n (n, i),
    (VALUES (1, 'start_run(script => ''SELECT 1;'', variables => ''{"x": %s}'')'),
            (2, 'start_run(script => ''SELECT 1;'', settings => ''{"random_page_cost": %s}'')'),
            (3, 'start_run(script => ''SELECT 1;'', limits => ''{"wal": %s}'')'),
            (4, 'start_run(script => ''SELECT 1;'', limits => ''[[%s]]'')'),
            (5, 'start_run(script => ''SELECT 1;'', expect => ''{"tps": {"a": [%s]}}'')'),
            (6, 'start_load(limits => ''{"errors": %s}'')'),
            (7, 'start_sweep(script => ''SELECT 1;'', settings_grid => ''{"random_page_cost": [1, %s]}'')'),
            (8, 'start_sweep(init_options => ''{"scale": %s}'')'),
            (9, 'create_workload(''hostile'', script => ''SELECT 1;'', variables => ''{"x": %s}'')')) c (i, call),
    LATERAL said(format('pgperf.' || c.call, n.n)) s
ORDER BY n.i, c.i;

-- Other numbers, and numbers in quotes, are judged by the code that reads them.
SELECT c.call, s.* FROM
    (VALUES (1, 'start_run(script => ''SELECT 1;'', settings => ''{"random_page_cost": "1e400"}'')'),
            (2, 'start_run(script => ''SELECT 1;'', limits => ''{"wal": "1e20"}'')'),
            (3, 'start_run(script => ''SELECT 1;'', limits => ''{"wal": "1e400"}'')'),
            (4, 'start_run(script => ''SELECT 1;'', limits => ''{"wal": 1e-30}'')'),
            (5, 'start_run(script => ''SELECT 1;'', limits => ''{"free_disk": "1e400%"}'')'),
            (6, 'start_run(script => ''SELECT 1;'', limits => ''{"errors": 1.5}'')'),
            (7, 'start_run(script => ''SELECT 1;'', expect => ''{"tps": ">= 1e400"}'')'),
            (8, 'start_run(script => ''SELECT 1;'', rate => ''infinity'')'),
            (9, 'start_run(script => ''SELECT 1;'', rate => ''nan'')'),
            (10, 'start_sweep(init => ''each'', scales => ''{1}'', init_options => ''{"jobs": 1.5}'')'),
            (11, 'start_sweep(init => ''each'', scales => ''{1}'', init_options => ''{"jobs": 3000000000}'')')) c (i, call),
    LATERAL said('pgperf.' || c.call) s
ORDER BY c.i;

-- NULL where there must be a value, and relations that are not what they should be.
SELECT c.call, s.* FROM
    (VALUES (1, 'pgperf.find_best(''{"work_mem": ["1MB", "2MB"]}'', clients => ''{NULL}'', script => ''SELECT 1;'')'),
            (2, 'pgperf.compare(NULL::text[], NULL::text[])'),
            (3, 'pgperf_internal.version_rows(NULL, NULL, NULL, NULL, NULL)'),
            (4, 'pgperf_internal.gate_runs(NULL, NULL, NULL, NULL)'),
            (5, 'pgperf.sweep_report(NULL::text[])'),
            (6, 'pgperf_internal.sweep_page(NULL)'),
            (7, 'pgperf_internal.outcome_counts(NULL, NULL, NULL)'),
            (8, 'pgperf_internal.move_rows(''pgperf.samples'', ''pgperf.samples'', ''-infinity'', ''infinity'')'),
            (9, 'pgperf_internal.move_rows(''pg_class'', ''pg_class'', ''-infinity'', ''infinity'')'),
            (10, 'pgperf_internal.move_rows(''pgperf_internal.stored_runs'', ''pgperf_internal.samples_rest'', ''-infinity'', ''infinity'')')) c (i, call),
    LATERAL said(c.call) s
ORDER BY c.i;

-- More levels than anybody needs.
SELECT a.name, s.* FROM unnest('{variables,settings,limits,expect}'::text[]) WITH ORDINALITY a (name, i),
    LATERAL said(format('pgperf.start_run(script => ''SELECT 1;'', %s => %L::jsonb)', a.name, repeat('[', 500) || repeat(']', 500))) s
ORDER BY a.i;

-- Scripts that are too large, in one piece or together. Branches are commands, too.
SELECT pgperf.create_workload('endless', scripts => ARRAY[repeat(E'SELECT 1;\n', 3000)]);
SELECT pgperf.create_workload('endless too', scripts => ARRAY['SELECT 1;', repeat(E'\\if 1\n', 1500) || repeat(E'\\endif\n', 1500)]);
SELECT c.call, s.* FROM
    (VALUES (1, 'start_run(script => repeat(E''\\if 1\n'', 80000) || repeat(E''\\endif\n'', 80000))'),
            (2, 'start_run(script => repeat(E''SELECT 1;\n'', 5001))'),
            (3, 'start_run(script => repeat('' '', 1048577))'),
            (4, 'start_run(scripts => array_fill(repeat(E''SELECT 1;\n'', 2501), ''{2}''))'),
            (5, 'start_run(''endless@1, endless too@1'')'),
            (6, 'start_run(''select-only'', warmup => ''1 s'', warmup_workload => ''endless@1, endless too@1'')'),
            (7, 'start_sweep(script => repeat(E''SELECT 1;\n'', 5001))'),
            (8, 'create_workload(''x'', script => repeat(E''SELECT 1;\n'', 5001))'),
            (9, 'create_workload(''x'', script => repeat(E''\\if 1\n'', 80000) || repeat(E''\\endif\n'', 80000))'),
            (10, 'create_workload(''x'', scripts => array_fill(repeat('' '', 600000), ''{2}''))')) c (i, call),
    LATERAL said('pgperf.' || c.call) s
ORDER BY c.i;

-- A document whose run was given such numbers.
SELECT pgperf.start_run(script => 'SELECT 1;', transactions_per_client => 1) AS run_id \gset
CALL pgperf.wait_run(:run_id);
CREATE TABLE documents AS
    SELECT replace(pgperf.export_run(:run_id)::text, pgperf.local_node()::text, gen_random_uuid()::text)::jsonb AS document;
SELECT pgperf.import_run(jsonb_set(document, '{run,spec,clients}', '1e400')) FROM documents;
SELECT pgperf.import_run(jsonb_set(document, '{run,spec,max_tries}', '0.5')) FROM documents;
SELECT pgperf.import_run(jsonb_set(document, '{run,spec,rate}', '"fast"')) FROM documents;
SELECT pgperf.delete_run(:run_id);
DROP TABLE documents;

-- Read-only transactions, on a primary.
BEGIN READ ONLY;
SELECT pgperf.maintain();
ROLLBACK;
BEGIN READ ONLY;
SELECT pgperf_internal.make_quickstart_schema();
ROLLBACK;

SELECT count(*) = :runs_before AS nothing_stored FROM pgperf.runs;
SELECT pgperf.drop_workload('endless'), pgperf.drop_workload('endless too'), pgperf.drop_workload('x');
DROP FUNCTION said;
