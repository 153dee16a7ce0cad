-- Each relation has a row at least once a day, and a busy one hundreds: the index leads from the newest row of one to the next relation. The
-- largest are looked up whole.
WITH RECURSIVE newest AS (
    (SELECT h.relation_oid, h.sample_id, h.taken_at, h.relation_kind = 'index' AS is_index, h.size_bytes
       FROM pgperf.relation_history h
      WHERE h.node_id = $1::uuid AND h.relation_oid > 0 AND {25 hours h}
      ORDER BY h.relation_oid DESC, h.sample_id DESC
      LIMIT 1)
    UNION ALL
    SELECT o.relation_oid, o.sample_id, o.taken_at, o.is_index, o.size_bytes
      FROM newest n
     CROSS JOIN LATERAL (
           SELECT h.relation_oid, h.sample_id, h.taken_at, h.relation_kind = 'index' AS is_index, h.size_bytes
             FROM pgperf.relation_history h
            WHERE h.node_id = $1::uuid AND h.relation_oid > 0 AND h.relation_oid < n.relation_oid AND {25 hours h}
            ORDER BY h.relation_oid DESC, h.sample_id DESC
            LIMIT 1) o),
ranked AS (
    SELECT s.relation_oid, s.sample_id, s.taken_at, row_number() OVER (PARTITION BY s.is_index ORDER BY s.size_bytes DESC NULLS LAST, s.relation_oid) AS place,
           count(*) OVER (PARTITION BY s.is_index) AS of_all, s.is_index
      FROM newest s
     -- Those of this server that were dropped meanwhile. OFFSET 0: each is looked up among all relations.
     WHERE NOT $4 OR EXISTS (SELECT FROM pg_class c WHERE c.oid = s.relation_oid OFFSET 0))
SELECT r.schema_name AS schema, r.relation_name AS relation, r.relation_kind AS kind, r.table_name AS "table",
       r.size_bytes AS relation_size_bytes,
       t.n_live_tup AS relation_live_rows,
       t.n_dead_tup AS relation_dead_rows,
       r.seq_scan AS relation_sequential_scans,
       r.seq_tup_read AS relation_sequential_rows,
       r.idx_scan AS relation_index_scans,
       t.n_tup_ins AS relation_rows_inserted,
       t.n_tup_upd AS relation_rows_updated,
       t.n_tup_hot_upd AS relation_rows_hot_updated,
       t.n_tup_del AS relation_rows_deleted,
       t.vacuum_count AS relation_vacuums,
       t.autovacuum_count AS relation_autovacuums,
       r.blks_hit AS relation_blocks_hit,
       r.blks_read AS relation_blocks_read,
       extract(epoch FROM now() - GREATEST(r.last_vacuum, r.last_autovacuum))::float8 AS relation_vacuum_age_seconds,
       k.is_index::text AS limited, GREATEST(k.of_all - 20, 0) AS left_out
  FROM ranked k
 CROSS JOIN LATERAL (
       SELECT h.*
         FROM pgperf.relation_history h
        WHERE h.node_id = $1::uuid AND h.relation_oid = k.relation_oid AND h.sample_id = k.sample_id AND h.taken_at = k.taken_at
          AND {25 hours h}
        LIMIT 1) r
  -- The server counts rows and vacuums of tables only: of an index they are 0 in the history.
  LEFT JOIN LATERAL (SELECT r.* WHERE r.relation_kind <> 'index') t ON true
 WHERE k.place <= 20
 -- Of several with one name, dropped on another server, the newest.
 ORDER BY r.sample_id DESC, r.relation_oid DESC
