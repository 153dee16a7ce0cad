-- What each relation counted in the window, one row each, with the values of its last row. Only relations that changed have a row in a
-- sample, and each at least once a day: so the last row up to a sample, not older than a bit more than a day, has the counters as of that
-- sample, and no row in between is read. An epoch begins as the one before it ended, but for the relations that have a row since (they
-- moved): so most are known from their first and their last row alone, and only those are added up from epoch to epoch.
WITH marks AS (
    SELECT p.*, pg_catalog.count(*) FILTER (WHERE p.before_id IS NULL) OVER (ORDER BY p.sample_id) AS part
    FROM {samples}),
parts AS MATERIALIZED (
    SELECT m.part, pg_catalog.lag(m.part) OVER w AS part_before, pg_catalog.lag(pg_catalog.max(m.taken_at)) OVER w AS before_at,
           pg_catalog.min(m.taken_at) AS first_at, pg_catalog.max(m.taken_at) AS last_at, pg_catalog.min(m.sample_id) AS first_id,
           pg_catalog.max(m.taken_at) - '26 hours'::pg_catalog.interval AS last_from, pg_catalog.max(m.taken_at) - '15 minutes'::pg_catalog.interval AS lately
    FROM marks m GROUP BY m.part HAVING pg_catalog.count(*) > 1
    WINDOW w AS (ORDER BY m.part)),
whole AS MATERIALIZED (
    SELECT w.*, w.first_at - '26 hours'::pg_catalog.interval AS first_from, w.last_at - '26 hours'::pg_catalog.interval AS last_from,
           w.last_at - '15 minutes'::pg_catalog.interval AS lately, LEAST(w.first_at + '26 hours'::pg_catalog.interval, w.last_at) AS first_to,
           (SELECT z.last_oid FROM pgperf.relation_history z WHERE z.node_id = $1::pg_catalog.uuid AND z.relation_oid = 0
              AND z.sample_id = w.first_id AND z.taken_at = w.first_at) AS last_oid
    FROM (SELECT pg_catalog.min(p.first_at) AS first_at, pg_catalog.max(p.last_at) AS last_at, pg_catalog.min(p.first_id) AS first_id, pg_catalog.max(p.part) AS last_part FROM parts p) w),
-- Those that changed shortly before the end have many rows in its last day, of which only the last ones are needed. LIMIT: the
-- server then knows that they fit into memory; those beyond it are sorted with the others.
lately AS MATERIALIZED (
    SELECT p.part, r.relation_oid
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT h.relation_oid FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= p.last_at AND h.taken_at > p.lately) r
    LIMIT 100000),
-- A sort of the rows takes less than any lookup.
ends AS MATERIALIZED (
    SELECT f.*
    FROM (SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.taken_at, h.schema_name, h.relation_name, h.relation_kind, h.table_name,
                 GREATEST(h.last_vacuum, h.last_autovacuum) AS vacuumed_at, h.reltuples, h.n_live_tup, h.n_dead_tup,
                 h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
                 h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
          FROM pgperf.relation_history h
          WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0
            AND h.taken_at <= (SELECT w.last_at FROM whole w) AND h.taken_at > (SELECT w.last_from FROM whole w)
            AND (h.taken_at > (SELECT w.lately FROM whole w) OR ((SELECT w.last_part FROM whole w), h.relation_oid) NOT IN (SELECT l.part, l.relation_oid FROM lately l))
          ORDER BY h.relation_oid, h.sample_id DESC) f
    WHERE f.schema_name NOT IN ('pgperf', 'pgperf_internal')),
openings AS MATERIALIZED (
    SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
           h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
    FROM pgperf.relation_history h
    WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0
      AND h.taken_at <= (SELECT w.first_at FROM whole w) AND h.taken_at > (SELECT w.first_from FROM whole w)
    ORDER BY h.relation_oid, h.sample_id DESC),
-- The moments come in one by one, so that each looks at its own partitions only.
moved AS MATERIALIZED (
    SELECT p.part, pg_catalog.lead(p.part, 1, 0::pg_catalog.int8) OVER (PARTITION BY s.relation_oid ORDER BY p.part) AS until, p.first_at AS since, s.*
    FROM parts p CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0 AND h.taken_at <= p.first_at AND h.taken_at > p.before_at
        ORDER BY h.relation_oid, h.sample_id DESC) s),
