-- What each relation counted in the window, one row each, with the values of its last row. Only relations that changed have a row in a
-- sample, and each at least once a day: so the last row up to a sample, not older than a bit more than a day, has the counters as of that
-- sample, and no row in between is read. From the first sample of each epoch to its last, added up. If no restart lost the database's
-- statistics, most relations are plain: their first and last row alone tell what they counted.
WITH marks AS (
    SELECT p.*, pg_catalog.count(*) FILTER (WHERE p.before_id IS NULL) OVER (ORDER BY p.sample_id) AS part
    FROM {samples}),
parts AS MATERIALIZED (
    SELECT m.part, pg_catalog.lag(m.part) OVER w AS part_before, pg_catalog.lead(m.part) OVER w IS NULL AS is_last, pg_catalog.lag(pg_catalog.max(m.taken_at)) OVER w AS before_at,
           pg_catalog.min(m.taken_at) AS first_at, pg_catalog.min(m.taken_at) - '26 hours'::pg_catalog.interval AS first_from,
           pg_catalog.max(m.taken_at) AS last_at, pg_catalog.max(m.taken_at) - '26 hours'::pg_catalog.interval AS last_from,
           pg_catalog.max(m.taken_at) - '15 minutes'::pg_catalog.interval AS lately,
           (SELECT z.last_oid FROM pgperf.relation_history z WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0
              AND z.sample_id = pg_catalog.min(m.sample_id) AND z.taken_at = pg_catalog.min(m.taken_at)) AS last_oid
    FROM marks m GROUP BY m.part HAVING pg_catalog.count(*) > 1
    WINDOW w AS (ORDER BY m.part)),
-- Those that changed shortly before the end of a part have many rows in its last day, of which only the last ones are needed. LIMIT: the
-- server then knows that they fit into memory; those beyond it are sorted with the others.
lately AS MATERIALIZED (
    SELECT p.part, r.relation_oid
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT h.relation_oid FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= p.last_at AND h.taken_at > p.lately) r
    LIMIT 100000),
-- The moments come in one by one, so that each looks at its own partitions only. A sort of their rows takes less than any lookup.
ends AS MATERIALIZED (
    SELECT p.part, p.first_at, f.relation_oid > p.last_oid AS is_new, f.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.taken_at, h.schema_name, h.relation_name, h.relation_kind, h.table_name,
               GREATEST(h.last_vacuum, h.last_autovacuum) AS vacuumed_at, h.reltuples, h.n_live_tup, h.n_dead_tup,
               h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.taken_at <= p.last_at AND h.taken_at > p.last_from
          AND (h.taken_at > p.lately OR (p.part, h.relation_oid) NOT IN (SELECT l.part, l.relation_oid FROM lately l))
        ORDER BY h.relation_oid, h.sample_id DESC) f
    WHERE p.is_last AND f.schema_name NOT IN ('pgperf', 'pgperf_internal')),
-- An epoch begins as the one before it ended, but for the relations that have a row since.
moved AS MATERIALIZED (
    SELECT p.part, p.part_before IS NULL AS is_first, p.first_at AS since, s.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.taken_at <= p.first_at AND h.taken_at > COALESCE(p.before_at, p.first_from)
        ORDER BY h.relation_oid, h.sample_id DESC) s),
-- After a crash or a reset of its statistics the database's transactions begin again at 0, as all counters of its relations do.
kept AS MATERIALIZED (
    SELECT pg_catalog.bool_and(COALESCE(
               (SELECT h.xact_commit FROM pgperf.database_history h
                WHERE h.node_id = $1::pg_catalog.uuid AND h.database_name IS NOT NULL
                  AND h.taken_at >= p.first_at AND h.taken_at < p.first_at + '1 hour'::pg_catalog.interval ORDER BY h.sample_id LIMIT 1)
               >= (SELECT h.xact_commit FROM pgperf.database_history h
                   WHERE h.node_id = $1::pg_catalog.uuid AND h.database_name IS NOT NULL
                     AND h.taken_at <= p.before_at AND h.taken_at > p.before_at - '1 hour'::pg_catalog.interval ORDER BY h.sample_id DESC LIMIT 1),
               p.part_before IS NULL)) AS everywhere
    FROM parts p),
