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