-- Of those, the counters as of the end of the epoch before: until the part in which they moved.
closings AS MATERIALIZED (
    SELECT q.part AS until, f.*
    FROM parts p JOIN parts q ON q.part_before = p.part
    CROSS JOIN LATERAL (
        SELECT DISTINCT ON (h.relation_oid) h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.taken_at <= p.last_at AND h.taken_at > p.last_from
          AND (h.taken_at > p.lately OR (p.part, h.relation_oid) NOT IN (SELECT l.part, l.relation_oid FROM lately l))
          AND ((q.part, h.relation_oid) IN (SELECT m.part, m.relation_oid FROM moved m)) IS TRUE
        ORDER BY h.relation_oid, h.sample_id DESC) f
    WHERE EXISTS (SELECT FROM moved m WHERE m.part = q.part)),
-- Without a row before, it counted from 0 if it is newer than the first sample. An index proves nothing: one that REINDEX
-- CONCURRENTLY built takes over the counters of the old one. It counts from its own first row, and so does a relation whose turn came later.
lacking AS MATERIALIZED (
    SELECT f.relation_oid, f.taken_at, f.relation_oid > w.last_oid AS is_new, COALESCE(f.relation_oid > w.last_oid AND f.relation_kind <> 'index', false) AS from_zero
    FROM ends f CROSS JOIN whole w
    WHERE NOT EXISTS (SELECT FROM openings o WHERE o.relation_oid = f.relation_oid)),
beginnings AS (
    SELECT w.first_at AS since, o.* FROM openings o CROSS JOIN whole w
    UNION ALL
    SELECT n.*
    FROM lacking l CROSS JOIN whole w
    CROSS JOIN LATERAL (
        SELECT h.taken_at, h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
               h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
        FROM pgperf.relation_history h
        WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid = l.relation_oid AND h.taken_at > w.first_at AND h.taken_at <= l.taken_at
        ORDER BY h.sample_id LIMIT 1) n
    WHERE l.is_new AND NOT l.from_zero
    UNION ALL
    -- All of a day at once: where the history begins, they are as many as there are relations.
    SELECT n.*
    FROM (SELECT DISTINCT ON (h.relation_oid) h.taken_at, h.relation_oid, h.sample_id, h.size_bytes, h.seq_scan, h.seq_tup_read, h.idx_scan, h.idx_tup_read, h.n_tup_ins, h.n_tup_upd,
                 h.n_tup_del, h.n_tup_hot_upd, h.vacuum_count, h.autovacuum_count, h.analyze_count + h.autoanalyze_count AS analyze_count, h.blks_read, h.blks_hit
          FROM pgperf.relation_history h
          WHERE h.node_id = $1::pg_catalog.uuid AND h.relation_oid <> 0
            AND h.taken_at > (SELECT w.first_at FROM whole w) AND h.taken_at <= (SELECT w.first_to FROM whole w)
            AND (SELECT pg_catalog.bool_or(l.is_new IS NOT TRUE) FROM lacking l)
          ORDER BY h.relation_oid, h.sample_id) n
    JOIN lacking l ON l.relation_oid = n.relation_oid AND l.is_new IS NOT TRUE
    UNION ALL
    SELECT w.first_at, l.relation_oid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM lacking l CROSS JOIN whole w WHERE l.from_zero),
starts AS (
    SELECT m.part IS NULL AS alone, COALESCE(m.part, 0) AS until, b.*
    FROM beginnings b LEFT JOIN (SELECT m.relation_oid, pg_catalog.min(m.part) AS part FROM moved m GROUP BY m.relation_oid) m USING (relation_oid)
    UNION ALL
    SELECT false, m.until, m.since, m.relation_oid, m.sample_id, m.size_bytes, m.seq_scan, m.seq_tup_read, m.idx_scan, m.idx_tup_read, m.n_tup_ins, m.n_tup_upd,
           m.n_tup_del, m.n_tup_hot_upd, m.vacuum_count, m.autovacuum_count, m.analyze_count, m.blks_read, m.blks_hit
    FROM moved m),
