WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.slru_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.name AS slru,
       h.blks_hit AS slru_blocks_hit,
       h.blks_read AS slru_blocks_read,
       h.blks_written AS slru_blocks_written,
       h.flushes AS slru_flushes,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM newest n JOIN pgperf.slru_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.name
 LIMIT 100
