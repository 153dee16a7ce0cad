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
