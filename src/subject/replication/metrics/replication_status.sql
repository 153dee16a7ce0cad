-- A slot that has lost its WAL keeps none: its other figures vanish.
WITH newest AS MATERIALIZED (
    SELECT s.sample_id, s.taken_at
      FROM pgperf.samples s
     WHERE s.node_id = $1::uuid AND s.taken_at > now() - interval '1 day' AND s.outcomes -> 'replication' ->> 'status' = 'ok'
     ORDER BY s.sample_id DESC
     LIMIT 1)
SELECT h.kind, h.name, h.client, NULLIF(h.instance, 1)::text AS instance, h.database_name AS database, x.status, 1 AS replication_status
  FROM newest n JOIN pgperf.replication_history h USING (sample_id, taken_at)
 CROSS JOIN LATERAL (SELECT CASE h.kind WHEN 'slot' THEN h.wal_status WHEN 'standby' THEN h.state
                                        ELSE CASE WHEN h.active THEN 'applying' ELSE 'stopped' END END AS status) x
 WHERE h.node_id = $1::uuid AND x.status IS NOT NULL
 ORDER BY h.kind, h.name, h.client, h.instance
 LIMIT 100
