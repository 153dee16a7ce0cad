-- The machine and the devices under the server's files.
SET client_min_messages = warning;
SELECT min(sample_id) AS first, bool_and(status = 'ok') AS ok FROM pgperf.snapshot('{host}') \gset
SELECT sum(i) > 0 AS busy FROM generate_series(1, 3000000) i;
SELECT min(sample_id) AS second FROM pgperf.snapshot('{host}') \gset
SELECT :'ok' AS ok, boot_id IS NOT NULL AS boot, cpus > 0 AS cpus, load_1 >= 0 AS load, memory_total_bytes > memory_free_bytes AS memory,
       cpu_user_ms > 0 AND cpu_system_ms > 0 AND cpu_idle_ms > 0 AS cpu, context_switches > 0 AS switches,
       server_processes > 3 AS processes, server_private_bytes > 100000 AS private
FROM pgperf.host_history WHERE sample_id = :second;
SELECT seconds > 0 AS time, cpu_user_ms + cpu_nice_ms > 0 AS used, cpu_user_percent > 0 AS user_percent,
       abs(cpu_user_percent + cpu_system_percent + cpu_idle_percent + coalesce(cpu_iowait_percent, 0) + coalesce(cpu_steal_percent, 0) - 100) < 0.001 AS all_is_100_percent,
       context_switches_per_s > 0 AS switches
FROM pgperf.host_rates WHERE sample_id = :second;
-- In a container, no device may be visible. Then the reason says so, and everything else is stored.
SELECT count(*) > 0 OR (SELECT reason LIKE 'no block device was found for: %' FROM pgperf.sample_outcomes WHERE sample_id = :second) AS device_or_reason
FROM pgperf.device_history WHERE sample_id = :second;
SELECT coalesce(bool_and(holds ~ '^(data|wal)' AND level >= 0 AND read_ios >= 0 AND write_sectors > 0 AND io_ticks >= 0), true) AS counted
FROM pgperf.device_history WHERE sample_id = :second;
SELECT coalesce(bool_and(r_s >= 0 AND wkb_s >= 0 AND aqu_sz >= 0 AND util BETWEEN 0 AND 100 AND (w_await IS NULL) = (w_s = 0)), true) AS rates
FROM pgperf.device_rates WHERE sample_id = :second;
-- Of the first sample nothing is known, not even that a device was not busy.
SELECT coalesce(bool_and(util IS NULL), true) AS unknown FROM pgperf.device_rates WHERE seconds IS NULL;
