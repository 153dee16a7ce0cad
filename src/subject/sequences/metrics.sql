WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.sequence_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.schema_name AS schema, h.sequence_name AS sequence, h.used_percent / 100 AS sequence_used_ratio,
       GREATEST(count(*) OVER () - 50, 0) AS left_out
  FROM newest n JOIN pgperf.sequence_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h}
 ORDER BY h.used_percent DESC, h.schema_name, h.sequence_name
 LIMIT 50
