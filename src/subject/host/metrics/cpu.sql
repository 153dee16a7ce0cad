WITH newest AS MATERIALIZED (
    SELECT h.*
      FROM pgperf.host_history h
     WHERE h.node_id = $1::uuid AND h.taken_at > now() - interval '1 day'
     ORDER BY h.sample_id DESC
     LIMIT 1)
SELECT m.mode, m.ms / 1000::float8 AS host_cpu_seconds
  FROM newest n,
       LATERAL (VALUES ('user', n.cpu_user_ms), ('nice', n.cpu_nice_ms), ('system', n.cpu_system_ms), ('idle', n.cpu_idle_ms),
                       ('iowait', n.cpu_iowait_ms), ('irq', n.cpu_irq_ms), ('softirq', n.cpu_softirq_ms),
                       ('steal', n.cpu_steal_ms)) m(mode, ms)
