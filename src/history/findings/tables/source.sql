-- What relation_history counted in sixtieths of the window. Counters only grow within an epoch, so of each relation the last row of a part is the one
-- with the highest counters; a difference is that from the relation's own part before, which may lie up to a day before the window, for a relation that
-- does not change gets a row a day. Across epochs, and where a counter fell, nothing is known.
bounds AS (
    SELECT array_agg($2::timestamptz + interval '1 us' + n * ($3::timestamptz - $2::timestamptz) / 60 ORDER BY n) AS moments FROM generate_series(0, 60) n),
starts AS (
    SELECT COALESCE(array_agg(x.first_id ORDER BY x.first_id), '{}') AS ids
    FROM (SELECT min(s.sample_id) AS first_id FROM pgperf.samples s
          WHERE s.node_id = $1::uuid AND s.taken_at > $2::timestamptz - interval '25 hours' AND s.taken_at <= $3::timestamptz
          GROUP BY s.epoch) x),
parts AS (
    SELECT h.relation_oid, h.relation_kind, width_bucket(h.sample_id, s.ids) AS epoch,
           width_bucket(h.taken_at, b.moments) - 1 AS part,
           max(h.sample_id) AS sample_id, max(h.taken_at) AS taken_at, min(h.taken_at) AS first_at, min(h.n_dead_tup) AS dead_rows,
           max(h.seq_scan) AS seq_scan, max(h.seq_tup_read) AS seq_tup_read, max(h.idx_scan) AS idx_scan, max(h.n_tup_ins) AS n_tup_ins,
           max(h.n_tup_upd) AS n_tup_upd, max(h.n_tup_del) AS n_tup_del, max(h.n_tup_hot_upd) AS n_tup_hot_upd,
           max(h.autovacuum_count + h.vacuum_count) AS vacuum_count
    FROM pgperf.relation_history h CROSS JOIN starts s CROSS JOIN bounds b
    WHERE h.node_id = $1::uuid AND h.relation_oid <> 0 AND h.schema_name NOT IN ('pgperf', 'pgperf_internal')
      AND h.taken_at > $2::timestamptz - interval '25 hours' AND h.taken_at <= $3::timestamptz
    GROUP BY 1, 2, 3, 4),
steps AS MATERIALIZED (
    SELECT p.relation_oid, p.relation_kind, p.part, p.sample_id, p.taken_at, p.first_at, p.dead_rows,
           p.seq_scan - lag(p.seq_scan) OVER w AS seq_scans, p.seq_tup_read - lag(p.seq_tup_read) OVER w AS seq_rows,
           p.idx_scan - lag(p.idx_scan) OVER w AS idx_scans, p.n_tup_ins - lag(p.n_tup_ins) OVER w AS inserted,
           p.n_tup_upd - lag(p.n_tup_upd) OVER w AS updated, p.n_tup_del - lag(p.n_tup_del) OVER w AS deleted,
           p.n_tup_hot_upd - lag(p.n_tup_hot_upd) OVER w AS hot, p.vacuum_count - lag(p.vacuum_count) OVER w AS vacuums
    FROM parts p WINDOW w AS (PARTITION BY p.relation_oid, p.epoch ORDER BY p.part)),
sums AS (
    SELECT d.relation_oid, max(d.sample_id) AS last_id, max(d.taken_at) AS last_at, max(d.part) AS last_part,
           min(d.first_at) FILTER (WHERE d.part >= 0) AS first_at,
           sum(d.seq_scans) FILTER (WHERE d.part >= 0 AND d.seq_scans >= 0) AS seq_scans, sum(d.seq_rows) FILTER (WHERE d.part >= 0 AND d.seq_rows >= 0) AS seq_rows,
           sum(d.idx_scans) FILTER (WHERE d.part >= 0 AND d.idx_scans >= 0) AS idx_scans, sum(d.inserted) FILTER (WHERE d.part >= 0 AND d.inserted >= 0) AS inserted,
           sum(d.updated) FILTER (WHERE d.part >= 0 AND d.updated >= 0) AS updated, sum(d.deleted) FILTER (WHERE d.part >= 0 AND d.deleted >= 0) AS deleted,
           sum(d.hot) FILTER (WHERE d.part >= 0 AND d.hot >= 0) AS hot, sum(d.vacuums) FILTER (WHERE d.part >= 0 AND d.vacuums >= 0) AS vacuums
    FROM steps d GROUP BY d.relation_oid),
-- With the last row of each.
totals AS MATERIALIZED (
    SELECT s.*, l.schema_name, l.relation_name, l.relation_kind, l.table_name, l.size_bytes, l.reltuples, l.n_live_tup, l.n_dead_tup
    FROM sums s JOIN pgperf.relation_history l
      ON l.node_id = $1::uuid AND l.relation_oid = s.relation_oid AND l.sample_id = s.last_id AND l.taken_at = s.last_at)
