-- oom_kills of memory
-- conditions: machine/oom_kills.sql 2
-- about: counters
-- kills: CASE WHEN m >= 30 THEN 1 ELSE 0 END
-- boot: '00000000-0000-0000-0000-000000000001'
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, oom_kills)
SELECT node_id, sample_id, taken_at, {boot}, 1, 0, 0, 0, (m + 60) * 60000, {kills} FROM tick WHERE m >= -60;

-- rows
-- any | 10m 1h 1d | => critical, weight=295 kind=host & at=30 since=29 until=30: processes that the kernel killed for want of memory: 1 | kills = 9 => silent | kills = NULL => silent
-- all of them | | kills = GREATEST(0, m) / 20 => critical, memory: 3 & at=60 since=19
-- in the window | 10m 1h 1d | kills = CASE WHEN m >= 1 THEN 1 ELSE 0 END => critical, since=0 | kills = CASE WHEN m >= 0 THEN 1 ELSE 0 END => silent
-- counters that began again | | kills = CASE WHEN m < 20 THEN 5 WHEN m < 30 THEN 0 ELSE 1 END => critical, memory: 1
-- within one start of the machine | | boot = CASE WHEN m >= 30 THEN '00000000-0000-0000-0000-000000000002' ELSE '00000000-0000-0000-0000-000000000001' END::uuid => silent
