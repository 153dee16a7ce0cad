-- Only relations that changed have a row in a sample, and each at least once a day: so the last row up to a sample, not older than a
-- bit more than a day, has the counters as of that sample. From the first sample of each epoch to its last.
WITH marks AS (
    SELECT p.*, pg_catalog.count(*) FILTER (WHERE p.before_id IS NULL) OVER (ORDER BY p.sample_id) AS part
    FROM {samples}),
parts AS MATERIALIZED (
    SELECT m.part, pg_catalog.min(m.sample_id) AS first_id, pg_catalog.min(m.taken_at) AS first_at,
           pg_catalog.max(m.sample_id) AS last_id, pg_catalog.max(m.taken_at) AS last_at,
           (SELECT z.last_oid FROM pgperf.relation_history z WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0
              AND z.sample_id = pg_catalog.min(m.sample_id) AND z.taken_at = pg_catalog.min(m.taken_at)) AS last_oid
    FROM marks m GROUP BY m.part HAVING pg_catalog.count(*) > 1),
-- The largest array of a relation is that of its last row, whose other values follow the sample's number.
starts AS MATERIALIZED (
    SELECT p.part, h.relation_oid,
           pg_catalog.max(ARRAY[h.sample_id, h.size_bytes, h.n_live_tup, h.n_dead_tup, h.seq_scan, h.seq_tup_read, h.idx_scan,
               h.n_tup_ins, h.n_tup_upd, h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count,
               h.autovacuum_count, h.analyze_count + h.autoanalyze_count, h.blks_read, h.blks_hit]) AS v
    FROM parts p JOIN pgperf.relation_history h ON h.node_id = $1::pg_catalog.uuid AND h.taken_at <= p.first_at
         AND h.taken_at > p.first_at - '26 hours'::pg_catalog.interval AND h.relation_oid <> 0
    GROUP BY p.part, h.relation_oid),
finishes AS MATERIALIZED (
    SELECT p.part, h.relation_oid, pg_catalog.max(h.schema_name) AS schema_name, pg_catalog.max(h.relation_kind) AS kind,
           pg_catalog.max(h.taken_at) AS taken_at, pg_catalog.max(GREATEST(h.last_vacuum, h.last_autovacuum)) AS vacuumed_at,
           pg_catalog.max(ARRAY[h.sample_id, h.size_bytes, h.n_live_tup, h.n_dead_tup, h.seq_scan, h.seq_tup_read, h.idx_scan,
               h.n_tup_ins, h.n_tup_upd, h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count,
               h.autovacuum_count, h.analyze_count + h.autoanalyze_count, h.blks_read, h.blks_hit]) AS v
    FROM parts p JOIN pgperf.relation_history h ON h.node_id = $1::pg_catalog.uuid AND h.taken_at <= p.last_at
         AND h.taken_at > p.last_at - '26 hours'::pg_catalog.interval AND h.relation_oid <> 0
    GROUP BY p.part, h.relation_oid),
changes AS (
    SELECT f.part, f.relation_oid, f.kind, f.taken_at, f.vacuumed_at, f.v,
           f.v[2] - COALESCE(s.v[2], 0) AS growth, f.v[5] - COALESCE(s.v[5], 0) AS seq_scan, f.v[6] - COALESCE(s.v[6], 0) AS seq_tup_read,
           f.v[7] - COALESCE(s.v[7], 0) AS idx_scan, f.v[8] - COALESCE(s.v[8], 0) AS ins, f.v[9] - COALESCE(s.v[9], 0) AS upd,
           f.v[10] - COALESCE(s.v[10], 0) AS del, f.v[11] - COALESCE(s.v[11], 0) AS hot, f.v[12] - COALESCE(s.v[12], 0) AS vacuums,
           f.v[13] - COALESCE(s.v[13], 0) AS autovacuums, f.v[14] - COALESCE(s.v[14], 0) AS analyzes, f.v[15] - COALESCE(s.v[15], 0) AS read,
           f.v[16] - COALESCE(s.v[16], 0) AS hit
    FROM finishes f JOIN parts p USING (part)
    LEFT JOIN starts s ON s.part = f.part AND s.relation_oid = f.relation_oid
    -- Without a row before, it counted from 0 if it is newer than the first sample. An index proves nothing: one that REINDEX
    -- CONCURRENTLY built takes over the counters of the old one.
    WHERE (s.v IS NOT NULL OR f.relation_oid > p.last_oid AND f.kind <> 'index')
      AND f.schema_name NOT IN ('pgperf', 'pgperf_internal')),
