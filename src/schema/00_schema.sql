-- While the objects below are created, nothing planted in another schema is found: they refer to the catalog, or name the
-- schema. Their own names are bound now, for ever.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Fails if such a schema exists already: pgperf never adopts somebody else's schema.
CREATE SCHEMA pgperf;
COMMENT ON SCHEMA pgperf IS 'pgperf: synthetic load, snapshots and their history';
GRANT USAGE ON SCHEMA pgperf TO PUBLIC;

-- Internal parts of pgperf: functions behind functions, tables behind views, partitions. The caller of a public procedure
-- calls its parts with the caller's own rights, so each part has privileges of its own.
CREATE SCHEMA pgperf_internal;
COMMENT ON SCHEMA pgperf_internal IS 'Internal parts of pgperf, not meant to be used: they may change with any release';
GRANT USAGE ON SCHEMA pgperf_internal TO PUBLIC;

-- The default privileges of the role that makes the extension are meant for its own tables and functions, say those of an application.
-- What they have given here is revoked: docs/security.md says who may do what. What the script has granted or revoked anything of has its
-- privileges, those by default among them, in pg_init_privs; GRANTs that somebody has made later are not there.
CREATE FUNCTION pgperf_internal.withdraw_default_privileges()
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('REVOKE %s ON %s %s FROM %s CASCADE', x.privilege_type, o.kind, o.name,
                      CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END)
        FROM (SELECT 'pg_class'::regclass, c.oid, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                     CASE c.relkind WHEN 'S' THEN 'S' ELSE 'r' END, c.oid::regclass::text, c.relnamespace, c.relowner, c.relacl,
                     'SELECT', ARRAY['pg_monitor'::regrole::oid]
              FROM pg_class c
              UNION ALL
              SELECT 'pg_proc'::regclass, p.oid, 'ROUTINE', 'f', p.oid::regprocedure::text, p.pronamespace, p.proowner, p.proacl,
                     'EXECUTE', ARRAY[0, 'pg_monitor'::regrole::oid]
              FROM pg_proc p
              UNION ALL
              SELECT 'pg_namespace'::regclass, n.oid, 'SCHEMA', 'n', quote_ident(n.nspname), n.oid, n.nspowner, n.nspacl, 'USAGE', ARRAY[0::oid]
              FROM pg_namespace n) o (classid, oid, kind, type, name, schema, owner, acl, documented, grantees)
        LEFT JOIN pg_init_privs i ON i.classoid = o.classid::oid AND i.objoid = o.oid AND i.objsubid = 0
        CROSS JOIN LATERAL aclexplode(o.acl) x
        WHERE o.schema IN ('pgperf'::regnamespace::oid, 'pgperf_internal'::regnamespace::oid) AND x.grantee <> o.owner
          AND NOT (x.privilege_type = o.documented AND x.grantee = ANY (o.grantees))
          AND (i.initprivs IS NULL OR EXISTS (
              SELECT FROM aclexplode(i.initprivs) y WHERE y.grantee = x.grantee AND y.privilege_type = x.privilege_type))
          AND EXISTS (SELECT FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) y
                      WHERE d.defaclrole = o.owner AND d.defaclobjtype::text = o.type AND d.defaclnamespace IN (0, o.schema)
                        AND y.grantee = x.grantee AND y.privilege_type = x.privilege_type)
    LOOP
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON FUNCTION pgperf_internal.withdraw_default_privileges() IS 'Revokes what the owner''s default privileges have given on the extension''s objects; called when the extension is created or updated';
REVOKE ALL ON FUNCTION pgperf_internal.withdraw_default_privileges() FROM PUBLIC;
