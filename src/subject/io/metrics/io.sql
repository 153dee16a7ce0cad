WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.io_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
-- Before PostgreSQL 18 all operations have the same size.
SELECT h.backend_type, h.object, h.context,
       h.reads AS io_reads, COALESCE(h.read_bytes, h.reads * h.op_bytes) AS io_read_bytes, h.read_time / 1000 AS io_read_seconds,
       h.writes AS io_writes, COALESCE(h.write_bytes, h.writes * h.op_bytes) AS io_write_bytes, h.write_time / 1000 AS io_write_seconds,
       h.extends AS io_extends, COALESCE(h.extend_bytes, h.extends * h.op_bytes) AS io_extend_bytes, h.extend_time / 1000 AS io_extend_seconds,
       h.hits AS io_hits, h.evictions AS io_evictions, h.reuses AS io_reuses,
       h.fsyncs AS io_fsyncs, h.fsync_time / 1000 AS io_fsync_seconds,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM newest n JOIN pgperf.io_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY COALESCE(h.reads, 0) + COALESCE(h.writes, 0) + COALESCE(h.extends, 0) + COALESCE(h.hits, 0) DESC
 LIMIT 100
