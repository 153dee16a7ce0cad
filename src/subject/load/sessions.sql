SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds,
       GREATEST(h.active_time - b.active_time, 0) / (1000 * p.seconds) AS active,
       GREATEST(h.idle_in_transaction_time - b.idle_in_transaction_time, 0) / (1000 * p.seconds) AS idle_in_transaction,
       h.numbackends AS backends
FROM {samples}
JOIN pgperf.database_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.database_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at
     AND b.database_name = h.database_name AND b.stats_reset IS NOT DISTINCT FROM h.stats_reset
WHERE p.seconds > 0 AND h.database_name IS NOT NULL
ORDER BY p.sample_id
