-- Views take the comments of columns that they pass on from their tables. This file comes last and fills in the missing comments.
DO $$
DECLARE
    place record;
BEGIN
    -- Columns with these names mean the same everywhere.
    FOR place IN
        SELECT c.oid::regclass AS relation, a.attname, CASE
            WHEN a.attname = 'node_id' THEN 'The node to which the row belongs (pgperf.nodes)'
            WHEN a.attname = 'sample_id' THEN 'The sample to which the row belongs (pgperf.samples); numbers grow with time within a node'
            WHEN a.attname = 'taken_at' THEN 'When the sample began'
            WHEN a.attname = 'seconds' THEN 'Seconds since the previous sample, the time that the differences cover; NULL: there is none, or the clock was set back meanwhile'
            WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'sample_id')
                THEN 'The run during which the sample was taken; NULL: none'
            ELSE 'Number of the run on its node' END AS comment
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
          AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
          AND (a.attname IN ('node_id', 'sample_id', 'taken_at', 'run_id') OR a.attname = 'seconds' AND c.relname ~ '_deltas$')
          AND pg_catalog.col_description(c.oid, a.attnum) IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', place.relation, place.attname, place.comment);
    END LOOP;

    -- A view's column with the name of a source column is that column. It is a difference if the view also has a column
    -- ..._per_s for it; in the two views without such columns, all are differences.
    FOR place IN
        WITH pairs AS (
            SELECT v.relname AS view_name, pg_catalog.replace(v.relname, '_deltas', '_history') AS source, 1 AS step
            FROM pg_catalog.pg_class v WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_deltas$'
            UNION ALL
            SELECT v.relname, d.relname, 2
            FROM pg_catalog.pg_class v JOIN pg_catalog.pg_class d ON d.relnamespace = v.relnamespace
                 AND d.relname = pg_catalog.replace(v.relname, '_rates', '_deltas')
            WHERE v.relnamespace = 'pgperf'::regnamespace AND v.relname ~ '_rates$'
            UNION ALL
            SELECT * FROM (VALUES
                ('wait_rates', 'wait_history', 1), ('wal_rmgr_estimates', 'wal_rmgr_history', 1),
                ('runs', 'stored_runs', 1), ('run_intervals', 'run_totals', 1), ('run_scripts', 'run_totals', 1),
                ('run_servers', 'run_totals', 1), ('run_server_intervals', 'run_totals', 1), ('run_server_intervals', 'run_servers', 2),
                ('run_summary', 'run_totals', 1), ('run_summary', 'runs', 2), ('run_segments', 'stored_segments', 1), ('progress', 'runs', 2),
                ('stored_workloads', 'workloads', 1), ('workloads', 'stored_workloads', 2), ('collector_settings', 'collectors', 1),
                ('captures', 'stored_captures', 1), ('sweeps', 'stored_sweeps', 1), ('sweep_plan', 'sweep_attempts', 1), ('sweep_runs', 'sweep_attempts', 1),
                ('sweep_runs', 'sweep_plan', 2), ('sweep_runs', 'run_summary', 3), ('sweep_points', 'stored_sweep_points', 1),
                ('sweep_peak', 'sweep_points', 2)) p (view_name, source, step))
        SELECT p.view_name, p.source, v.oid::regclass AS view_oid, s.oid AS source_oid
        FROM pairs p
        JOIN pg_catalog.pg_class v ON v.relname = p.view_name
             AND v.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        JOIN pg_catalog.pg_class s ON s.relname = p.source
             AND s.relnamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        ORDER BY p.step, p.view_name
    LOOP
        DECLARE
            same record;
        BEGIN
            FOR same IN
                SELECT a.attname, CASE
                    WHEN o.attname <> a.attname THEN pg_catalog.format('%s per second', o.attname)
                    WHEN place.view_name ~ '_deltas$' AND (d.attname IS NOT NULL OR place.view_name IN ('wal_deltas', 'buffer_counter_deltas'))
                        THEN 'Difference from the previous sample: ' || pg_catalog.col_description(place.source_oid, o.attnum)
                    ELSE pg_catalog.col_description(place.source_oid, o.attnum) END AS comment
                FROM pg_catalog.pg_attribute a
                JOIN pg_catalog.pg_attribute o ON o.attrelid = place.source_oid AND o.attnum > 0 AND NOT o.attisdropped
                     AND a.attname IN (o.attname, CASE WHEN place.view_name ~ '_deltas$' THEN o.attname || '_per_s' END)
                LEFT JOIN pg_catalog.pg_attribute d ON d.attrelid = a.attrelid AND d.attname = a.attname || '_per_s'
                WHERE a.attrelid = place.view_oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND pg_catalog.col_description(a.attrelid, a.attnum) IS NULL
                  AND pg_catalog.col_description(place.source_oid, o.attnum) IS NOT NULL
            LOOP
                EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', place.view_oid, same.attname, same.comment);
            END LOOP;
        END;
    END LOOP;
END
$$;

-- Last, when all is made.
SELECT pgperf_internal.withdraw_default_privileges();
