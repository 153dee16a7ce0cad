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
