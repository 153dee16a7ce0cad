-- From 1.2.0 to 1.3.0. Derived, and not to be edited: tests/upgrade/script.rs.

-- As in the install script: nothing that somebody has planted in another schema is found while the objects are made.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- A function with other arguments is another function: at the end it is granted to whom the one before was.
SELECT pg_catalog.set_config('pgperf_update.functions', (
    SELECT pg_catalog.jsonb_agg(p.oid)::text FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'pgperf'::regnamespace), true);
SELECT pg_catalog.set_config('pgperf_update.granted', (
    SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('oid', p.oid, 'name', p.proname, 'role', x.grantee, 'grantable', x.is_grantable)), '[]')::text
    FROM pg_catalog.pg_proc p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) x
    WHERE p.pronamespace = 'pgperf'::regnamespace AND x.grantee <> p.proowner
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_init_privs i CROSS JOIN LATERAL pg_catalog.aclexplode(i.initprivs) y
                      WHERE i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objoid = p.oid AND y.grantee = x.grantee)), true);
-- Nor does it get privileges back that somebody has revoked.
SELECT pg_catalog.set_config('pgperf_update.revoked', (
    SELECT COALESCE(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('oid', p.oid, 'name', p.proname, 'role', y.grantee)), '[]')::text
    FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_init_privs i ON i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objoid = p.oid
    CROSS JOIN LATERAL pg_catalog.aclexplode(COALESCE(i.initprivs, pg_catalog.acldefault('f', p.proowner))) y
    WHERE p.pronamespace = 'pgperf'::regnamespace AND y.grantee <> p.proowner AND p.proacl IS NOT NULL
      -- An owner of before may be gone, whom the server has not forgotten.
      AND (y.grantee = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = y.grantee))
      AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) x WHERE x.grantee = y.grantee)), true);

-- From 1.2.0 to 1.3.0, by hand: what cannot be derived, such as rows and tables that move.

