WITH newest AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND s.taken_at > now() - interval '1 day' AND s.outcomes -> 'replication' ->> 'status' = 'ok'
     ORDER BY s.sample_id DESC
     LIMIT 1)
SELECT k.kind, count(h.kind) AS replication_objects
  FROM newest n
 CROSS JOIN (VALUES ('standby'), ('slot'), ('subscription')) k(kind)
  LEFT JOIN pgperf.replication_history h
         ON h.node_id = $1::uuid AND h.sample_id = n.sample_id AND h.taken_at = n.taken_at AND h.kind = k.kind
 GROUP BY k.kind
 ORDER BY k.kind
