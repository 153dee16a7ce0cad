SELECT s.run_id, s.label, s.workload, s.clients, s.status, s.started_at, s.duration_s, s.transactions, s.tps,
       s.latency_avg_ms, s.latency_p95_ms, s.latency_p99_ms, s.failed, s.wal_bytes_per_tx, s.hit_percent
FROM pgperf.run_summary s
WHERE s.node_id = $1::pg_catalog.uuid AND s.started_at <= $3::pg_catalog.timestamptz
  AND COALESCE(s.ended_at, pg_catalog.clock_timestamp()) >= $2::pg_catalog.timestamptz
ORDER BY s.run_id DESC
