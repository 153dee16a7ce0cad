-- From the catalog, as it is now. Left by a CREATE INDEX CONCURRENTLY or REINDEX CONCURRENTLY that failed; not one that is being built.
SELECT NULL, 50, 'index', n.nspname, c.relname, $3::timestamptz, NULL::timestamptz, NULL::timestamptz,
       format('%s of index on %s.%s, which no query can use', pg_size_pretty(c.relpages::int8 * current_setting('block_size')::int8), tn.nspname, t.relname),
       jsonb_build_object('size_bytes', c.relpages::int8 * current_setting('block_size')::int8, 'table', t.relname, 'unique', i.indisunique),
       format(CASE WHEN c.relname ~ '_cc(new|old)\d*$' THEN 'DROP INDEX CONCURRENTLY %I.%I' ELSE 'REINDEX INDEX CONCURRENTLY %I.%I' END, n.nspname, c.relname)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace tn ON tn.oid = t.relnamespace
WHERE $1::uuid = pgperf.local_node() AND NOT i.indisvalid AND c.relkind = 'i' AND i.indexrelid >= 16384
  AND i.indexrelid NOT IN (SELECT p.index_relid FROM pg_stat_progress_create_index p WHERE p.index_relid IS NOT NULL)
