-- No scan in the whole history, which spans at least 45 minutes. At least 8 MB: a smaller one costs nothing that anybody would notice;
-- from 1 GB on a warning. Not if it keeps values unique, supports a constraint, identifies rows for replication, belongs to a
-- partitioned index or to a shard, since parts cannot be dropped alone, or is not valid yet. One that duplicates another, or is the one that stays of them, is
-- left to duplicate_index: its searches come when the other is dropped.
WITH candidates AS MATERIALIZED (
    -- Each index and its table are looked up for those that may be named alone: with 20,000 tables, one nested loop over all took a minute.
    SELECT t.*, i.indrelid
    FROM totals t JOIN pg_index i ON i.indexrelid = t.relation_oid
    WHERE $1::uuid = (SELECT pgperf.local_node()) AND t.relation_kind = 'index' AND COALESCE(t.idx_scans, 0) = 0
      AND t.schema_name NOT IN ('pg_catalog', 'pg_toast', 'information_schema') AND t.size_bytes >= {threshold unused_index}
      AND i.indisvalid AND NOT i.indisunique AND NOT i.indisreplident
      AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
      AND NOT EXISTS (SELECT FROM pg_inherits n WHERE n.inhrelid = i.indexrelid)
      AND NOT EXISTS (SELECT FROM {covered} r WHERE r.large AND i.indexrelid IN (r.index_oid, r.by_oid)))
SELECT CASE WHEN t.size_bytes >= 1073741824 THEN 'warning' END,
       LEAST(99, 100.0 * t.size_bytes / NULLIF(o.size_bytes, 0)),
       'index', t.schema_name, t.relation_name, $3::timestamptz, u.since, t.last_at,
       format('%s of index on %I, and no scan since %s, while %s rows of the table were inserted or updated in the window',
              pg_size_pretty(t.size_bytes), t.table_name, to_char(u.since, 'YYYY-MM-DD HH24:MI'),
              to_char(COALESCE(o.inserted, 0) + COALESCE(o.updated, 0), 'FM999,999,999,999,990')),
       jsonb_build_object('size_bytes', t.size_bytes, 'table', t.table_name, 'scans', 0, 'since', u.since,
                          'rows_written', COALESCE(o.inserted, 0) + COALESCE(o.updated, 0)),
       -- Another index may have got its name since.
       (SELECT format('DROP INDEX CONCURRENTLY %I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = t.relation_oid)
FROM candidates t
JOIN totals o ON o.relation_oid = t.indrelid AND o.last_at > $2::timestamptz AND o.table_name IS NULL
CROSS JOIN LATERAL (
    SELECT min(h.taken_at) AS since, max(h.idx_scan) AS most, min(h.idx_scan) AS least
    FROM pgperf.relation_history h WHERE h.node_id = $1::uuid AND h.relation_oid = t.relation_oid) u
WHERE u.most = u.least AND u.since <= $3::timestamptz - interval '45 minutes'
