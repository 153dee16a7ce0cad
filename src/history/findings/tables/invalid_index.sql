-- From the catalog, as it is now. Left by a CREATE INDEX CONCURRENTLY or REINDEX CONCURRENTLY that failed; not while one of its table is being built.
SELECT NULL, 50, 'index', n.nspname, c.relname, $3::timestamptz, NULL::timestamptz, NULL::timestamptz,
       format('%s of index on %s.%s, which no query can use', pg_size_pretty(c.relpages::int8 * current_setting('block_size')::int8), tn.nspname, t.relname),
       jsonb_build_object('size_bytes', c.relpages::int8 * current_setting('block_size')::int8, 'table', t.relname, 'unique', i.indisunique),
       -- Of what a valid one does as well, nobody needs another. Rows that are not unique would stop a unique one again, and leave one more.
       format(CASE WHEN i.indisunique OR c.relname ~ '_cc(new|old)\d*$' OR EXISTS (
                            SELECT FROM pg_index b WHERE b.indrelid = i.indrelid AND b.indexrelid <> i.indexrelid AND b.indisvalid
                               AND b.indnkeyatts = i.indnkeyatts AND b.indkey::text = i.indkey::text AND b.indclass = i.indclass AND b.indcollation = i.indcollation
                               AND b.indoption::text = i.indoption::text AND i.indexprs IS NULL AND b.indexprs IS NULL AND i.indpred IS NULL AND b.indpred IS NULL)
                   THEN 'DROP INDEX CONCURRENTLY %I.%I' ELSE 'REINDEX INDEX CONCURRENTLY %I.%I' END, n.nspname, c.relname)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_namespace tn ON tn.oid = t.relnamespace
WHERE $1::uuid = pgperf.local_node() AND NOT i.indisvalid AND c.relkind = 'i' AND i.indexrelid >= 16384
  AND i.indrelid NOT IN (SELECT p.relid FROM pg_stat_progress_create_index p WHERE p.datname = current_database() AND p.relid IS NOT NULL)
