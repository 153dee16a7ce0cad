-- What 1.1 has that 1.0 had not. `tools/integration --test upgrade` tells what is missing here; docs/upgrading.md how to write it.

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


CREATE OR REPLACE FUNCTION pgperf.create_delta_view(
    history text, object text[], gauges text[] DEFAULT '{}', sparse boolean DEFAULT false,
    lived_on text DEFAULT 's.epoch = ps.epoch', began text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    view_name text := replace(history, '_history', '_deltas');
    same_object text := (SELECT string_agg(format(
        CASE WHEN sparse THEN 'x.%1$I = h.%1$I' ELSE 'x.%1$I IS NOT DISTINCT FROM h.%1$I' END, k), ' AND ') FROM unnest(object) k);
    counters text[];
    difference text := 'CASE WHEN m.lived_on AND h.%1$I >= p.%1$I THEN h.%1$I - p.%1$I '
        || CASE WHEN began IS NULL THEN '' ELSE 'WHEN m.began THEN h.%1$I ' END || 'END';
BEGIN
    SELECT array_agg(a.attname ORDER BY a.attnum) INTO counters
    FROM pg_attribute a
    WHERE a.attrelid = format('pgperf.%I', history)::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid IN ('int8'::regtype, 'float8'::regtype)
      AND a.attname !~ '^(min|max|mean|stddev)_|_mark$' AND a.attname <> ALL (object || gauges || '{sample_id,run_id,before_sample_id}'::text[]);
    EXECUTE format('CREATE OR REPLACE VIEW pgperf.%I AS SELECT h.node_id, h.sample_id, h.taken_at, h.run_id%s, m.seconds%s%s%s
        FROM pgperf.%I h JOIN pgperf.samples s ON s.node_id = h.node_id AND s.sample_id = h.sample_id AND s.taken_at = h.taken_at %s
        LEFT JOIN pgperf.samples ps ON ps.node_id = h.node_id AND ps.sample_id = p.sample_id AND ps.taken_at = p.taken_at %s
        CROSS JOIN LATERAL (SELECT (%s) AS lived_on, (%s) AS began) l
        CROSS JOIN LATERAL (SELECT l.lived_on, l.began, EXTRACT(epoch FROM h.taken_at
            - CASE WHEN l.began THEN c.taken_at ELSE %s END)::float8 AS seconds) m',
        view_name,
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(object) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', h.%I', k), '' ORDER BY n) FROM unnest(gauges) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', ' || difference || ' AS %1$I', k), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        (SELECT string_agg(format(', (' || difference || ') / NULLIF(m.seconds, 0) AS %2$I', k, k || '_per_s'), '' ORDER BY n)
           FROM unnest(counters) WITH ORDINALITY o(k, n)),
        history,
        CASE WHEN sparse THEN format(
            'LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND %2$s
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) p ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.%3$I = 0
                AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true', history, same_object, object[1])
        ELSE format(
            'LEFT JOIN LATERAL (SELECT x.sample_id, x.taken_at FROM pgperf.%1$I x
                WHERE x.node_id = h.node_id AND x.sample_id < h.sample_id ORDER BY x.sample_id DESC LIMIT 1) c ON true
             LEFT JOIN LATERAL (SELECT x.* FROM pgperf.%1$I x WHERE x.node_id = h.node_id AND x.sample_id = c.sample_id
                AND x.taken_at = c.taken_at AND %2$s OFFSET 0) p ON true', history, coalesce(same_object, 'true'))
        END,
        CASE WHEN began IS NOT NULL THEN
            'LEFT JOIN pgperf.samples cs ON cs.node_id = h.node_id AND cs.sample_id = c.sample_id AND cs.taken_at = c.taken_at' END,
        lived_on || CASE WHEN sparse THEN format(' AND (h.%I = 0 OR h.before_sample_id = p.sample_id)', object[1]) ELSE '' END
        || CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = format('pgperf.%I', history)::regclass
                                        AND a.attname = 'stats_reset')
                         THEN ' AND h.stats_reset IS NOT DISTINCT FROM p.stats_reset' ELSE '' END,
        COALESCE('p.sample_id IS NULL AND ' || began, 'false'),
        CASE WHEN sparse THEN 'CASE WHEN c.left_out = 0 THEN GREATEST(c.taken_at, p.taken_at) ELSE p.taken_at END'
             ELSE 'p.taken_at' END);
    EXECUTE format('COMMENT ON VIEW pgperf.%I IS %L', view_name, format(
        'What the counters of pgperf.%s came to since the sample before, in seconds; …_per_s: the same per second. NULL: no sample before, or the counters started again in between; what has no row before but can be proved to have begun since counts from 0', history));
    EXECUTE format('GRANT SELECT ON pgperf.%I TO pg_monitor', view_name);
END
$$;

COMMENT ON SEQUENCE pgperf.run_id_seq IS 'Numbers the runs and loads of this database';
COMMENT ON SEQUENCE pgperf.sweep_id_seq IS 'Numbers the sweeps of this database';

-- What the server takes for privileges that come with the extension is not dumped: these are the user's own.
DO $$
DECLARE
    grants record;
    initial aclitem[];
BEGIN
    FOR grants IN
        SELECT p.oid, p.oid::regprocedure AS function, g.role, g.grantable
        FROM jsonb_to_recordset(current_setting('pgperf_update.granted')::jsonb) g (oid oid, name name, role oid, grantable boolean)
        JOIN pg_proc p ON p.proname = g.name AND p.pronamespace = 'pgperf'::regnamespace
        WHERE NOT EXISTS (SELECT FROM pg_proc o WHERE o.oid = g.oid)
          AND NOT current_setting('pgperf_update.functions')::jsonb @> to_jsonb(p.oid)
    LOOP
        initial := (SELECT i.initprivs FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid);
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s %s', grants.function,
                       CASE grants.role WHEN 0 THEN 'PUBLIC' ELSE grants.role::regrole::text END,
                       CASE WHEN grants.grantable THEN 'WITH GRANT OPTION' END);
        UPDATE pg_init_privs i SET initprivs = initial WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NOT NULL;
        DELETE FROM pg_init_privs i WHERE i.classoid = 'pg_proc'::regclass AND i.objoid = grants.oid AND initial IS NULL;
        DELETE FROM pg_shdepend d WHERE d.dbid = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())
            AND d.classid = 'pg_proc'::regclass AND d.objid = grants.oid AND d.refobjid = grants.role AND d.deptype = 'i';
    END LOOP;
END
$$;
