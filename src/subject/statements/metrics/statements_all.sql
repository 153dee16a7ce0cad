SELECT h.statements AS statements_known,
       h.dealloc AS statements_evictions,
       h.calls AS statements_calls,
       h.total_exec_time / 1000 AS statements_execution_seconds,
       h.total_plan_time / 1000 AS statements_planning_seconds,
       h.rows AS statements_rows,
       h.wal_bytes AS statements_wal_bytes,
       h.exec_user_time / 1000 AS statements_user_cpu_seconds,
       h.exec_system_time / 1000 AS statements_system_cpu_seconds,
       h.exec_reads AS statements_disk_read_bytes,
       h.exec_writes AS statements_disk_written_bytes
  FROM pgperf.statement_history h
 WHERE h.node_id = $1::uuid AND h.queryid = 0 AND {part h}
 ORDER BY h.sample_id DESC
 LIMIT 1
