-- Definitions, not history: like settings they belong to the installation, so that a restored or cloned
-- database, which is a new node, still has its workloads. Hence no node_id.
CREATE TABLE pgperf_internal.stored_workloads (
    name        text PRIMARY KEY,
    role        text NOT NULL,
    description text,
    scripts     jsonb NOT NULL,
    variables   jsonb NOT NULL,
    settings    jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    options     jsonb NOT NULL DEFAULT '{}',
    setup_sql   text,
    load_sql    text,
    check_sql   text,
    metrics_sql text,
    origin      jsonb
);
COMMENT ON TABLE pgperf_internal.stored_workloads IS 'Workloads stored by create_workload; read pgperf.workloads, which has the built-in ones too';
SELECT pg_catalog.pg_extension_config_dump('pgperf_internal.stored_workloads', '');

CREATE FUNCTION pgperf.create_workload(
    name text,
    script text DEFAULT NULL,
    scripts text[] DEFAULT NULL,
    weights integer[] DEFAULT NULL,
    variables jsonb DEFAULT NULL,
    settings jsonb DEFAULT NULL,
    description text DEFAULT NULL,
    replace boolean DEFAULT false,
    setup_sql text DEFAULT NULL,
    load_sql text DEFAULT NULL,
    check_sql text DEFAULT NULL,
    metrics_sql text DEFAULT NULL,
    options jsonb DEFAULT NULL
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'create_workload_wrapper';
COMMENT ON FUNCTION pgperf.create_workload IS
    'Stores a workload under a name: a pgbench script, or several with weights, with default variables and settings for its runs. With setup_sql it has a data set of its own: init runs setup_sql (creates the tables) and load_sql (fills them, once for each of :parts parts, in parallel); check_sql: query of (check_name, passed, detail); metrics_sql: query of (metric, value, unit, direction) at the end of a run; options: options of its loads and runs with their defaults, variables of all of these';

CREATE FUNCTION pgperf.create_workload_from_statements(
    name text,
    top integer DEFAULT 20,
    by text DEFAULT 'time',
    from_time timestamptz DEFAULT NULL,
    to_time timestamptz DEFAULT NULL,
    writes boolean DEFAULT false,
    transactions boolean DEFAULT NULL,
    pool_rows integer DEFAULT 10000,
    replace boolean DEFAULT false,
    description text DEFAULT NULL
) RETURNS TABLE (queryid bigint, share_percent float8, calls bigint, script text, outcome text, statement text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 20 AS 'MODULE_PATHNAME', 'create_workload_from_statements_wrapper';
COMMENT ON FUNCTION pgperf.create_workload_from_statements(text, integer, text, timestamptz, timestamptz, boolean, boolean, integer, boolean, text) IS
    'Stores a workload made of the statements of this database that took most of the time (by: time or calls): those in pg_stat_statements or, with from_time, in statement_history up to to_time. Values come from the tables. One row for each statement: what became of it';

CREATE FUNCTION pgperf.observed_rate(workload text) RETURNS float8
    LANGUAGE c STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'observed_rate_wrapper';
COMMENT ON FUNCTION pgperf.observed_rate(text) IS
    'Transactions per second of the statements that a workload was made of by create_workload_from_statements, for the argument rate of a run; NULL for other workloads';

CREATE FUNCTION pgperf.workload_fidelity(run_id bigint DEFAULT NULL, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (queryid bigint, script text, statement text, calls bigint, original_calls bigint, calls_percent float8,
               original_calls_percent float8, mean_ms float8, original_mean_ms float8, rows_per_call float8,
               original_rows_per_call float8, blocks_per_call float8, original_blocks_per_call float8, hit_percent float8,
               original_hit_percent float8, likeness_percent float8)
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 20 AS 'MODULE_PATHNAME', 'workload_fidelity_wrapper';
COMMENT ON FUNCTION pgperf.workload_fidelity(bigint, timestamptz, timestamptz) IS
    'How alike a run of a workload from create_workload_from_statements is: mix, time, rows and blocks per call beside those of the statements when they were observed or, with from_time, in that window of the history. The last row is of all together';

CREATE FUNCTION pgperf.workload_fidelity(run text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (queryid bigint, script text, statement text, calls bigint, original_calls bigint, calls_percent float8,
               original_calls_percent float8, mean_ms float8, original_mean_ms float8, rows_per_call float8,
               original_rows_per_call float8, blocks_per_call float8, original_blocks_per_call float8, hit_percent float8,
               original_hit_percent float8, likeness_percent float8)
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 20 AS 'MODULE_PATHNAME', 'workload_fidelity_wrapper';
COMMENT ON FUNCTION pgperf.workload_fidelity(text, timestamptz, timestamptz) IS 'The same for a run by its label, or as ''node name/run_id''';

CREATE FUNCTION pgperf.drop_workload(name text) RETURNS boolean
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'drop_workload_wrapper';
COMMENT ON FUNCTION pgperf.drop_workload(text) IS
    'Removes a stored workload; its runs stay as they were. False if no workload has that name';

CREATE FUNCTION pgperf_internal.built_in_workloads(OUT name text, OUT description text, OUT scripts jsonb)
RETURNS SETOF record
    LANGUAGE c IMMUTABLE PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME', 'built_in_workloads_wrapper';
COMMENT ON FUNCTION pgperf_internal.built_in_workloads() IS 'The built-in workloads; read pgperf.workloads';

CREATE VIEW pgperf.workloads AS
SELECT b.name,
       'built-in' AS kind,
       b.description,
       b.scripts,
       NULL::jsonb AS variables,
       NULL::jsonb AS settings,
       NULL::text AS role,
       NULL::timestamptz AS created_at,
       NULL::jsonb AS options,
       NULL::text AS setup_sql,
       NULL::text AS load_sql,
       NULL::text AS check_sql,
       NULL::text AS metrics_sql
FROM pgperf_internal.built_in_workloads() b
UNION ALL
SELECT s.name, 'stored', s.description, s.scripts, s.variables, s.settings, s.role, s.created_at,
       s.options, s.setup_sql, s.load_sql, s.check_sql, s.metrics_sql
FROM pgperf_internal.stored_workloads s;
COMMENT ON VIEW pgperf.workloads IS 'The workloads that start_run can run: the built-in ones and those stored by create_workload';

REVOKE ALL ON FUNCTION pgperf.create_workload, pgperf.drop_workload, pgperf.create_workload_from_statements FROM PUBLIC;
GRANT SELECT ON pgperf_internal.stored_workloads, pgperf.workloads TO pg_monitor;
