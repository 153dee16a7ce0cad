-- From the catalog, as it is now. At least 8 MB, as for unused indexes. All its columns are those of another index, or the first ones
-- of another B-tree, with the same operator classes, collations, order and predicate; both are valid. It keeps nothing unique and supports no
-- constraint; of equal ones the oldest stays.
SELECT NULL, LEAST(99, 100.0 * r.bytes / NULLIF(r.by_bytes, 0)),
       'index', n.nspname, c.relname, $3::timestamptz, NULL::timestamptz, NULL::timestamptz,
       format(CASE WHEN r.equal THEN '%s of index on %I.%I: its columns are those of %I, %s'
                   ELSE '%s of index on %I.%I: its columns are the first ones of %I, %s' END,
              pg_size_pretty(r.bytes), tn.nspname, t.relname, r.by_name, pg_size_pretty(r.by_bytes)),
       jsonb_build_object('size_bytes', r.bytes, 'table', t.relname, 'covered_by', r.by_name),
       format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, c.relname)
FROM {covered} r
JOIN pg_class c ON c.oid = r.index_oid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_index i ON i.indexrelid = r.index_oid
JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace tn ON tn.oid = t.relnamespace
WHERE r.large AND n.nspname NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'pg_toast', 'information_schema')
