-- The runs alive now, and their last interval.
SELECT p.run_id, p.label, p.workload, p.status,
       p.clients AS run_clients,
       p.elapsed_s AS run_elapsed_seconds,
       p.percent / 100 AS run_progress_ratio,
       p.transactions AS run_transactions,
       p.tps AS run_transactions_per_second,
       p.latency_avg_ms / 1000 AS run_latency_seconds,
       p.lag_avg_ms / 1000 AS run_lag_seconds,
       p.failed AS run_failed,
       GREATEST(count(*) OVER () - 20, 0) AS left_out
  FROM pgperf.progress p
 WHERE p.node_id = $1::uuid
 ORDER BY p.run_id DESC
 LIMIT 20