totals AS MATERIALIZED (
    SELECT c.relation_oid, pg_catalog.max(c.kind) AS kind, pg_catalog.max(c.taken_at) AS taken_at, pg_catalog.max(c.vacuumed_at) AS vacuumed_at,
           pg_catalog.max(c.v) AS v,
           pg_catalog.sum(c.growth)::pg_catalog.float8 AS growth, pg_catalog.sum(c.seq_scan)::pg_catalog.float8 AS seq_scan, pg_catalog.sum(c.seq_tup_read)::pg_catalog.float8 AS seq_tup_read,
           pg_catalog.sum(c.idx_scan)::pg_catalog.float8 AS idx_scan, pg_catalog.sum(c.ins)::pg_catalog.float8 AS ins, pg_catalog.sum(c.upd)::pg_catalog.float8 AS upd,
           pg_catalog.sum(c.del)::pg_catalog.float8 AS del, pg_catalog.sum(c.hot)::pg_catalog.float8 AS hot, pg_catalog.sum(c.vacuums)::pg_catalog.float8 AS vacuums,
           pg_catalog.sum(c.autovacuums)::pg_catalog.float8 AS autovacuums, pg_catalog.sum(c.analyzes)::pg_catalog.float8 AS analyzes,
           pg_catalog.sum(c.read)::pg_catalog.float8 AS read, pg_catalog.sum(c.hit)::pg_catalog.float8 AS hit
    FROM changes c GROUP BY c.relation_oid),
-- Six short lists, so that no more than ten of each are ever sorted.
lists AS (
    (SELECT 1 AS no, 'Growth' AS list, t.*, pg_catalog.abs(t.growth) AS amount FROM totals t
     WHERE pg_catalog.abs(t.growth) > 0 AND t.growth <> 0 ORDER BY pg_catalog.abs(t.growth) DESC, t.relation_oid LIMIT 10)
    UNION ALL
    (SELECT 2 AS no, 'Rows written' AS list, t.*, t.ins + t.upd + t.del AS amount FROM totals t
     WHERE t.ins + t.upd + t.del > 0 AND t.kind <> 'index' ORDER BY t.ins + t.upd + t.del DESC, t.relation_oid LIMIT 10)
    UNION ALL
    (SELECT 3 AS no, 'Dead rows at the end' AS list, t.*, t.v[4]::pg_catalog.float8 AS amount FROM totals t
     WHERE t.v[4]::pg_catalog.float8 > 0 AND t.kind <> 'index' ORDER BY t.v[4]::pg_catalog.float8 DESC, t.relation_oid LIMIT 10)
    UNION ALL
    (SELECT 4 AS no, 'Sequential scans of tables of 1 MB or more, by rows read' AS list, t.*, t.seq_tup_read AS amount FROM totals t
     WHERE t.seq_tup_read > 0 AND t.v[2] >= 1048576 AND t.seq_scan > 0 ORDER BY t.seq_tup_read DESC, t.relation_oid LIMIT 10)
    UNION ALL
    (SELECT 5 AS no, 'Blocks read' AS list, t.*, t.read AS amount FROM totals t
     WHERE t.read > 0 ORDER BY t.read DESC, t.relation_oid LIMIT 10)
    UNION ALL
    (SELECT 6 AS no, 'Vacuums' AS list, t.*, t.vacuums + t.autovacuums + t.analyzes AS amount FROM totals t
     WHERE t.vacuums + t.autovacuums + t.analyzes > 0 AND t.kind <> 'index' ORDER BY t.vacuums + t.autovacuums + t.analyzes DESC, t.relation_oid LIMIT 10))
SELECT l.list, n.schema_name || '.' || n.relation_name AS relation, NULLIF(l.kind, 'table') AS kind,
       CASE WHEN l.no IN (1, 3, 4, 5) THEN l.v[2] END AS size_bytes, CASE WHEN l.no = 1 THEN l.growth END AS growth_bytes,
       CASE WHEN l.no = 2 THEN l.ins END AS inserted, CASE WHEN l.no = 2 THEN l.upd END AS updated, CASE WHEN l.no = 2 THEN l.del END AS deleted,
       CASE WHEN l.no = 2 THEN 100 * l.hot / NULLIF(l.upd, 0) END AS hot_percent,
       CASE WHEN l.no IN (2, 3, 6) THEN l.v[4] END AS dead,
       CASE WHEN l.no IN (3, 6) THEN 100.0 * l.v[4] / NULLIF(l.v[3] + l.v[4], 0) END AS dead_percent,
       CASE WHEN l.no = 4 THEN l.seq_scan END AS seq_scans, CASE WHEN l.no = 4 THEN l.seq_tup_read END AS seq_rows,
       CASE WHEN l.no = 4 THEN l.idx_scan END AS index_scans,
       CASE WHEN l.no = 5 THEN l.read * pg_catalog.current_setting('block_size')::pg_catalog.int8 END AS read_bytes,
       CASE WHEN l.no = 5 THEN 100 * l.hit / NULLIF(l.hit + l.read, 0) END AS hit_percent,
       CASE WHEN l.no = 6 THEN l.autovacuums END AS autovacuums, CASE WHEN l.no = 6 THEN l.vacuums END AS vacuums,
       CASE WHEN l.no = 6 THEN l.analyzes END AS analyzes,
       CASE WHEN l.no IN (3, 6) THEN l.vacuumed_at END AS vacuumed_at
FROM lists l
CROSS JOIN LATERAL (
    SELECT x.schema_name, x.relation_name FROM pgperf.relation_history x
    WHERE x.node_id = $1::pg_catalog.uuid AND x.relation_oid = l.relation_oid AND x.sample_id = l.v[1] AND x.taken_at = l.taken_at LIMIT 1) n
ORDER BY l.no, l.amount DESC, l.relation_oid