finishes AS (
    SELECT 0 AS until, f.relation_oid, f.size_bytes, f.seq_scan, f.seq_tup_read, f.idx_scan, f.idx_tup_read, f.n_tup_ins, f.n_tup_upd,
           f.n_tup_del, f.n_tup_hot_upd, f.vacuum_count, f.autovacuum_count, f.analyze_count, f.blks_read, f.blks_hit
    FROM ends f
    UNION ALL
    SELECT f.until, f.relation_oid, f.size_bytes, f.seq_scan, f.seq_tup_read, f.idx_scan, f.idx_tup_read, f.n_tup_ins, f.n_tup_upd,
           f.n_tup_del, f.n_tup_hot_upd, f.vacuum_count, f.autovacuum_count, f.analyze_count, f.blks_read, f.blks_hit
    FROM closings f),
-- Where a counter fell, nothing is known of it.
counted AS MATERIALIZED (
    SELECT s.alone, f.relation_oid, s.since, (f.size_bytes - s.size_bytes)::pg_catalog.float8 AS growth,
           NULLIF(GREATEST(f.seq_scan - s.seq_scan, -1), -1)::pg_catalog.float8 AS seq_scans,
           NULLIF(GREATEST(f.seq_tup_read - s.seq_tup_read, -1), -1)::pg_catalog.float8 AS seq_rows,
           NULLIF(GREATEST(f.idx_scan - s.idx_scan, -1), -1)::pg_catalog.float8 AS idx_scans,
           NULLIF(GREATEST(f.idx_tup_read - s.idx_tup_read, -1), -1)::pg_catalog.float8 AS idx_rows,
           NULLIF(GREATEST(f.n_tup_ins - s.n_tup_ins, -1), -1)::pg_catalog.float8 AS inserted,
           NULLIF(GREATEST(f.n_tup_upd - s.n_tup_upd, -1), -1)::pg_catalog.float8 AS updated,
           NULLIF(GREATEST(f.n_tup_del - s.n_tup_del, -1), -1)::pg_catalog.float8 AS deleted,
           NULLIF(GREATEST(f.n_tup_hot_upd - s.n_tup_hot_upd, -1), -1)::pg_catalog.float8 AS hot,
           NULLIF(GREATEST(f.vacuum_count - s.vacuum_count, -1), -1)::pg_catalog.float8 AS vacuums,
           NULLIF(GREATEST(f.autovacuum_count - s.autovacuum_count, -1), -1)::pg_catalog.float8 AS autovacuums,
           NULLIF(GREATEST(f.analyze_count - s.analyze_count, -1), -1)::pg_catalog.float8 AS analyzes,
           NULLIF(GREATEST(f.blks_read - s.blks_read, -1), -1)::pg_catalog.float8 AS read,
           NULLIF(GREATEST(f.blks_hit - s.blks_hit, -1), -1)::pg_catalog.float8 AS hit
    FROM starts s JOIN finishes f ON f.relation_oid = s.relation_oid AND f.until = s.until),
sums AS (
    SELECT c.relation_oid, c.since, c.growth, c.seq_scans, c.seq_rows, c.idx_scans, c.idx_rows, c.inserted, c.updated, c.deleted, c.hot, c.vacuums, c.autovacuums,
           c.analyzes, c.read, c.hit
    FROM counted c WHERE c.alone
    UNION ALL
    SELECT c.relation_oid, pg_catalog.min(c.since), pg_catalog.sum(c.growth), pg_catalog.sum(c.seq_scans), pg_catalog.sum(c.seq_rows), pg_catalog.sum(c.idx_scans),
           pg_catalog.sum(c.idx_rows), pg_catalog.sum(c.inserted), pg_catalog.sum(c.updated), pg_catalog.sum(c.deleted), pg_catalog.sum(c.hot),
           pg_catalog.sum(c.vacuums), pg_catalog.sum(c.autovacuums), pg_catalog.sum(c.analyzes), pg_catalog.sum(c.read), pg_catalog.sum(c.hit)
    FROM counted c WHERE NOT c.alone GROUP BY c.relation_oid)
SELECT f.relation_oid, f.relation_kind, f.schema_name, f.relation_name, f.table_name, f.taken_at AS last_at, f.vacuumed_at,
       f.size_bytes, f.reltuples, f.n_live_tup, f.n_dead_tup, f.idx_scan AS idx_scans_ever, f.n_tup_del AS deleted_ever,
       s.since, s.growth, s.seq_scans, s.seq_rows, s.idx_scans, s.idx_rows, s.inserted, s.updated, s.deleted, s.hot, s.vacuums, s.autovacuums,
       s.analyzes, s.read, s.hit
FROM sums s JOIN ends f USING (relation_oid)
