WITH newest AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND {part s} AND s.outcomes -> 'tablespaces' ->> 'status' = 'ok'
     ORDER BY s.sample_id DESC
     LIMIT 1)
SELECT h.name AS tablespace, h.file_system,
       h.size_bytes AS tablespace_size_bytes,
       h.free_bytes AS tablespace_free_bytes,
       h.file_system_bytes AS tablespace_file_system_bytes,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM newest n JOIN pgperf.tablespace_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.size_bytes DESC NULLS LAST, h.name
 LIMIT 100
