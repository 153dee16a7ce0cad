-- What each relation counted in the window, one row each, with the values of its last row. Only relations that changed have a row in a
-- sample, and each at least once a day: so the last row up to a sample, not older than a bit more than a day, has the counters as of that
-- sample, and no row in between is read. From the first sample of each epoch to its last, added up.
WITH marks AS (
    SELECT p.*, pg_catalog.count(*) FILTER (WHERE p.before_id IS NULL) OVER (ORDER BY p.sample_id) AS part
    FROM {samples}),
parts AS MATERIALIZED (
    SELECT m.part, pg_catalog.min(m.taken_at) AS first_at, pg_catalog.max(m.taken_at) AS last_at,
           (SELECT z.last_oid FROM pgperf.relation_history z WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0
              AND z.sample_id = pg_catalog.min(m.sample_id) AND z.taken_at = pg_catalog.min(m.taken_at)) AS last_oid
    FROM marks m GROUP BY m.part HAVING pg_catalog.count(*) > 1),
-- The moments come in one by one, so that each looks at its own partitions only. The largest array of a relation is that of its last
-- row, whose other values follow the sample's number.
starts AS MATERIALIZED (
    SELECT p.part, s.relation_oid, s.v
    FROM parts p CROSS JOIN LATERAL (
        SELECT h.relation_oid,
               pg_catalog.max(ARRAY[h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
                   h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count, h.blks_read, h.blks_hit]) AS v
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0
          AND h.taken_at <= p.first_at AND h.taken_at > p.first_at - '26 hours'::pg_catalog.interval
        GROUP BY h.relation_oid) s),
finishes AS MATERIALIZED (
    SELECT p.part, p.first_at, f.relation_oid > p.last_oid AS is_new, f.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.taken_at, h.schema_name, h.relation_name, h.relation_kind, h.table_name,
               GREATEST(h.last_vacuum, h.last_autovacuum) AS vacuumed_at, h.size_bytes, h.reltuples, h.n_live_tup, h.n_dead_tup,
               h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd, h.n_tup_del, h.n_tup_hot_upd,
               h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0
          AND h.taken_at <= p.last_at AND h.taken_at > p.last_at - '26 hours'::pg_catalog.interval
        ORDER BY h.relation_oid, h.sample_id DESC) f
    WHERE f.schema_name NOT IN ('pgperf', 'pgperf_internal')),
-- Without a row before, it counted from 0 if it is newer than the first sample. An index proves nothing: one that REINDEX
-- CONCURRENTLY built takes over the counters of the old one. It counts from its own first row, and so does a relation whose turn came later.
lacking AS (
    SELECT f.* FROM finishes f
    WHERE NOT EXISTS (SELECT FROM starts s WHERE s.part = f.part AND s.relation_oid = f.relation_oid)),
based AS MATERIALIZED (
    SELECT f.*, f.first_at AS since, s.v
    FROM finishes f JOIN starts s ON s.part = f.part AND s.relation_oid = f.relation_oid
    UNION ALL
    SELECT f.*, COALESCE(n.taken_at, f.first_at), COALESCE(n.v, pg_catalog.array_fill(0::pg_catalog.int8, ARRAY[15]))
    FROM lacking f
    LEFT JOIN LATERAL (
        SELECT h.taken_at, ARRAY[h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
                   h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count, h.blks_read, h.blks_hit] AS v
        FROM pgperf.relation_history h
        WHERE (f.is_new IS NOT TRUE OR f.relation_kind = 'index')
          AND h.node_id = $1::pg_catalog.uuid AND h.relation_oid = f.relation_oid
          AND h.taken_at > f.first_at AND h.taken_at <= f.taken_at
          AND (f.is_new OR h.taken_at <= f.first_at + '26 hours'::pg_catalog.interval)
        ORDER BY h.sample_id LIMIT 1) n ON true
    WHERE n.v IS NOT NULL OR f.is_new AND f.relation_kind <> 'index'),
-- Where a counter fell, nothing is known.
sums AS MATERIALIZED (
    SELECT b.relation_oid, pg_catalog.max(b.part) AS part, pg_catalog.min(b.since) AS since,
           pg_catalog.sum((b.size_bytes - b.v[2])::pg_catalog.float8) AS growth,
           pg_catalog.sum(NULLIF(GREATEST(b.seq_scan - b.v[3], -1), -1)::pg_catalog.float8) AS seq_scans,
           pg_catalog.sum(NULLIF(GREATEST(b.seq_tup_read - b.v[4], -1), -1)::pg_catalog.float8) AS seq_rows,
           pg_catalog.sum(NULLIF(GREATEST(b.idx_scan - b.v[5], -1), -1)::pg_catalog.float8) AS idx_scans,
           pg_catalog.sum(NULLIF(GREATEST(b.idx_tup_read - b.v[6], -1), -1)::pg_catalog.float8) AS idx_rows,
           pg_catalog.sum(NULLIF(GREATEST(b.n_tup_ins - b.v[7], -1), -1)::pg_catalog.float8) AS inserted,
           pg_catalog.sum(NULLIF(GREATEST(b.n_tup_upd - b.v[8], -1), -1)::pg_catalog.float8) AS updated,
           pg_catalog.sum(NULLIF(GREATEST(b.n_tup_del - b.v[9], -1), -1)::pg_catalog.float8) AS deleted,
           pg_catalog.sum(NULLIF(GREATEST(b.n_tup_hot_upd - b.v[10], -1), -1)::pg_catalog.float8) AS hot,
           pg_catalog.sum(NULLIF(GREATEST(b.vacuum_count - b.v[11], -1), -1)::pg_catalog.float8) AS vacuums,
           pg_catalog.sum(NULLIF(GREATEST(b.autovacuum_count - b.v[12], -1), -1)::pg_catalog.float8) AS autovacuums,
           pg_catalog.sum(NULLIF(GREATEST(b.analyze_count - b.v[13], -1), -1)::pg_catalog.float8) AS analyzes,
           pg_catalog.sum(NULLIF(GREATEST(b.blks_read - b.v[14], -1), -1)::pg_catalog.float8) AS read,
           pg_catalog.sum(NULLIF(GREATEST(b.blks_hit - b.v[15], -1), -1)::pg_catalog.float8) AS hit
    FROM based b GROUP BY b.relation_oid)
SELECT b.relation_oid, b.relation_kind, b.schema_name, b.relation_name, b.table_name, b.sample_id AS last_id, b.taken_at AS last_at, b.vacuumed_at,
       b.size_bytes, b.reltuples, b.n_live_tup, b.n_dead_tup, b.idx_scan AS idx_scans_ever, b.n_tup_del AS deleted_ever,
       s.since, s.growth, s.seq_scans, s.seq_rows, s.idx_scans, s.idx_rows, s.inserted, s.updated, s.deleted, s.hot, s.vacuums, s.autovacuums,
       s.analyzes, s.read, s.hit
FROM sums s JOIN based b ON b.relation_oid = s.relation_oid AND b.part = s.part
