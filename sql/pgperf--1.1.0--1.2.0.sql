-- What 1.2 has that 1.1 had not. `tools/integration --test upgrade` tells what is missing here; docs/upgrading.md how to write it.

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
