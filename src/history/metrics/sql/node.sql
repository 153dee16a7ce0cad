SELECT n.node_id, n.name, n.database_name AS database, n.host, 1 AS node,
       CASE WHEN $4 THEN current_setting('max_connections')::integer END AS max_connections
  FROM pgperf.nodes n
 WHERE n.node_id = $1::uuid
