SELECT pg_catalog.concat_ws(' ', t.run_id, r.label) AS run, t.script, pg_catalog.left(t.statement, 200) AS statement, t.calls,
       t.latency_avg_ms, t.latency_p95_ms, t.latency_p99_ms, t.rows, t.shared_blks_read, t.wal_bytes
FROM pgperf.run_statements t JOIN pgperf.runs r USING (node_id, run_id)
WHERE t.node_id = $1::pg_catalog.uuid AND t.calls > 0 AND r.started_at <= $3::pg_catalog.timestamptz
  AND COALESCE(r.ended_at, pg_catalog.clock_timestamp()) >= $2::pg_catalog.timestamptz
ORDER BY t.run_id DESC, t.calls * t.latency_avg_ms DESC NULLS LAST
