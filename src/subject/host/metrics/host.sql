SELECT h.cpus AS host_cpus,
       h.load_1 AS host_load1,
       h.load_5 AS host_load5,
       h.load_15 AS host_load15,
       h.processes_running AS host_processes_running,
       h.processes_blocked AS host_processes_blocked,
       h.memory_total_bytes AS host_memory_total_bytes,
       h.memory_free_bytes AS host_memory_free_bytes,
       h.memory_available_bytes AS host_memory_available_bytes,
       h.memory_cached_bytes AS host_memory_cached_bytes,
       h.memory_dirty_bytes AS host_memory_dirty_bytes,
       h.swap_total_bytes AS host_swap_total_bytes,
       h.swap_free_bytes AS host_swap_free_bytes,
       h.server_processes AS host_server_processes,
       h.server_private_bytes AS host_server_private_bytes,
       h.context_switches AS host_context_switches,
       h.major_faults AS host_major_faults,
       h.oom_kills AS host_oom_kills
  FROM pgperf.host_history h
 WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day'
 ORDER BY h.sample_id DESC
 LIMIT 1
