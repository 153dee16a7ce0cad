-- The statement that makes each thing of the extension as it is here, and the one that removes it: one row for each object,
-- and for each comment, privilege and so on of it. By phase and place in the order in which they can be made.
WITH member AS (
    SELECT d.classid, d.objid FROM pg_extension e
    JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    WHERE e.extname = 'pgperf'),
relation AS (
    SELECT c.*, c.oid::regclass::text AS name FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid),
object AS (
    SELECT r.oid, 'pg_class'::regclass AS classid, r.relacl AS acl, r.relowner AS owner, r.name,
           CASE r.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind FROM relation r
    UNION ALL
    SELECT p.oid, 'pg_proc'::regclass, p.proacl, p.proowner, p.oid::regprocedure::text,
           CASE p.prokind WHEN 'p' THEN 'PROCEDURE' WHEN 'a' THEN 'AGGREGATE' ELSE 'FUNCTION' END
    FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
    UNION ALL
    SELECT t.oid, 'pg_type'::regclass, NULL, t.typowner, t.oid::regtype::text, 'TYPE'
    FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid),
definition AS (
    SELECT a.attrelid, a.attnum, a.attname,
           concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
                     'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS sql
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped),
made (phase, place, object, aspect, sql, removal) AS (
    SELECT 1, r.oid::bigint, r.name, 'TABLE',
           concat_ws(' ', 'CREATE', CASE r.relpersistence WHEN 'u' THEN 'UNLOGGED' END, 'TABLE', r.name,
               CASE WHEN r.relispartition THEN 'PARTITION OF ' || (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = r.oid) || ' '
                                               || pg_get_expr(r.relpartbound, r.oid)
                    ELSE E'(\n    ' || concat_ws(E',\n    ',
                        (SELECT string_agg(d.sql, E',\n    ' ORDER BY d.attnum) FROM definition d WHERE d.attrelid = r.oid),
                        (SELECT string_agg(format('CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)), E',\n    ' ORDER BY c.contype DESC, c.conname)
                         FROM pg_constraint c WHERE c.conrelid = r.oid AND c.contype <> 'n')) || E'\n)' END,
               'PARTITION BY ' || pg_get_partkeydef(r.oid)), 'DROP TABLE ' || r.name
    FROM relation r WHERE r.relkind IN ('r', 'p')
    UNION ALL
    SELECT 1, r.oid::bigint, r.name, 'column ' || d.attname, format('ALTER TABLE %s ADD COLUMN %s', r.name, d.sql), NULL
    FROM relation r JOIN definition d ON d.attrelid = r.oid WHERE r.relkind IN ('r', 'p') AND NOT r.relispartition
    UNION ALL
    SELECT 1, r.oid::bigint, r.name, 'constraint ' || c.conname, format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.name, c.conname, pg_get_constraintdef(c.oid)),
           format('ALTER TABLE %s DROP CONSTRAINT %I', r.name, c.conname)
    FROM relation r JOIN pg_constraint c ON c.conrelid = r.oid AND c.contype <> 'n' AND c.conparentid = 0
    UNION ALL
    SELECT 1, r.oid::bigint, r.name, 'replica identity', format('ALTER TABLE %s REPLICA IDENTITY %s', r.name, CASE r.relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END), NULL
    FROM relation r WHERE r.relkind IN ('r', 'p') AND r.relreplident IN ('f', 'n')
    UNION ALL
    SELECT 2, i.indexrelid::bigint, i.indexrelid::regclass::text, 'INDEX', pg_get_indexdef(i.indexrelid), 'DROP INDEX ' || i.indexrelid::regclass
    FROM relation r JOIN pg_index i ON i.indrelid = r.oid
    WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
    UNION ALL
    SELECT 0, r.oid::bigint, r.name, 'SEQUENCE', format('CREATE SEQUENCE %s', r.name), 'DROP SEQUENCE ' || r.name
    FROM relation r WHERE r.relkind = 'S'
    UNION ALL
    SELECT 2, r.oid::bigint, r.name, 'VIEW', format(E'CREATE OR REPLACE VIEW %s AS\n%s', r.name, rtrim(pg_get_viewdef(r.oid, true), ';')), 'DROP VIEW ' || r.name
    FROM relation r WHERE r.relkind = 'v'
    UNION ALL
    SELECT 2, t.oid::bigint, r.name, 'trigger ' || t.tgname, pg_get_triggerdef(t.oid), format('DROP TRIGGER %I ON %s', t.tgname, r.name)
    FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
    UNION ALL
    SELECT 2, t.oid::bigint, r.name, 'when trigger ' || t.tgname,
           format('ALTER TABLE %s ENABLE %s TRIGGER %I', r.name, CASE t.tgenabled WHEN 'R' THEN 'REPLICA' ELSE 'ALWAYS' END, t.tgname), ''
    FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal WHERE t.tgenabled IN ('R', 'A')
    UNION ALL
    SELECT 2, o.oid::bigint, o.name, o.kind,
           CASE o.kind WHEN 'AGGREGATE' THEN '-- BY HAND: CREATE AGGREGATE ' || o.name
                       ELSE replace(rtrim(pg_get_functiondef(o.oid), E'\n'), E'\nAS ''pgperf''', E'\nAS ''MODULE_PATHNAME''') END,
           format('DROP %s %s', o.kind, o.name)
    FROM object o WHERE o.classid = 'pg_proc'::regclass
    UNION ALL
    SELECT 1, o.oid::bigint, o.name, 'TYPE',
           format('CREATE TYPE %s AS (%s)', o.name, (SELECT string_agg(d.sql, ', ' ORDER BY d.attnum) FROM definition d
               WHERE d.attrelid = (SELECT t.typrelid FROM pg_type t WHERE t.oid = o.oid))),
           'DROP TYPE ' || o.name
    FROM object o WHERE o.kind = 'TYPE'
    UNION ALL
    SELECT 3, o.oid::bigint, o.name, 'comment of ' || COALESCE(a.attname, o.kind),
           format('COMMENT ON %s IS %L', CASE WHEN a.attname IS NULL THEN o.kind || ' ' || o.name ELSE format('COLUMN %s.%I', o.name, a.attname) END, d.description),
           format('COMMENT ON %s IS NULL', CASE WHEN a.attname IS NULL THEN o.kind || ' ' || o.name ELSE format('COLUMN %s.%I', o.name, a.attname) END)
    FROM object o JOIN pg_description d ON d.classoid = o.classid AND d.objoid = o.oid
    LEFT JOIN pg_attribute a ON d.objsubid > 0 AND a.attrelid = d.objoid AND a.attnum = d.objsubid
    UNION ALL
    SELECT 4, o.oid::bigint, o.name, 'privileges',
           concat_ws(E';\n', CASE WHEN o.classid = 'pg_proc'::regclass THEN format('REVOKE ALL ON %s %s FROM PUBLIC', s.kind, o.name) END,
               (SELECT string_agg(format('GRANT %s ON %s %s TO %s', x.privilege_type, s.kind, o.name,
                                         CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END), E';\n' ORDER BY x.grantee, x.privilege_type)
                FROM aclexplode(o.acl) x WHERE x.grantee <> o.owner)), NULL
    FROM object o CROSS JOIN LATERAL (SELECT CASE WHEN o.kind IN ('VIEW', 'TABLE') THEN 'TABLE' WHEN o.kind = 'SEQUENCE' THEN 'SEQUENCE' ELSE 'ROUTINE' END AS kind) s
    WHERE o.acl IS NOT NULL
    UNION ALL
    SELECT 5, r.oid::bigint, r.name, 'dump', format('SELECT pg_catalog.pg_extension_config_dump(%L, %L)', r.name, x.condition), NULL
    FROM pg_extension e CROSS JOIN unnest(e.extconfig, e.extcondition) x (relation, condition) JOIN relation r ON r.oid = x.relation WHERE e.extname = 'pgperf')
SELECT phase, place, object, aspect, sql, COALESCE(removal, '') FROM made ORDER BY phase, place, aspect
