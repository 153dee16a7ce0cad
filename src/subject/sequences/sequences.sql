-- The sequences among the relations of a part. One that is being changed, or is about to be, is left to the next sample: reading its value
-- would wait.
WITH slice AS MATERIALIZED ({slice}),
busy AS MATERIALIZED (
    SELECT l.relation FROM pg_catalog.pg_locks l
    WHERE l.locktype = 'relation' AND l.pid <> pg_catalog.pg_backend_pid()
      AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')),
-- Columns that own a sequence, or have it in their default.
columns AS MATERIALIZED (
    SELECT DISTINCT ON (u.sequence) u.sequence, n.nspname || '.' || t.relname AS table_name, a.attname AS column_name,
           pg_catalog.format_type(a.atttypid, a.atttypmod) AS column_type, m.most
    FROM (SELECT d.objid AS sequence, d.refobjid AS relation, d.refobjsubid AS number
          FROM pg_catalog.pg_depend d JOIN slice s ON s.oid = d.objid
          WHERE s.relkind = 'S' AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i')
          UNION
          SELECT d.refobjid, f.adrelid, f.adnum
          FROM pg_catalog.pg_depend d JOIN slice s ON s.oid = d.refobjid JOIN pg_catalog.pg_attrdef f ON f.oid = d.objid
          WHERE s.relkind = 'S' AND d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass) u
    JOIN pg_catalog.pg_class t ON t.oid = u.relation
    JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = u.relation AND a.attnum = u.number
    CROSS JOIN LATERAL (SELECT CASE a.atttypid WHEN 'pg_catalog.int2'::pg_catalog.regtype THEN 32767::pg_catalog.int8
        WHEN 'pg_catalog.int4'::pg_catalog.regtype THEN 2147483647::pg_catalog.int8 ELSE 9223372036854775807::pg_catalog.int8 END AS most) m
    ORDER BY u.sequence, m.most, u.relation, u.number),
read AS MATERIALIZED (
    SELECT s.oid, s.relname, s.relnamespace, q.seqincrement, q.seqcycle, q.seqmin, q.seqmax, c.table_name, c.column_name, c.column_type,
           CASE WHEN q.seqincrement > 0 THEN LEAST(q.seqmax, c.most) ELSE GREATEST(q.seqmin, -c.most - 1) END AS limit_value,
           CASE WHEN pg_catalog.has_sequence_privilege(s.oid, 'SELECT, USAGE') THEN pg_catalog.pg_sequence_last_value(s.oid::pg_catalog.regclass) END AS last_value
    FROM slice s
    JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid
    LEFT JOIN columns c ON c.sequence = s.oid
    WHERE s.relkind = 'S' AND s.relpersistence <> 't' AND s.oid NOT IN (SELECT b.relation FROM busy b)),
used AS (
    SELECT r.*, n.nspname,
           100 * CASE WHEN r.seqincrement > 0 THEN (r.last_value::pg_catalog.float8 - r.seqmin) / NULLIF(r.limit_value::pg_catalog.float8 - r.seqmin, 0)
                      ELSE (r.seqmax::pg_catalog.float8 - r.last_value) / NULLIF(r.seqmax::pg_catalog.float8 - r.limit_value, 0) END AS used_percent
    FROM read r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
    WHERE r.last_value IS NOT NULL AND n.nspname NOT IN ('pgperf', 'pgperf_internal')
      AND NOT (r.seqcycle AND r.limit_value = CASE WHEN r.seqincrement > 0 THEN r.seqmax ELSE r.seqmin END))
SELECT (SELECT pg_catalog.max(s.oid)::pg_catalog.int8 FROM slice s) AS last,
       COALESCE((SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
           'sequence_oid', u.oid::pg_catalog.int8, 'last_value', u.last_value, 'limit_value', u.limit_value, 'increment', u.seqincrement, 'used_percent', u.used_percent,
           'schema_name', u.nspname, 'sequence_name', u.relname, 'table_name', u.table_name, 'column_name', u.column_name, 'column_type', u.column_type))
           FROM used u WHERE u.used_percent >= 1), '[]'::pg_catalog.jsonb) AS sequences
