WITH newest AS MATERIALIZED (
    SELECT h.*
      FROM pgperf.host_history h
     WHERE h.node_id = $1::uuid AND {part h}
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT n.cpus AS host_cpus,
       n.load_1 AS host_load1,
       n.load_5 AS host_load5,
       n.load_15 AS host_load15,
       n.processes_running AS host_processes_running,
       n.processes_blocked AS host_processes_blocked,
       n.memory_total_bytes AS host_memory_total_bytes,
       n.memory_free_bytes AS host_memory_free_bytes,
       n.memory_available_bytes AS host_memory_available_bytes,
       n.memory_cached_bytes AS host_memory_cached_bytes,
       n.memory_dirty_bytes AS host_memory_dirty_bytes,
       n.swap_total_bytes AS host_swap_total_bytes,
       n.swap_free_bytes AS host_swap_free_bytes,
       n.server_processes AS host_server_processes,
       n.server_private_bytes AS host_server_private_bytes,
       n.context_switches AS host_context_switches,
       n.major_faults AS host_major_faults,
       n.oom_kills AS host_oom_kills,
       m.mode, m.ms / 1000::float8 AS host_cpu_seconds
  FROM newest n,
       LATERAL (VALUES ('user', n.cpu_user_ms), ('nice', n.cpu_nice_ms), ('system', n.cpu_system_ms), ('idle', n.cpu_idle_ms),
                       ('iowait', n.cpu_iowait_ms), ('irq', n.cpu_irq_ms), ('softirq', n.cpu_softirq_ms),
                       ('steal', n.cpu_steal_ms)) m(mode, ms)
