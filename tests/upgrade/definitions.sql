-- Everything that makes the extension what it is, as text without oids: one row for each aspect of each of its objects.
-- Two databases with the same rows behave, are dumped and are updated alike.
WITH extension AS (
    SELECT * FROM pg_extension WHERE extname = 'pgperf'),
member AS (
    SELECT d.classid, d.objid, i.type, i.identity
    FROM extension e
    JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) i),
relation AS (
    SELECT m.type, m.identity, c.* FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid),
function AS (
    SELECT m.type, m.identity, p.* FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid),
-- A constraint's trigger is called by its oid, a TOAST table too: they are as what they belong to.
dependent AS (
    SELECT d.*, i.type, i.identity
    FROM pg_depend d CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) i
    WHERE i.schema IS DISTINCT FROM 'pg_toast'
      AND NOT EXISTS (SELECT FROM pg_trigger t WHERE d.classid = 'pg_trigger'::regclass AND t.oid = d.objid AND t.tgisinternal)),
privileges (classid, objid, acl) AS (
    SELECT 'pg_class'::regclass, r.oid, COALESCE(r.relacl, acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", r.relowner))
    FROM relation r
    UNION ALL SELECT 'pg_proc'::regclass, f.oid, COALESCE(f.proacl, acldefault('f', f.proowner)) FROM function f
    UNION ALL SELECT 'pg_namespace'::regclass, n.oid, COALESCE(n.nspacl, acldefault('n', n.nspowner)) FROM pg_namespace n
    UNION ALL SELECT 'pg_type'::regclass, t.oid, COALESCE(t.typacl, acldefault('T', t.typowner)) FROM pg_type t
    UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, w.oid, COALESCE(w.fdwacl, acldefault('F', w.fdwowner)) FROM pg_foreign_data_wrapper w)
SELECT m.type || ' ' || m.identity AS object, a.aspect, a.definition
FROM member m CROSS JOIN LATERAL (
    SELECT 'exists' AS aspect,
           CASE WHEN m.classid IN ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_namespace'::regclass, 'pg_type'::regclass, 'pg_cast'::regclass,
                               'pg_foreign_data_wrapper'::regclass)
                THEN 'yes' ELSE 'unknown: this query has no definition of such objects' END AS definition
    UNION ALL
    SELECT 'privileges', string_agg(x.item, ' ' ORDER BY x.item)
    FROM privileges p CROSS JOIN LATERAL unnest(p.acl::text[]) x (item)
    WHERE p.classid = m.classid AND p.objid = m.objid
    UNION ALL
    SELECT 'privileges at the start, ' || i.objsubid, i.privtype::text || ' ' || (SELECT string_agg(x, ' ' ORDER BY x) FROM unnest(i.initprivs::text[]) x)
    FROM pg_init_privs i WHERE i.classoid = m.classid AND i.objoid = m.objid
    UNION ALL
    SELECT CASE d.objsubid WHEN 0 THEN 'comment'
                ELSE 'comment of ' || (SELECT attname FROM pg_attribute WHERE attrelid = m.objid AND attnum = d.objsubid) END,
           d.description
    FROM pg_description d WHERE d.classoid = m.classid AND d.objoid = m.objid
    UNION ALL
    SELECT 'comment of ' || a.attname, d.description
    FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
    JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = a.attrelid AND d.objsubid = a.attnum
    WHERE m.classid = 'pg_type'::regclass AND t.oid = m.objid AND EXISTS (SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c')
    UNION ALL
    SELECT 'dependent ' || d.type || ' ' || d.identity,
           string_agg(format('%s of column %s', d.deptype, COALESCE(a.attname, '(all)')), ', ' ORDER BY d.deptype, a.attname)
    FROM dependent d LEFT JOIN pg_attribute a ON d.refclassid = 'pg_class'::regclass AND a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                     AND d.refobjsubid <> 0
    WHERE d.refclassid = m.classid AND d.refobjid = m.objid
    GROUP BY d.type, d.identity) a
UNION ALL
SELECT r.type || ' ' || r.identity, a.aspect, a.definition
FROM relation r CROSS JOIN LATERAL (
    SELECT 'relation' AS aspect,
           concat_ws(', ', 'kind ' || r.relkind::text, 'persistence ' || r.relpersistence::text, 'owner ' || r.relowner::regrole,
               'method ' || (SELECT amname FROM pg_am WHERE oid = r.relam), 'options ' || r.reloptions::text,
               'identity ' || r.relreplident::text, 'row security ' || r.relrowsecurity || r.relforcerowsecurity,
               'partition ' || pg_get_expr(r.relpartbound, r.oid), 'partitioned by ' || pg_get_partkeydef(r.oid),
               'of ' || (SELECT string_agg(inhparent::regclass::text, ' ') FROM pg_inherits WHERE inhrelid = r.oid)) AS definition
    UNION ALL
    -- An option pg_… is the server's own, and no two tables have the same.
    SELECT 'column ' || a.attname,
           concat_ws(', ', 'place ' || count(*) OVER (ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attnotnull THEN 'not null' END, 'default ' || pg_get_expr(d.adbin, d.adrelid),
               'identity ' || NULLIF(a.attidentity::text, ''), 'generated ' || NULLIF(a.attgenerated::text, ''),
               'collation ' || NULLIF(a.attcollation, 0)::regcollation, 'storage ' || a.attstorage::text,
               'compression ' || NULLIF(a.attcompression::text, ''), 'options ' || (SELECT string_agg(o, ' ' ORDER BY o) FROM unnest(a.attoptions) o WHERE o NOT LIKE 'pg\_%'), 'privileges ' || a.attacl::text)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'constraint ' || c.conname, pg_get_constraintdef(c.oid) || CASE WHEN c.convalidated THEN '' ELSE ' not valid' END
    FROM pg_constraint c WHERE c.conrelid = r.oid
    UNION ALL
    SELECT 'index ' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = r.oid
    UNION ALL
    SELECT 'trigger ' || t.tgname, t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE t.tgrelid = r.oid AND NOT t.tgisinternal
    UNION ALL
    SELECT 'rule ' || w.rulename, w.ev_enabled::text || ' ' || pg_get_ruledef(w.oid, true) FROM pg_rewrite w WHERE w.ev_class = r.oid
    UNION ALL
    SELECT 'policy ' || p.polname,
           concat_ws(', ', p.polcmd, p.polpermissive, 'roles ' || p.polroles::regrole[]::text, pg_get_expr(p.polqual, p.polrelid),
               'check ' || pg_get_expr(p.polwithcheck, p.polrelid))
    FROM pg_policy p WHERE p.polrelid = r.oid
    UNION ALL
    SELECT 'sequence', (to_jsonb(s) - 'seqrelid' || jsonb_build_object('seqtypid', s.seqtypid::regtype))::text
    FROM pg_sequence s WHERE s.seqrelid = r.oid
    UNION ALL
    SELECT 'dumped', 'where ' || e.extcondition[n]
    FROM extension e CROSS JOIN LATERAL generate_subscripts(e.extconfig, 1) n WHERE e.extconfig[n] = r.oid) a
UNION ALL
SELECT f.type || ' ' || f.identity, 'definition',
       'owner ' || f.proowner::regrole || E'\n' ||
       CASE f.prokind WHEN 'a' THEN pg_get_function_result(f.oid) || ' ' || (SELECT (to_jsonb(a) - 'aggfnoid')::text FROM pg_aggregate a WHERE a.aggfnoid = f.oid)
                      ELSE pg_get_functiondef(f.oid) END
FROM function f
UNION ALL
SELECT m.type || ' ' || m.identity, 'definition',
       concat_ws(', ', 'kind ' || t.typtype::text, 'not null ' || t.typnotnull, 'default ' || t.typdefault,
           'base ' || NULLIF(t.typbasetype, 0)::regtype, 'input ' || t.typinput::text, 'storage ' || t.typstorage::text, 'align ' || t.typalign::text,
           'labels ' || (SELECT string_agg(l.enumlabel, ' ' ORDER BY l.enumsortorder) FROM pg_enum l WHERE l.enumtypid = t.oid),
           'checks ' || (SELECT string_agg(pg_get_constraintdef(c.oid), ' ' ORDER BY c.conname) FROM pg_constraint c WHERE c.contypid = t.oid),
           'columns ' || (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
                          FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped))
FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
UNION ALL
SELECT m.type || ' ' || m.identity, 'definition',
       concat_ws(', ', 'context ' || c.castcontext::text, 'method ' || c.castmethod::text, 'function ' || NULLIF(c.castfunc, 0)::regprocedure)
FROM member m JOIN pg_cast c ON m.classid = 'pg_cast'::regclass AND c.oid = m.objid
UNION ALL
SELECT m.type || ' ' || m.identity, 'definition',
       concat_ws(', ', 'owner ' || w.fdwowner::regrole, 'handler ' || NULLIF(w.fdwhandler, 0)::regprocedure,
           'validator ' || NULLIF(w.fdwvalidator, 0)::regprocedure, 'options ' || w.fdwoptions::text)
FROM member m JOIN pg_foreign_data_wrapper w ON m.classid = 'pg_foreign_data_wrapper'::regclass AND w.oid = m.objid
UNION ALL
SELECT 'extension', 'of version', concat_ws(', ', e.extversion, 'owner ' || e.extowner::regrole, 'schema ' || e.extnamespace::regnamespace,
                             'relocatable ' || e.extrelocatable)
FROM extension e
UNION ALL
SELECT 'extension', 'requires', string_agg(i.identity, ' ' ORDER BY i.identity)
FROM extension e JOIN pg_depend d ON d.classid = 'pg_extension'::regclass AND d.objid = e.oid
CROSS JOIN LATERAL pg_identify_object(d.refclassid, d.refobjid, 0) i
ORDER BY 1, 2, 3
