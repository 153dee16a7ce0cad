-- The objects that CREATE EXTENSION creates.
SELECT e.extrelocatable AS relocatable, pg_catalog.pg_describe_object(d.classid, d.objid, 0) AS owned_schema
  FROM pg_catalog.pg_extension e LEFT JOIN pg_catalog.pg_depend d
    ON d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_catalog.pg_namespace'::regclass
 WHERE e.extname = 'pgperf' ORDER BY 2;
-- pg_dump includes every table and sequence: otherwise a restored database would lose its history.
SELECT c.oid::regclass AS lost_by_pg_dump
  FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class c ON c.oid = d.objid
  JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
 WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.deptype = 'e' AND e.extname = 'pgperf'
   AND c.relkind IN ('r', 'p', 'S') AND NOT c.oid = ANY (coalesce(e.extconfig, '{}'))
 ORDER BY 1;
-- Everything lives in the extension's own schemas.
SELECT p.oid::regprocedure AS elsewhere
  FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_proc p ON p.oid = d.objid
  JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
 WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e' AND e.extname = 'pgperf'
   AND p.pronamespace NOT IN ('pgperf'::regnamespace, 'pgperf_internal'::regnamespace)
 ORDER BY 1;
