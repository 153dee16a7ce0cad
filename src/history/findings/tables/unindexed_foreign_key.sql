-- From the catalog, as it is now, and the counters of the window. Rows of the referenced table were deleted, at least ten, and the referencing
-- table, of 8 MB or more, was read from end to end for at least half of them: no index has its columns first.
SELECT NULL, LEAST(99, 100.0 * child.seq_rows / NULLIF((SELECT sum(x.seq_rows) FROM totals x WHERE x.relation_kind = 'table'), 0)),
       'table', child.schema_name, child.relation_name, child.last_at, child.since, child.last_at,
       format('%s rows were deleted from %s, and each looks for its %s in %s of %s.%s without an index; %s sequential scans in the window',
              parent.deleted, parent.relation_name, k.conname, pg_size_pretty(child.size_bytes), child.schema_name, child.relation_name, child.seq_scans),
       jsonb_build_object('constraint', k.conname, 'columns', k.names, 'deleted', parent.deleted, 'scans', child.seq_scans, 'size_bytes', child.size_bytes),
       format('CREATE INDEX CONCURRENTLY ON %I.%I (%s)', child.schema_name, child.relation_name, k.names)
FROM (SELECT f.conname, f.conrelid, f.confrelid, f.conkey,
             (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY u.place) FROM unnest(f.conkey) WITH ORDINALITY u(number, place)
              JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = u.number) AS names
      FROM pg_constraint f WHERE f.contype = 'f' AND $1::uuid = pgperf.local_node()) k
JOIN totals child ON child.relation_oid = k.conrelid
JOIN totals parent ON parent.relation_oid = k.confrelid
WHERE parent.deleted >= 10 AND child.size_bytes >= 8388608 AND child.seq_scans >= 0.5 * parent.deleted
  AND NOT EXISTS (SELECT FROM pg_index i
                  WHERE i.indrelid = k.conrelid AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts >= cardinality(k.conkey)
                    AND (SELECT c.relam FROM pg_class c WHERE c.oid = i.indexrelid) IN (SELECT m.oid FROM pg_am m WHERE m.amname IN ('btree', 'hash'))
                    AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] <@ k.conkey)
