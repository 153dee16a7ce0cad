WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.wait_profile_history h
     WHERE h.node_id = $1::uuid AND h.taken_at >= $2 AND h.taken_at < $3
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.wait_event_type, h.wait_event, h.in_statement::text AS in_statement,
       h.samples * h.period_ms / 1000.0 AS waited_seconds,
       GREATEST(count(*) OVER () - 50, 0) AS left_out
  FROM newest n JOIN pgperf.wait_profile_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND h.taken_at >= $2 AND h.taken_at < $3
 ORDER BY h.samples DESC, h.wait_event_type, h.wait_event, h.in_statement
 LIMIT 50
