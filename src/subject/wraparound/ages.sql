SELECT p.at_s, 0 AS seconds, pg_catalog.max(h.frozen_xid_age) AS xid_age, pg_catalog.max(h.multixact_age) AS multixact_age,
       pg_catalog.max(h.horizon_age) AS horizon_age
FROM {samples}
JOIN pgperf.wraparound_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
WHERE p.at_s > 0 AND h.relation_name IS NULL
      -- A run's samples between its first and last are of its database alone.
      AND (NOT {is_run} OR h.database_name = (SELECT d.database_name FROM pgperf.nodes d WHERE d.node_id = $1::pg_catalog.uuid))
GROUP BY p.sample_id, p.at_s
ORDER BY p.sample_id
