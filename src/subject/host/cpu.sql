SELECT p.since_s AS at_s, p.at_s - p.since_s AS seconds, 100 * d.user_ms / d.total AS user_percent, 100 * d.system_ms / d.total AS system_percent,
       100 * d.iowait_ms / d.total AS iowait_percent, 100 * d.steal_ms / d.total AS steal_percent,
       h.cpus, h.memory_total_bytes, h.memory_available_bytes
FROM {samples}
JOIN pgperf.host_history h ON h.node_id = $1::pg_catalog.uuid AND h.sample_id = p.sample_id AND h.taken_at = p.taken_at
JOIN pgperf.host_history b ON b.node_id = $1::pg_catalog.uuid AND b.sample_id = p.before_id AND b.taken_at = p.before_at AND b.boot_id = h.boot_id
CROSS JOIN LATERAL (
    SELECT (h.cpu_user_ms + h.cpu_nice_ms - b.cpu_user_ms - b.cpu_nice_ms)::pg_catalog.float8 AS user_ms,
           h.cpu_system_ms + COALESCE(h.cpu_irq_ms, 0) + COALESCE(h.cpu_softirq_ms, 0)
               - b.cpu_system_ms - COALESCE(b.cpu_irq_ms, 0) - COALESCE(b.cpu_softirq_ms, 0) AS system_ms,
           h.cpu_iowait_ms - b.cpu_iowait_ms AS iowait_ms, h.cpu_steal_ms - b.cpu_steal_ms AS steal_ms,
           h.cpu_idle_ms - b.cpu_idle_ms AS idle_ms) x
CROSS JOIN LATERAL (
    SELECT x.*, NULLIF(x.user_ms + x.system_ms + x.idle_ms + COALESCE(x.iowait_ms, 0) + COALESCE(x.steal_ms, 0), 0) AS total) d
WHERE d.total > 0
ORDER BY p.sample_id
