SELECT n.node_id, n.name, n.database_name AS database, n.host, 1 AS node
  FROM pgperf.nodes n
 WHERE n.node_id = $1::uuid
