-- Six short lists, so that no more of each are sorted than are read.
WITH lists AS (
    (SELECT 1 AS no, 'Growth' AS list, t.*, pg_catalog.abs(t.growth) AS amount FROM {relations} t
     WHERE pg_catalog.abs(t.growth) > 0 AND t.growth <> 0 ORDER BY pg_catalog.abs(t.growth) DESC, t.relation_oid LIMIT {first})
    UNION ALL
    (SELECT 2 AS no, 'Rows written' AS list, t.*, t.inserted + t.updated + t.deleted AS amount FROM {relations} t
     WHERE t.inserted + t.updated + t.deleted > 0 AND t.relation_kind <> 'index' ORDER BY t.inserted + t.updated + t.deleted DESC, t.relation_oid LIMIT {first})
    UNION ALL
    (SELECT 3 AS no, 'Dead rows at the end' AS list, t.*, t.n_dead_tup::pg_catalog.float8 AS amount FROM {relations} t
     WHERE t.n_dead_tup::pg_catalog.float8 > 0 AND t.relation_kind <> 'index' ORDER BY t.n_dead_tup::pg_catalog.float8 DESC, t.relation_oid LIMIT {first})
    UNION ALL
    (SELECT 4 AS no, 'Sequential scans of tables of 1 MB or more, by rows read' AS list, t.*, t.seq_rows AS amount FROM {relations} t
     WHERE t.seq_rows > 0 AND t.size_bytes >= 1048576 AND t.seq_scans > 0 ORDER BY t.seq_rows DESC, t.relation_oid LIMIT {first})
    UNION ALL
    (SELECT 5 AS no, 'Blocks read' AS list, t.*, t.read AS amount FROM {relations} t
     WHERE t.read > 0 ORDER BY t.read DESC, t.relation_oid LIMIT {first})
    UNION ALL
    (SELECT 6 AS no, 'Vacuums' AS list, t.*, t.vacuums + t.autovacuums + t.analyzes AS amount FROM {relations} t
     WHERE t.vacuums + t.autovacuums + t.analyzes > 0 AND t.relation_kind <> 'index' ORDER BY t.vacuums + t.autovacuums + t.analyzes DESC, t.relation_oid LIMIT {first}))
SELECT l.list, l.schema_name || '.' || l.relation_name AS relation, NULLIF(l.relation_kind, 'table') AS kind,
       CASE WHEN l.no IN (1, 3, 4, 5) THEN l.size_bytes END AS size_bytes, CASE WHEN l.no = 1 THEN l.growth END AS growth_bytes,
       CASE WHEN l.no = 2 THEN l.inserted END AS inserted, CASE WHEN l.no = 2 THEN l.updated END AS updated, CASE WHEN l.no = 2 THEN l.deleted END AS deleted,
       CASE WHEN l.no = 2 THEN 100 * l.hot / NULLIF(l.updated, 0) END AS hot_percent,
       CASE WHEN l.no IN (2, 3, 6) THEN l.n_dead_tup END AS dead,
       CASE WHEN l.no IN (3, 6) THEN 100.0 * l.n_dead_tup / NULLIF(l.n_live_tup + l.n_dead_tup, 0) END AS dead_percent,
       CASE WHEN l.no = 4 THEN l.seq_scans END AS seq_scans, CASE WHEN l.no = 4 THEN l.seq_rows END AS seq_rows,
       CASE WHEN l.no = 4 THEN l.idx_scans END AS index_scans,
       CASE WHEN l.no = 5 THEN l.read * pg_catalog.current_setting('block_size')::pg_catalog.int8 END AS read_bytes,
       CASE WHEN l.no = 5 THEN 100 * l.hit / NULLIF(l.hit + l.read, 0) END AS hit_percent,
       CASE WHEN l.no = 6 THEN l.autovacuums END AS autovacuums, CASE WHEN l.no = 6 THEN l.vacuums END AS vacuums,
       CASE WHEN l.no = 6 THEN l.analyzes END AS analyzes,
       CASE WHEN l.no IN (3, 6) THEN l.vacuumed_at END AS vacuumed_at
FROM lists l
ORDER BY l.no, l.amount DESC, l.relation_oid
