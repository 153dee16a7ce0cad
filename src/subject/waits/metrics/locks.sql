WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.lock_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.lock_type AS lock,
       h.waits AS lock_waits,
       h.wait_time / 1000 AS lock_wait_seconds,
       h.fastpath_exceeded AS lock_fastpath_exceeded,
       GREATEST(count(*) OVER () - 100, 0) AS left_out
  FROM newest n JOIN pgperf.lock_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.lock_type
 LIMIT 100
