-- Only complete samples look for all holders; they have rows of relations.
WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.wraparound_history h
     WHERE h.node_id = $1::uuid AND {part h} AND h.relation_name IS NOT NULL
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT k.holder_kind,
       COALESCE(max(h.age), 0) AS horizon_age,
       -- Before PostgreSQL 17 nobody knows since when a slot is inactive.
       CASE WHEN count(h.age) = 0 THEN 0 ELSE max(extract(epoch FROM n.taken_at - h.since))::float8 END AS horizon_held_seconds
  FROM newest n
 CROSS JOIN (VALUES ('backend'), ('standby feedback'), ('prepared transaction'), ('replication slot')) k(holder_kind)
  LEFT JOIN pgperf.horizon_history h
         ON h.node_id = $1::uuid AND {part h} AND h.sample_id = n.sample_id AND h.taken_at = n.taken_at AND h.holder_kind = k.holder_kind
 GROUP BY k.holder_kind