CREATE OR REPLACE PROCEDURE pgperf.run(IN workload text DEFAULT NULL::text, IN clients integer DEFAULT 1, IN duration interval DEFAULT NULL::interval, IN transactions_per_client bigint DEFAULT NULL::bigint, IN script text DEFAULT NULL::text, IN scripts text[] DEFAULT NULL::text[], IN weights integer[] DEFAULT NULL::integer[], IN scale integer DEFAULT NULL::integer, IN query_mode text DEFAULT 'prepared'::text, IN result_mode text DEFAULT 'format'::text, IN rate pgperf.rate DEFAULT NULL::pgperf.rate, IN latency_limit interval DEFAULT NULL::interval, IN max_tries integer DEFAULT 1, IN continue_on_error boolean DEFAULT false, IN exit_on_abort boolean DEFAULT false, IN think_time interval DEFAULT NULL::interval, IN round_trip interval DEFAULT NULL::interval, IN reconnect bigint DEFAULT NULL::bigint, IN random_seed bigint DEFAULT NULL::bigint, IN variables jsonb DEFAULT NULL::jsonb, IN settings jsonb DEFAULT NULL::jsonb, IN vacuum text DEFAULT 'none'::text, IN before_sql text DEFAULT NULL::text, IN after_sql text DEFAULT NULL::text, IN warmup interval DEFAULT '00:00:00'::interval, IN warmup_workload text DEFAULT NULL::text, IN sample_interval interval DEFAULT '00:00:01'::interval, IN collectors text[] DEFAULT NULL::text[], IN transaction_log boolean DEFAULT false, IN sampling_rate double precision DEFAULT NULL::double precision, IN limits jsonb DEFAULT NULL::jsonb, IN schema text DEFAULT NULL::text, IN label text DEFAULT NULL::text, IN expect jsonb DEFAULT NULL::jsonb, IN resume boolean DEFAULT false, IN application_name text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, IN hit_curve boolean DEFAULT false, IN drain jsonb DEFAULT NULL::jsonb, IN drain_sql text DEFAULT NULL::text, IN drain_timeout interval DEFAULT NULL::interval, IN alternate jsonb DEFAULT NULL::jsonb, IN alternate_every interval DEFAULT NULL::interval, IN settle interval DEFAULT NULL::interval, IN disturbances jsonb DEFAULT NULL::jsonb, IN caches text DEFAULT NULL::text, IN plans boolean DEFAULT NULL::boolean, IN until_precise text DEFAULT NULL::text, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.run');
    run_id := pgperf.start_run(
        workload => workload, clients => clients, duration => duration, transactions_per_client => transactions_per_client,
        script => script, scripts => scripts, weights => weights, scale => scale, query_mode => query_mode,
        result_mode => result_mode, rate => rate, latency_limit => latency_limit, max_tries => max_tries,
        continue_on_error => continue_on_error, exit_on_abort => exit_on_abort, think_time => think_time,
        round_trip => round_trip, reconnect => reconnect, random_seed => random_seed, variables => variables,
        settings => settings, vacuum => vacuum, before_sql => before_sql, after_sql => after_sql, warmup => warmup,
        warmup_workload => warmup_workload, sample_interval => sample_interval, collectors => collectors,
        transaction_log => transaction_log, sampling_rate => sampling_rate, limits => limits, schema => schema, label => label,
        expect => expect, resume => resume, application_name => application_name, options => options, hit_curve => hit_curve,
        drain => drain, drain_sql => drain_sql, drain_timeout => drain_timeout, alternate => alternate,
        alternate_every => alternate_every, settle => settle, disturbances => disturbances, caches => caches, plans => plans,
        until_precise => until_precise);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.print_report(run_id);
    PERFORM pgperf.require_expectations(run_id);
END
$procedure$;
CREATE OR REPLACE PROCEDURE pgperf.init(IN workload text DEFAULT 'tpcb-like'::text, IN scale double precision DEFAULT 1, IN steps text DEFAULT 'dtgvp'::text, IN fillfactor integer DEFAULT 100, IN foreign_keys boolean DEFAULT false, IN unlogged boolean DEFAULT false, IN tablespace text DEFAULT NULL::text, IN index_tablespace text DEFAULT NULL::text, IN partitions integer DEFAULT 0, IN partition_method text DEFAULT NULL::text, IN jobs integer DEFAULT NULL::integer, IN schema text DEFAULT NULL::text, IN replace boolean DEFAULT false, IN limits jsonb DEFAULT NULL::jsonb, IN label text DEFAULT NULL::text, IN options jsonb DEFAULT NULL::jsonb, INOUT run_id bigint DEFAULT NULL::bigint)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
    CALL pgperf_internal.require_top_level('pgperf.init');
    run_id := pgperf.start_load(
        workload => workload, scale => scale, steps => steps, fillfactor => fillfactor, foreign_keys => foreign_keys,
        unlogged => unlogged, tablespace => tablespace, index_tablespace => index_tablespace, partitions => partitions,
        partition_method => partition_method, jobs => jobs, schema => schema, replace => replace, limits => limits,
        label => label, options => options);
    CALL pgperf_internal.await_run(run_id, NULL, true, true);
    PERFORM pgperf_internal.require_finished(run_id);
END
$procedure$;

-- What default privileges have given on partitions that were made since, and on what came with the extension.
SELECT pgperf_internal.make_private(c.oid::regclass)
FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'pgperf_internal'::regnamespace AND c.relispartition AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e');
SELECT pgperf_internal.withdraw_default_privileges();

-- What the server takes for privileges that come with the extension is not dumped: these are the user's own.
DO $$
DECLARE
    grants record;
    initial aclitem[];
BEGIN
    FOR grants IN
        SELECT p.oid, g.role, format(CASE WHEN g.is_revoked THEN 'REVOKE EXECUTE ON ROUTINE %s FROM %s' ELSE 'GRANT EXECUTE ON ROUTINE %s TO %s %s' END,
                                     p.oid::regprocedure, CASE g.role WHEN 0 THEN 'PUBLIC' ELSE g.role::regrole::text END,
                                     CASE WHEN g.grantable THEN 'WITH GRANT OPTION' END) AS command
        FROM (SELECT x.*, false FROM jsonb_to_recordset(current_setting('pgperf_update.granted')::jsonb) x (oid oid, name name, role oid, grantable boolean)
              UNION ALL
              SELECT x.*, NULL, true FROM jsonb_to_recordset(current_setting('pgperf_update.revoked')::jsonb) x (oid oid, name name, role oid)
             ) g (oid, name, role, grantable, is_revoked)
        JOIN pg_proc p ON p.proname = g.name AND p.pronamespace IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
        WHERE NOT EXISTS (SELECT FROM pg_proc o WHERE o.oid = g.oid)
          AND NOT current_setting('pgperf_update.functions')::jsonb @> to_jsonb(p.oid)
    LOOP
        initial := (SELECT i.initprivs FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid);
        EXECUTE grants.command;
        UPDATE pg_init_privs i SET initprivs = initial WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NOT NULL;
        DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NULL;
        DELETE FROM pg_shdepend d WHERE d.dbid = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
            AND d.classid = 'pg_proc'::regclass AND d.objid = grants.oid AND d.refobjid = grants.role AND d.deptype = 'i';
    END LOOP;
END
$$;
