WITH newest AS MATERIALIZED (
    SELECT h.sample_id, h.taken_at
      FROM pgperf.connection_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT h.database_name AS database, h.role_name AS role, h.application_name AS application,
       sum(h.seen) / max(h.looks)::float8 AS connections, max(h.most) AS connections_max,
       max(a.seen) / max(h.looks)::float8 AS active_sessions,
       GREATEST(count(*) OVER () - 50, 0) AS left_out
  FROM newest n JOIN pgperf.connection_history h USING (sample_id, taken_at)
  CROSS JOIN LATERAL (
      SELECT COALESCE(sum(s.seen), 0) AS seen FROM pgperf.session_history s
       WHERE s.node_id = $1::uuid AND {part s} AND s.sample_id = n.sample_id AND s.taken_at = n.taken_at AND s.state = 'active'
         AND s.backend_type = 'client backend'
         AND (s.database_name, s.role_name, s.application_name) IS NOT DISTINCT FROM (h.database_name, h.role_name, h.application_name)) a
 WHERE h.node_id = $1::uuid AND {part h}
 GROUP BY h.database_name, h.role_name, h.application_name
 ORDER BY sum(h.seen) DESC, h.database_name, h.role_name, h.application_name
 LIMIT 50