plain AS MATERIALIZED (
    SELECT f.relation_oid, f.relation_kind, f.schema_name, f.relation_name, f.table_name, f.taken_at AS last_at, f.vacuumed_at,
           f.size_bytes, f.reltuples, f.n_live_tup, f.n_dead_tup, f.idx_scan AS idx_scans_ever, f.n_tup_del AS deleted_ever,
           m.since, (f.size_bytes - m.size_bytes)::pg_catalog.float8 AS growth,
           (f.seq_scan - m.seq_scan)::pg_catalog.float8 AS seq_scans, (f.seq_tup_read - m.seq_tup_read)::pg_catalog.float8 AS seq_rows,
           (f.idx_scan - m.idx_scan)::pg_catalog.float8 AS idx_scans, (f.idx_tup_read - m.idx_tup_read)::pg_catalog.float8 AS idx_rows,
           (f.n_tup_ins - m.n_tup_ins)::pg_catalog.float8 AS inserted, (f.n_tup_upd - m.n_tup_upd)::pg_catalog.float8 AS updated,
           (f.n_tup_del - m.n_tup_del)::pg_catalog.float8 AS deleted, (f.n_tup_hot_upd - m.n_tup_hot_upd)::pg_catalog.float8 AS hot,
           (f.vacuum_count - m.vacuum_count)::pg_catalog.float8 AS vacuums,
           (f.autovacuum_count - m.autovacuum_count)::pg_catalog.float8 AS autovacuums,
           (f.analyze_count - m.analyze_count)::pg_catalog.float8 AS analyzes, (f.blks_read - m.blks_read)::pg_catalog.float8 AS read,
           (f.blks_hit - m.blks_hit)::pg_catalog.float8 AS hit
    FROM ends f JOIN moved m ON m.is_first AND m.relation_oid = f.relation_oid
    WHERE (SELECT k.everywhere FROM kept k)
      AND NOT EXISTS (SELECT FROM moved x WHERE NOT x.is_first AND x.relation_oid = f.relation_oid)
      AND ((f.idx_scan IS NULL) <> (m.idx_scan IS NULL) OR f.seq_scan < m.seq_scan OR f.seq_tup_read < m.seq_tup_read OR f.idx_scan < m.idx_scan OR f.idx_tup_read < m.idx_tup_read OR
           f.n_tup_ins < m.n_tup_ins OR f.n_tup_upd < m.n_tup_upd OR f.n_tup_del < m.n_tup_del OR f.n_tup_hot_upd < m.n_tup_hot_upd OR
           f.vacuum_count < m.vacuum_count OR f.autovacuum_count < m.autovacuum_count OR f.analyze_count < m.analyze_count OR
           f.blks_read < m.blks_read OR f.blks_hit < m.blks_hit) IS NOT TRUE),
finishes AS MATERIALIZED (
    SELECT f.* FROM ends f WHERE f.relation_oid NOT IN (SELECT l.relation_oid FROM plain l)
    UNION ALL
    SELECT p.part, p.first_at, f.relation_oid > p.last_oid AS is_new, f.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.taken_at, h.schema_name, h.relation_name, h.relation_kind, h.table_name,
               GREATEST(h.last_vacuum, h.last_autovacuum) AS vacuumed_at, h.reltuples, h.n_live_tup, h.n_dead_tup,
               h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.taken_at <= p.last_at AND h.taken_at > p.last_from
          AND (h.taken_at > p.lately OR (p.part, h.relation_oid) NOT IN (SELECT l.part, l.relation_oid FROM lately l))
          AND h.relation_oid NOT IN (SELECT l.relation_oid FROM plain l)
        ORDER BY h.relation_oid, h.sample_id DESC) f
    WHERE NOT p.is_last AND f.schema_name NOT IN ('pgperf', 'pgperf_internal')),
starts AS MATERIALIZED (
    SELECT m.part, m.since, m.relation_oid, m.sample_id, m.size_bytes, m.seq_scan, m.seq_tup_read, m.idx_scan, m.idx_tup_read, m.n_tup_ins, m.n_tup_upd,
           m.n_tup_del, m.n_tup_hot_upd, m.vacuum_count, m.autovacuum_count, m.analyze_count, m.blks_read, m.blks_hit
    FROM moved m WHERE m.relation_oid NOT IN (SELECT l.relation_oid FROM plain l)
    UNION ALL
    SELECT p.part, p.first_at, f.relation_oid, f.sample_id, f.size_bytes, f.seq_scan, f.seq_tup_read, f.idx_scan, f.idx_tup_read, f.n_tup_ins, f.n_tup_upd,
           f.n_tup_del, f.n_tup_hot_upd, f.vacuum_count, f.autovacuum_count, f.analyze_count, f.blks_read, f.blks_hit
    FROM parts p JOIN finishes f ON f.part = p.part_before
    WHERE NOT EXISTS (SELECT FROM moved m WHERE m.part = p.part AND m.relation_oid = f.relation_oid)),
-- Without a row before, it counted from 0 if it is newer than the first sample. An index proves nothing: one that REINDEX
-- CONCURRENTLY built takes over the counters of the old one. It counts from its own first row, and so does a relation whose turn came later.
lacking AS MATERIALIZED (
    SELECT f.part, f.first_at, f.relation_oid, f.taken_at, f.is_new, COALESCE(f.is_new AND f.relation_kind <> 'index', false) AS from_zero
    FROM finishes f
    WHERE NOT EXISTS (SELECT FROM starts s WHERE s.part = f.part AND s.relation_oid = f.relation_oid)),
