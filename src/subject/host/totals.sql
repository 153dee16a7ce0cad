SELECT 'the machine' AS whole, pg_catalog.max(h.cpus) AS cpus,
       100 * pg_catalog.sum(d.user_ms) / pg_catalog.sum(d.total) AS user_percent, 100 * pg_catalog.sum(d.system_ms) / pg_catalog.sum(d.total) AS system_percent,
       100 * pg_catalog.sum(d.iowait_ms) / pg_catalog.sum(d.total) AS iowait_percent,
       100 * pg_catalog.sum(d.steal_ms) / pg_catalog.sum(d.total) AS steal_percent,
       pg_catalog.max(100 * (d.total - d.idle_ms - COALESCE(d.iowait_ms, 0)) / d.total) AS busy_max_percent,
       pg_catalog.max(h.load_1) AS load_max, pg_catalog.max(h.processes_blocked) AS blocked_max,
       pg_catalog.max(h.memory_total_bytes) AS memory_bytes, pg_catalog.min(h.memory_available_bytes) AS available_min_bytes,
       pg_catalog.max(h.memory_dirty_bytes) AS dirty_max_bytes, pg_catalog.max(h.server_processes) AS processes_max,
       pg_catalog.max(h.server_private_bytes) AS private_max_bytes,
       pg_catalog.sum(h.swap_in_pages - b.swap_in_pages) AS swapped_in, pg_catalog.sum(h.swap_out_pages - b.swap_out_pages) AS swapped_out,
       pg_catalog.sum(h.major_faults - b.major_faults) AS major_faults, pg_catalog.sum(h.oom_kills - b.oom_kills) AS oom_kills,
       pg_catalog.sum(h.context_switches - b.context_switches) / pg_catalog.sum(p.seconds) AS switches_per_s
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
WHERE d.total > 0 AND p.seconds > 0
HAVING pg_catalog.count(*) > 0
