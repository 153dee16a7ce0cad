WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.wait_history h
     WHERE h.node_id = $1::uuid AND {part h} AND h.source = 'activity'
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.backend_type, h.state, h.wait_event_type, h.wait_event,
       sum(h.seen) / max(h.looks)::float8 AS sessions,
       GREATEST(count(*) OVER () - 50, 0) AS left_out
  FROM newest n JOIN pgperf.wait_history h USING (sample_id, taken_at)
 WHERE h.node_id = $1::uuid AND {part h} AND h.source = 'activity'
 GROUP BY h.backend_type, h.state, h.wait_event_type, h.wait_event
 ORDER BY sum(h.seen) DESC
 LIMIT 50