beginnings AS (
    SELECT s.* FROM starts s
    UNION ALL
    SELECT l.part, n.*
    FROM lacking l
    CROSS JOIN LATERAL (
        SELECT h.taken_at, h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = l.relation_oid AND h.taken_at > l.first_at AND h.taken_at <= l.taken_at
        ORDER BY h.sample_id LIMIT 1) n
    WHERE l.is_new AND NOT l.from_zero
    UNION ALL
    -- All of a day at once: after a restart, and where the history begins, they are as many as there are relations.
    SELECT l.part, n.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.taken_at, h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.taken_at > p.first_at
          AND h.taken_at <= LEAST(p.first_at + '26 hours'::pg_catalog.interval, p.last_at)
          AND EXISTS (SELECT FROM lacking l WHERE l.part = p.part AND l.is_new IS NOT TRUE)
        ORDER BY h.relation_oid, h.sample_id) n
    JOIN lacking l ON l.part = p.part AND l.relation_oid = n.relation_oid AND l.is_new IS NOT TRUE
    UNION ALL
    SELECT l.part, l.first_at, l.relation_oid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM lacking l WHERE l.from_zero),
-- Where a counter fell, nothing is known.
sums AS MATERIALIZED (
    SELECT f.relation_oid, pg_catalog.max(f.part) AS part, pg_catalog.min(b.since) AS since,
           pg_catalog.sum((f.size_bytes - b.size_bytes)::pg_catalog.float8) AS growth,
           pg_catalog.sum(NULLIF(GREATEST(f.seq_scan - b.seq_scan, -1), -1)::pg_catalog.float8) AS seq_scans,
           pg_catalog.sum(NULLIF(GREATEST(f.seq_tup_read - b.seq_tup_read, -1), -1)::pg_catalog.float8) AS seq_rows,
           pg_catalog.sum(NULLIF(GREATEST(f.idx_scan - b.idx_scan, -1), -1)::pg_catalog.float8) AS idx_scans,
           pg_catalog.sum(NULLIF(GREATEST(f.idx_tup_read - b.idx_tup_read, -1), -1)::pg_catalog.float8) AS idx_rows,
           pg_catalog.sum(NULLIF(GREATEST(f.n_tup_ins - b.n_tup_ins, -1), -1)::pg_catalog.float8) AS inserted,
           pg_catalog.sum(NULLIF(GREATEST(f.n_tup_upd - b.n_tup_upd, -1), -1)::pg_catalog.float8) AS updated,
           pg_catalog.sum(NULLIF(GREATEST(f.n_tup_del - b.n_tup_del, -1), -1)::pg_catalog.float8) AS deleted,
           pg_catalog.sum(NULLIF(GREATEST(f.n_tup_hot_upd - b.n_tup_hot_upd, -1), -1)::pg_catalog.float8) AS hot,
           pg_catalog.sum(NULLIF(GREATEST(f.vacuum_count - b.vacuum_count, -1), -1)::pg_catalog.float8) AS vacuums,
           pg_catalog.sum(NULLIF(GREATEST(f.autovacuum_count - b.autovacuum_count, -1), -1)::pg_catalog.float8) AS autovacuums,
           pg_catalog.sum(NULLIF(GREATEST(f.analyze_count - b.analyze_count, -1), -1)::pg_catalog.float8) AS analyzes,
           pg_catalog.sum(NULLIF(GREATEST(f.blks_read - b.blks_read, -1), -1)::pg_catalog.float8) AS read,
           pg_catalog.sum(NULLIF(GREATEST(f.blks_hit - b.blks_hit, -1), -1)::pg_catalog.float8) AS hit
    FROM finishes f JOIN beginnings b ON b.part = f.part AND b.relation_oid = f.relation_oid
    GROUP BY f.relation_oid)
SELECT l.* FROM plain l
UNION ALL
SELECT f.relation_oid, f.relation_kind, f.schema_name, f.relation_name, f.table_name, f.taken_at AS last_at, f.vacuumed_at,
       f.size_bytes, f.reltuples, f.n_live_tup, f.n_dead_tup, f.idx_scan AS idx_scans_ever, f.n_tup_del AS deleted_ever,
       s.since, s.growth, s.seq_scans, s.seq_rows, s.idx_scans, s.idx_rows, s.inserted, s.updated, s.deleted, s.hot, s.vacuums, s.autovacuums,
       s.analyzes, s.read, s.hit
FROM sums s JOIN finishes f ON f.relation_oid = s.relation_oid AND f.part = s.part
