-- The sources, as this server knows them. A walreceiver's row has no relation, and those of parallel workers no position.
SELECT n.name AS node_name, s.node_id, s.server, s.publication, s.subscription, s.slot_name, p.oid IS NOT NULL AS exists, COALESCE(p.subenabled, false) AS enabled,
       EXISTS (SELECT FROM pg_catalog.pg_stat_subscription w WHERE w.subid = p.oid AND w.relid IS NULL AND w.received_lsn IS NOT NULL) AS connected,
       (SELECT pg_catalog.count(*) FROM pg_catalog.pg_subscription_rel r WHERE r.srsubid = p.oid) AS tables,
       GREATEST(t.taken_at, r.heard_at) AS last_heard_at,
       e.apply_error_count AS apply_errors, s.gaps
FROM pgperf_internal.sources s
LEFT JOIN pgperf.nodes n ON n.node_id = s.node_id
LEFT JOIN pg_catalog.pg_subscription p ON p.subname = s.subscription
      AND p.subdbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
LEFT JOIN pg_catalog.pg_stat_subscription_stats e ON e.subid = p.oid
LEFT JOIN LATERAL (SELECT h.taken_at FROM pgperf.samples h WHERE h.node_id = s.node_id ORDER BY h.sample_id DESC LIMIT 1) t ON true
LEFT JOIN LATERAL (SELECT pg_catalog.max(u.heard_at) AS heard_at FROM pgperf.runs u WHERE u.node_id = s.node_id AND u.heard_at IS NOT NULL) r ON true
ORDER BY n.name
