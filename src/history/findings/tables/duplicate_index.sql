-- From the catalog, as it is now. At least 8 MB, as for unused indexes. All its columns are those of another index, or the first ones
-- of another B-tree, with the same operator classes, collations, order and predicate. It keeps nothing unique and supports no
-- constraint; of two equal ones it is the later.
SELECT NULL, LEAST(99, 100.0 * a.bytes / NULLIF(b.bytes, 0)),
       'index', n.nspname, a.relname, $3::timestamptz, NULL::timestamptz, NULL::timestamptz,
       format(CASE WHEN a.indkey::text = b.indkey::text THEN '%s of index on %s: its columns are those of %I, %s'
                   ELSE '%s of index on %s: its columns are the first ones of %I, %s' END,
              pg_size_pretty(a.bytes), a.indrelid::regclass, b.relname, pg_size_pretty(b.bytes)),
       jsonb_build_object('size_bytes', a.bytes, 'table', (SELECT r.relname FROM pg_class r WHERE r.oid = a.indrelid), 'covered_by', b.relname),
       format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, a.relname)
FROM (SELECT i.*, c.relname, c.relnamespace, c.relam, c.relpages::bigint * current_setting('block_size')::bigint AS bytes
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relkind = 'i' AND i.indisvalid AND c.relpages::bigint * current_setting('block_size')::bigint >= 8388608) a
JOIN (SELECT i.*, c.relname, c.relam, c.relpages::bigint * current_setting('block_size')::bigint AS bytes
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relkind = 'i' AND i.indisvalid) b
  ON b.indrelid = a.indrelid AND b.indexrelid <> a.indexrelid AND b.relam = a.relam
JOIN pg_namespace n ON n.oid = a.relnamespace
WHERE $1::uuid = (SELECT pgperf.local_node())
  AND n.nspname NOT IN ('pgperf', 'pgperf_internal', 'pg_catalog', 'pg_toast', 'information_schema')
  AND NOT a.indisunique AND NOT a.indisreplident
  AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = a.indexrelid)
  AND NOT EXISTS (SELECT FROM pg_inherits p WHERE p.inhrelid = a.indexrelid)
  AND a.indnkeyatts = a.indnatts
  AND pg_get_expr(a.indpred, a.indrelid) IS NOT DISTINCT FROM pg_get_expr(b.indpred, b.indrelid)
  AND (a.indkey::text = b.indkey::text AND a.indclass = b.indclass AND a.indcollation = b.indcollation AND a.indoption = b.indoption
           AND pg_get_expr(a.indexprs, a.indrelid) IS NOT DISTINCT FROM pg_get_expr(b.indexprs, b.indrelid)
           AND (b.indisunique OR b.indexrelid < a.indexrelid)
       OR a.indexprs IS NULL AND b.indexprs IS NULL AND a.relam = (SELECT m.oid FROM pg_am m WHERE m.amname = 'btree')
           AND b.indnkeyatts > a.indnkeyatts
           AND (a.indkey::int2[])[0:a.indnkeyatts - 1] = (b.indkey::int2[])[0:a.indnkeyatts - 1] AND (a.indclass::oid[])[0:a.indnkeyatts - 1] = (b.indclass::oid[])[0:a.indnkeyatts - 1]
           AND (a.indcollation::oid[])[0:a.indnkeyatts - 1] = (b.indcollation::oid[])[0:a.indnkeyatts - 1]
           AND (a.indoption::int2[])[0:a.indnkeyatts - 1] = (b.indoption::int2[])[0:a.indnkeyatts - 1])
