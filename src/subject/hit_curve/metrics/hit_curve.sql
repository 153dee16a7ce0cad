-- The curve of a run is that of its clients alone.
WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.hit_curve_history h
     WHERE h.node_id = $1::uuid AND {part h} AND h.run_id IS NULL
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.shared_buffers_bytes,
       h.times,
       h.hit_percent / 100 AS hit_curve_ratio,
       h.low / 100 AS hit_curve_low_ratio,
       h.high / 100 AS hit_curve_high_ratio,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM newest n JOIN pgperf.hit_curve_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.shared_buffers_bytes
 LIMIT 100
