-- cpu_saturated of CPU
-- conditions: machine/cpu_saturated.sql 5, machine/source.sql 17
-- about: counters
-- programs: 0.9 * {ms} + 1
-- system: 0
-- idle: 0.1 * {ms} - 1
-- iowait: NULL
-- steal: NULL
-- irq: NULL
-- busy_from: -60
-- boot: '00000000-0000-0000-0000-000000000001'
-- during: m >= -60
-- Milliseconds of each sixtieth, from busy_from on; idle before.
INSERT INTO pgperf.host_history (node_id, sample_id, taken_at, boot_id, cpus, cpu_user_ms, cpu_nice_ms, cpu_system_ms, cpu_idle_ms, cpu_iowait_ms, cpu_irq_ms, cpu_softirq_ms, cpu_steal_ms)
SELECT node_id, sample_id, taken_at, {boot}, 1, b * ({programs}), 7, b * ({system}), (m + 120 - b) * {ms} + b * ({idle}), b * ({iowait}), b * ({irq}), 5, b * ({steal})
FROM tick, LATERAL (SELECT GREATEST(0, m - {busy_from}) AS b) x WHERE {during};

-- rows
-- less than 10 % idle | 10m 1h 1d | => warning, weight=190 kind=host & until=60: 1 CPUs were busy for 90 % of the time & "busy_percent": 90.0, "steal_percent": 0.0 | programs = 0.9 * {ms}; idle = 0.1 * {ms} => silent
-- waiting for disks counts as idle | | idle = 0; iowait = 0.1 * {ms} - 1 => warning | idle = 0; iowait = 0.1 * {ms}; programs = 0.9 * {ms} => silent | idle = 0.05 * {ms}; iowait = 0.05 * {ms}; programs = 0.9 * {ms} => silent
-- the system counts as busy | | programs = 0.5 * {ms}; system = 0.4 * {ms} + 1 => warning, (50 % in programs, 40 % in the system, 0 % taken by other machines) | programs = 0.5 * {ms}; irq = 0.4 * {ms} + 1 => warning, 40 % in the system
-- critical if others take 10 % | | programs = 0.8 * {ms} + 1; steal = 0.1 * {ms} => critical, 10 % taken & "steal_percent": 10.0 | programs = 0.8 * {ms} + 2; steal = 0.1 * {ms} - 1 => warning
-- for a quarter of an hour | 1h | busy_from = 45 => warning, since=45 until=60 | busy_from = 46 => silent
-- samples of twelve minutes of it | 1h | during = m >= 48 => warning, since=48 | during = m >= 49 => silent
-- or of most of a short window | 10m | during = m >= 12 => warning, since=12 | during = m >= 13 => silent
-- a sixtieth of a long one | 1d | busy_from = 59 => warning, since=59 | busy_from = 60 => silent
-- a step of five seconds | 5m | => warning
-- shorter ones are noise | 4m | => silent
-- a step begins at most an hour before | 1h | during = m IN (-59, 1) => warning, since=-59 | during = m IN (-60, 1) => silent
