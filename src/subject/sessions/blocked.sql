WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.session_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT COALESCE(max(b.victims), 0) AS blocked_sessions
  FROM newest n
  LEFT JOIN LATERAL (SELECT sum(h.victims) AS victims FROM pgperf.blocking_history h
                      WHERE h.node_id = $1::uuid AND {part h} AND h.sample_id = n.sample_id AND h.taken_at = n.taken_at AND h.depth = 0) b ON true
HAVING count(*) > 0
