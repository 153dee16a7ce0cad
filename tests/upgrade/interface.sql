-- What a later release keeps of the schema pgperf: one row for each table, view, type and routine. inputs and outputs are names and types in
-- their order; of a relation or a type its columns are the outputs.
WITH member AS (
    SELECT d.classid, d.objid FROM pg_extension e
    JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
    WHERE e.extname = 'pgperf')
SELECT CASE p.prokind WHEN 'p' THEN 'procedure ' WHEN 'a' THEN 'aggregate ' ELSE 'function ' END || p.proname AS name,
       a.inputs, CASE WHEN a.outputs = '{}' THEN ARRAY[p.prorettype::regtype::text] ELSE a.outputs END AS outputs,
       p.pronargdefaults::integer AS defaults
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
CROSS JOIN LATERAL (
    SELECT COALESCE(array_agg(concat_ws(' ', x.name, x.type::regtype) ORDER BY x.place) FILTER (WHERE x.mode IN ('i', 'b', 'v')), '{}') AS inputs,
           COALESCE(array_agg(concat_ws(' ', x.name, x.type::regtype) ORDER BY x.place) FILTER (WHERE x.mode IN ('o', 'b', 't')), '{}') AS outputs
    FROM ROWS FROM (unnest(COALESCE(p.proallargtypes, p.proargtypes::oid[])), unnest(p.proargnames), unnest(p.proargmodes))
         WITH ORDINALITY AS y (type, name, given, place)
    CROSS JOIN LATERAL (SELECT y.type, NULLIF(y.name, '') AS name, COALESCE(y.given, 'i') AS mode, y.place) x) a
WHERE p.pronamespace = 'pgperf'::regnamespace
UNION ALL
SELECT CASE c.relkind WHEN 'v' THEN 'view ' WHEN 'c' THEN 'type ' ELSE 'table ' END || c.relname, '{}',
       (SELECT array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), 0
FROM pg_class c
WHERE c.relnamespace = 'pgperf'::regnamespace
  AND (EXISTS (SELECT FROM member m WHERE m.classid = 'pg_class'::regclass AND m.objid = c.oid)
       OR EXISTS (SELECT FROM member m WHERE m.classid = 'pg_type'::regclass AND m.objid = c.reltype))
UNION ALL
SELECT 'enum ' || t.typname, '{}', (SELECT array_agg(l.enumlabel::text ORDER BY l.enumsortorder) FROM pg_enum l WHERE l.enumtypid = t.oid), 0
FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid AND t.typtype = 'e'
